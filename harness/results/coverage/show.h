/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COVERAGE_SHOW_H
#define VBM_COVERAGE_SHOW_H

#include <stdio.h>

#include "coverage/coverage.h"

struct value;

/* The name of the table of statements, where areas and groups of codes are named. */
#define COVER_STATEMENTS "statements"

/* The part of a coverage that is shown. */
struct cover_view {
	const char *target;	/* NULL: any */
	const char *device;	/* the type of devices; NULL: any */
	const char *from;	/* the folder, or NULL */
	char *const *group;	/* only these areas and groups of codes; empty: all */
	size_t group_count;
	bool missing;		/* only what is missing */
};

bool cover_sees(const struct cover_view *view, const char *group);

/* The table of mutants, compared with the clauses of an area. */
struct mutant_tally {
	size_t mutated;	/* clauses with a mutant */
	size_t excused;	/* clauses without one, but with a reason */
	size_t mutants;	/* mutants of these clauses */
};

/* Of the area @group; NULL: of all areas that @view shows. */
struct mutant_tally cover_mutants(const struct coverage *c, const struct cover_view *view,
				  const char *group);

void cover_text(FILE *f, const struct coverage *c, const struct cover_view *view);

/* The table of statements by their chapters, and those that are missing. */
void cover_statements_text(FILE *f, const struct statements *st, const struct cover_view *view);
size_t cover_statements_missing(const struct statements *st);
struct value *cover_statements_json(const struct survey *s, const struct cover_view *view);

/* Adds the findings of each clause. */
struct value *cover_json(const struct coverage *c, const struct survey *s,
			 const struct cover_view *view);

#endif
