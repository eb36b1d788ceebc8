/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FINDINGS_LIST_H
#define VBM_FINDINGS_LIST_H

#include <stdio.h>

#include "coverage/survey.h"

struct value;

/* Which findings are wanted; NULL: any. */
struct findings_wanted {
	const char *layer, *kind, *severity;
	char *const *name;	/* @names of them; 0: all */
	size_t names;
};

/* A list has these parts, in this order; each finding is in one ("part"). */
enum findings_part {
	FINDINGS_BUGS,
	FINDINGS_STACK,		/* deviations and differences */
	FINDINGS_PAGES,
	FINDINGS_OTHERS,	/* other projects' */
	FINDINGS_FIXED,		/* what the newest versions do not have any more */
	FINDINGS_PARTS,
};

extern const char *const findings_parts[FINDINGS_PARTS];

/*
 * The findings of a suite, as finding_to_value() has them, each with what its
 * clauses promise ("promises") and with a command that shows it ("command").
 * By part, by layer, then the worst first, then by name; bugs the worst first,
 * then by layer, upwards.
 */
struct value *findings_list(const struct survey *s, const struct findings_wanted *wanted);

/* Whether one of @list is called @name. */
bool findings_list_has(const struct value *list, const char *name);

/* Whether a finding is of @layer; without one: whether there is any. */
bool findings_have_layer(const struct survey *s, const char *layer);

/* One way to print a list. */
struct findings_format {
	const char *name;
	void (*print)(FILE *f, const struct value *list);
};

extern const struct findings_format findings_formats[];	/* ends with a NULL name */
const struct findings_format *findings_format_find(const char *name);

#endif
