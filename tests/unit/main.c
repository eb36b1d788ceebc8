/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>

const char *test_data(const char *name)
{
	static char path[4096];
	const char *src = getenv("VBM_SRCDIR");

	snprintf(path, sizeof(path), "%s/tests/data/%s", src ? src : ".", name);
	return path;
}

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return _cmocka_run_group_tests("unit", vbm_tests, vbm_test_count, NULL, NULL) ? 1 : 0;
}
