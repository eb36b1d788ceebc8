/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MATRIX_SHOW_H
#define VBM_MATRIX_SHOW_H

#include <stddef.h>

#include "base/strlist.h"
#include "matrix/results.h"

struct text;

/*
 * In what the cells that ran differ. An outcome is a verdict with the findings that
 * explain it: "PASS", "XFAIL canonical-names". Variants with the same outcomes are one
 * group. A group is explained by the fewest axes whose values decide the outcome. Pure.
 */
struct outcome_at {
	char *where;		/* owned; values of the group's axes: "6.1", "6.1 x 44" */
	const char *outcome;	/* borrowed */
	size_t cell;		/* the first cell there */
};

struct difference {
	unsigned int axes;	/* a bit for each axis that explains it; 0: all cells have the same outcome */
	struct outcome_at *at;	/* owned; in the order of the cells */
	size_t ats;
	const char **variant;	/* owned, the names borrowed; in the order of their names */
	size_t variants;
	int rank;		/* the lowest come first */
};

struct differences {
	struct difference *item;	/* owned */
	size_t count;
	size_t variants;	/* that differ */
	size_t all;		/* that any cell ran */
	struct string_list outcome;	/* the texts */
};

/*
 * The groups that differ, the worst first: those with a verdict that is not as expected, then
 * those with a finding, then the others; of each kind the largest first. The groups
 * without a difference count only if they are not as expected.
 */
void differences_make(struct differences *out, const struct results *r);
void differences_fini(struct differences *d);

/* "kernel", "kernel and rdma-core", or "all cells". The caller frees it. */
char *difference_axes(const struct difference *d);

/* The places with one outcome, "6.1, 6.12"; @i is the first of them. NULL: an earlier one has this outcome. */
char *difference_places(const struct difference *d, size_t i);

/* A format gets all of this. */
struct shown_matrix {
	const struct results *results;
	const struct differences *differences;
	size_t limit;	/* variants of each group, 0: all */
};

/* The names of the formats; NULL after the last one. */
const char *matrix_format_name(size_t i);
void matrix_show(struct text *t, const struct shown_matrix *s, const char *format);

#endif
