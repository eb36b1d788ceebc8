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

/*
 * The findings of a suite, as finding_to_value() has them, each with what its
 * clauses promise ("promises") and with a command that shows it ("command").
 * By layer, then the worst first, then by name.
 */
struct value *findings_list(const struct survey *s, const struct findings_wanted *wanted);

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
