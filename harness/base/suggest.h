/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_SUGGEST_H
#define VBM_BASE_SUGGEST_H

/*
 * "did you mean": offer every known name, then take the closest one. A name is
 * close when it differs by no more edits than a third of its length.
 */
struct suggestion {
	const char *wanted;	/* borrowed */
	const char *best;	/* borrowed */
	int distance;
};

void suggest_init(struct suggestion *s, const char *wanted);
void suggest_offer(struct suggestion *s, const char *candidate);
const char *suggest_best(const struct suggestion *s);	/* NULL: none close */

#endif
