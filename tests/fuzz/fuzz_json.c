/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: base/json.c */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A value that was read must be the same after writing and reading it again. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_value struct value *v = json_read((const char *)data, size, NULL);
	auto_value struct value *again = NULL;
	auto_free char *text = NULL;

	if (!v)
		return 0;
	text = json_write(v);
	again = json_read(text, strlen(text), NULL);
	if (!again || !value_equal(v, again))
		abort();
	return 0;
}
