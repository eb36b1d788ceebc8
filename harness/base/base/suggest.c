/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/suggest.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

#define NAME_MAX_LEN 63

static int min3(int a, int b, int c)
{
	int m = a < b ? a : b;

	return m < c ? m : c;
}

/* Levenshtein distance, without regard to case, one row at a time. */
static int edit_distance(const char *a, const char *b)
{
	int row[NAME_MAX_LEN + 1], diag, up, la = (int)strlen(a), lb = (int)strlen(b);
	int i, j;

	if (la > NAME_MAX_LEN || lb > NAME_MAX_LEN)
		return NAME_MAX_LEN;
	for (j = 0; j <= lb; j++)
		row[j] = j;
	for (i = 1; i <= la; i++) {
		diag = row[0];
		row[0] = i;
		for (j = 1; j <= lb; j++) {
			up = row[j];
			row[j] = min3(up + 1, row[j - 1] + 1,
				      diag + (tolower((unsigned char)a[i - 1]) !=
					      tolower((unsigned char)b[j - 1])));
			diag = up;
		}
	}
	return row[lb];
}

void suggest_init(struct suggestion *s, const char *wanted)
{
	s->wanted = wanted;
	s->best = NULL;
	/* A word of one letter would be as similar to any other letter, so nothing is offered for it. */
	s->distance = strlen(wanted) > 1 ? (int)strlen(wanted) / 3 + 1 : 0;
}

void suggest_offer(struct suggestion *s, const char *candidate)
{
	int d, longer = (int)strlen(candidate) - (int)strlen(s->wanted);

	/* Each additional character is one difference at least. */
	if (abs(longer) > s->distance)
		return;
	d = edit_distance(s->wanted, candidate);
	if (d < s->distance || (d == s->distance && !s->best)) {
		s->distance = d;
		s->best = candidate;
	}
}

const char *suggest_best(const struct suggestion *s)
{
	return s->best;
}

char *suggest_hint(const char *best)
{
	return best ? xasprintf("did you mean '%s'?", best) : NULL;
}

char *suggest_ending(const char *best)
{
	return best ? xasprintf(" (did you mean '%s'?)", best) : xstrdup("");
}
