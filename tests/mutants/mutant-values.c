/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of numbers that mutants use: those of names/. A single letter is a host. */
#include "tests/mutants/mutant.h"

#include <stdlib.h>
#include <string.h>

#include "names/consts.h"

bool mutant_value(const char *name, int64_t *out)
{
	const struct const_set *const *set;
	char *end;
	size_t i, n;

	*out = (int64_t)strtoull(name, &end, 0);
	if (end != name && !*end)
		return true;
	/* A host. */
	if (name[0] >= 'a' && name[0] <= 'z' && !name[1]) {
		*out = name[0];
		return true;
	}
	for (set = const_sets; *set; set++)
		for (i = 0, n = strlen((*set)->prefix); i < (*set)->count; i++)
			if (strncmp(name, (*set)->prefix, n) == 0 && strcmp(name + n, (*set)->entry[i].name) == 0) {
				*out = (*set)->entry[i].value;
				return true;
			}
	return false;
}
