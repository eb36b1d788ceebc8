/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COVERAGE_USES_H
#define VBM_COVERAGE_USES_H

#include <stdint.h>

#include "plan/plan.h"

/* A constant that a scenario expects of a call, or passes to it. */
struct code_use {
	const struct const_set *set;
	const char *call;	/* borrowed; "ibv_create_cq(3)", or NULL */
	int64_t value;
	bool named;		/* written as a name, not as a number */
	bool alternative;	/* the scenario allows other values in its place */
	size_t item;		/* the item of the variant */
	const char *field;	/* borrowed; the field with this expectation, or NULL */
};

typedef void code_use_fn(void *arg, const struct code_use *use);

/*
 * Reports every constant that the items of @v expect, at any depth, with each
 * one that any_of or an outcome of either: allows. A constant that only some entries
 * of any_of or only some outcomes allow is an alternative. Constants in not: and between
 * min and max do not count. If a step has no expectation for "return", it
 * expects the call's success. Posted operations and transitions of queue pairs
 * (coverage/edges.h) count, too.
 */
void uses_collect(const struct variant *v, code_use_fn *fn, void *arg);

#endif
