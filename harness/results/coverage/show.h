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

/*
 * The table of mutants, compared with the clauses of an area: "areas" has for each "mutated" (clauses with a mutant), "excused"
 * (those without one, with a reason) and "mutants" (of these clauses), "total" the same of all. NULL: there is no such table.
 */
struct value *cover_mutants(const struct coverage *c, const struct cover_view *view);

/* Of each area, or group of @codes, how many rows have each kind of cover. */
struct value *cover_totals(const struct cover_row *row, size_t count, bool codes, const struct cover_view *view);

/* Prints a table of such totals, with their sums; @mutants may be NULL. */
void cover_print_totals(FILE *f, const char *title, const char *unit, const struct value *groups, const struct value *mutants);

void cover_text(FILE *f, const struct coverage *c, const struct cover_view *view);

/* The table of statements by their chapters, and those that are missing. */
void cover_statements_text(FILE *f, const struct statements *st, const struct cover_view *view);
size_t cover_statements_missing(const struct statements *st);
struct value *cover_statements_json(const struct survey *s, const struct cover_view *view);

/* Adds the findings of each clause. */
struct value *cover_json(const struct coverage *c, const struct survey *s,
			 const struct cover_view *view);

#endif
