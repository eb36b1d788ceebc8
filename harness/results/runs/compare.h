/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUNS_COMPARE_H
#define VBM_RUNS_COMPARE_H

#include <stdbool.h>
#include <stdio.h>

#include "runs/stored.h"

/* The differences between two stored runs. Pure. */
enum change {
	CHANGE_NONE,
	CHANGE_WORSE,	/* it is not as expected, and was, or did not run; or it passed, and does not any more */
	CHANGE_BETTER,
	CHANGE_OTHER,	/* another verdict, neither better nor worse */
	CHANGE_SLOWER,	/* the same verdict, at least twice the time and 100 ms more */
	CHANGE_GONE,	/* only the first run has it */
	CHANGE_NEW,	/* only the second run has it, and it is as expected */
	CHANGES
};

struct compare_row {
	const struct stored_variant *before, *after;	/* borrowed; NULL: not in that run */
	enum change change;
};

/* A finding, and the number of variants that it describes in each run. */
struct compare_finding {
	const char *name;	/* borrowed */
	size_t before, after;
};

struct comparison {
	const struct stored_run *before, *after;	/* borrowed */
	struct compare_row *row;		/* owned; by name */
	size_t rows;
	size_t count[CHANGES];
	struct compare_finding *finding;	/* owned; only those that came or went */
	size_t findings;
};

void compare_runs(struct comparison *out, const struct stored_run *before, const struct stored_run *after);
void compare_fini(struct comparison *c);

/* Whether something got worse. */
bool compare_is_worse(const struct comparison *c);

/* For people: at most @limit variants of each kind of change (0: all), and as JSON. */
void compare_show(const struct comparison *c, size_t limit, FILE *f);
struct value *compare_json(const struct comparison *c);

#endif
