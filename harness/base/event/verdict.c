/* SPDX-License-Identifier: BSD-2-Clause */
#include "event/event.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *name;
	bool expected;
} verdicts[VERDICT_COUNT] = {
	[VERDICT_PASS] = {"PASS", true},
	[VERDICT_FAIL] = {"FAIL", false},
	[VERDICT_XFAIL] = {"XFAIL", true},
	/* XPASS fails a run, because the entry of the finding has to be removed. */
	[VERDICT_XPASS] = {"XPASS", false},
	[VERDICT_SKIP] = {"SKIP", true},
	[VERDICT_INVALID] = {"INVALID", false},
	[VERDICT_ERROR] = {"ERROR", false},
};

const char *verdict_name(enum verdict v)
{
	return verdicts[v].name;
}

int verdict_parse(const char *name, enum verdict *v)
{
	int i;

	for (i = 0; i < VERDICT_COUNT; i++) {
		if (strcmp(verdicts[i].name, name) == 0) {
			*v = (enum verdict)i;
			return 0;
		}
	}
	return -EINVAL;
}

bool verdict_is_expected(enum verdict v)
{
	return verdicts[v].expected;
}
