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

void cover_text(FILE *f, const struct coverage *c, const struct cover_view *view);

/* The number of statements that are missing. */
size_t cover_statements_missing(const struct statements *st);

/* Adds the findings of each clause. */
struct value *cover_json(const struct coverage *c, const struct survey *s,
			 const struct cover_view *view);

#endif
