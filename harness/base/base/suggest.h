/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_SUGGEST_H
#define VBM_BASE_SUGGEST_H

/*
 * Finds the known name that is closest to a misspelt one: offer all names, then take the
 * best. A name is close if at most a third of the misspelt name's letters, plus one, must
 * be changed.
 */
struct suggestion {
	const char *wanted;	/* borrowed */
	const char *best;	/* borrowed */
	int distance;
};

void suggest_init(struct suggestion *s, const char *wanted);
void suggest_offer(struct suggestion *s, const char *candidate);
const char *suggest_best(const struct suggestion *s);	/* NULL: no name is close */

/* "did you mean 'NAME'?" for a diagnostic; NULL for NULL. The caller frees. */
char *suggest_hint(const char *best);

/* The same for the end of a message: " (did you mean 'NAME'?)", "" for NULL. */
char *suggest_ending(const char *best);

#endif
