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

bool match_word(const char *words, const char *word)
{
	size_t len = strlen(word);
	const char *at;

	for (at = words; (at = strstr(at, word)); at += len)
		if ((at == words || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
	return false;
}
