/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COVERAGE_USES_H
#define VBM_COVERAGE_USES_H

#include <stdint.h>

#include "plan/plan.h"

/* A constant that a scenario expects of a call, or makes use of. */
struct code_use {
	const struct const_set *set;
	const char *call;	/* borrowed; "ibv_create_cq(3)", or NULL */
	int64_t value;
	bool named;		/* written as a name, not as a number */
};

typedef void code_use_fn(void *arg, const struct code_use *use);

/*
 * Every constant that the items of @v expect: in any depth, and each that
 * any_of or an outcome of either: allows. What is only excluded (not:) or
 * lies between limits is not expected. A "return" that a step does not speak
 * of is expected to be the call's success. The operations that are posted, and
 * the transitions that queue pairs make (coverage/edges.h), count, too.
 */
void uses_collect(const struct variant *v, code_use_fn *fn, void *arg);

#endif
