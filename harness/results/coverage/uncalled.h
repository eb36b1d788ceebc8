/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COVERAGE_UNCALLED_H
#define VBM_COVERAGE_UNCALLED_H

#include <stddef.h>

#include <verbatim/error.h>

struct survey;
struct text;

/*
 * The lines of other-calls.tsv. Each says that another call than the one whose
 * manual page a clause cites shows the clause, and why.
 */
struct other_call {
	const char *clause;	/* all texts are borrowed from the table */
	const char *call;	/* "ibv_post_send(3)" */
	const char *why;
	int line;
};

struct other_calls {
	char *text;		/* owned */
	struct other_call *item;	/* owned; in the order of the file */
	size_t count;
};

/* Reads "DIR/other-calls.tsv". A missing file is an empty table, and @out begins empty. */
int other_calls_load(struct other_calls *out, const char *dir, struct vbm_error *err);
void other_calls_fini(struct other_calls *calls);

/*
 * A scenario that does not make a call shows no clause about it. Adds a line to
 * @problems for each scenario that names a clause, whose clause cites the manual
 * pages of calls, and that has no step which makes one of them; and for each line
 * of other-calls.tsv that no scenario needs. A variant that starts a program of the
 * machine can make any call. Returns how many lines it added.
 */
int uncalled_check(const struct survey *s, struct text *problems);

#endif
