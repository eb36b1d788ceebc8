/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FINDINGS_LIST_H
#define VBM_FINDINGS_LIST_H

/*
 * Runs in: the front end, in its main thread.
 * Owns:    the list that it makes.
 * Ends:    with the command.
 * Tests:   tests/cli/findings.test, matrix.test.
 */

#include <stdio.h>

#include "coverage/survey.h"

struct value;

/* Which findings the list shall have; NULL: all. */
struct findings_wanted {
	const char *layer, *kind, *severity, *device;
	char *const *name;	/* @names entries; 0: all */
	size_t names;
};

/* A list has these parts, in this order. Each finding is in one of them ("part"). */
enum findings_part {
	FINDINGS_BUGS,
	FINDINGS_STACK,		/* deviations and differences */
	FINDINGS_PAGES,
	FINDINGS_OTHERS,	/* findings about other projects */
	FINDINGS_FIXED,		/* the newest versions do not have these any more */
	FINDINGS_PARTS,
};

extern const char *const findings_parts[FINDINGS_PARTS];

/*
 * The findings of a suite as finding_to_value() makes them. Each also has the
 * text of its clauses ("promises") and a command that shows it ("command").
 * Sorted by part, layer, severity (the worst first) and name. Bugs are sorted by
 * severity first, then by layer from the kernel up.
 */
struct value *findings_list(const struct survey *s, const struct findings_wanted *wanted);

/* Whether one of @list has the name @name. */
bool findings_list_has(const struct value *list, const char *name);

/* Whether any finding has the layer @layer; NULL: whether there is any finding. */
bool findings_have_layer(const struct survey *s, const char *layer);

/* The layer of one of a list, for people; whether it is in @part; "3 findings: 2 bugs, 1 fixed upstream". */
const char *findings_layer(const struct value *finding);
bool findings_is_in(const struct value *finding, enum findings_part part);
void findings_put_counts(FILE *f, const struct value *list);

/* A format in which a list can be printed. */
struct findings_format {
	const char *name;
	void (*print)(FILE *f, const struct value *list);
};

/* markdown.c */
void findings_md(FILE *f, const struct value *list);

extern const struct findings_format findings_formats[];	/* ends with a NULL name */
const struct findings_format *findings_format_find(const char *name);

#endif
