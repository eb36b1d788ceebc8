/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COMPILE_REF_H
#define VBM_COMPILE_REF_H

#include <stdbool.h>

#include "base/value.h"
#include "step/step.h"

/*
 * A reference is a whole scalar: "$" and names joined by dots. "$$" at the
 * beginning of a string stands for one "$" and no reference.
 */
#define REF_PARTS_MAX 8
#define REF_PART_SIZE 64

struct ref {
	char part[REF_PARTS_MAX][REF_PART_SIZE];
	int count;
};

bool ref_is(const struct value *v);

/* False when @text is not of that form. */
bool ref_parse(const char *text, struct ref *ref);

/* [a-z_][a-z0-9_]*, short enough: what "as:" and "vary:" may name. */
bool ref_is_name(const char *s);

/* What every host knows of itself: $a.NAME. @ip is 4 or 6. */
struct host_fact {
	const char *name;
	bool is_int;
	const char *doc;
	struct value *(*get)(const struct host_info *host, int ip);
};

extern const struct host_fact host_facts[];	/* ends with a NULL name */

const struct host_fact *host_fact_find(const char *name);

#endif
