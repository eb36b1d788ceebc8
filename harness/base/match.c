/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/match.h"

#include <stddef.h>
#include <string.h>

bool match_name(const char *pattern, const char *name)
{
	const char *after_star = NULL, *retry = NULL;

	while (*name) {
		if (*pattern == '*') {
			after_star = ++pattern;
			retry = name;
		} else if (*pattern && (*pattern == '?' || *pattern == *name)) {
			pattern++;
			name++;
		} else if (after_star) {
			/* Try again with one more character for the last star. */
			pattern = after_star;
			name = ++retry;
		} else {
			return false;
		}
	}
	return pattern[strspn(pattern, "*")] == '\0';
}
