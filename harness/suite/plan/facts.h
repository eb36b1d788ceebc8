/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PLAN_FACTS_H
#define VBM_PLAN_FACTS_H

#include <stdbool.h>

#include "base/value.h"

struct host_info;

/* The facts that every host has: $a.NAME. @ip is 4 or 6. */
struct host_fact {
	const char *name;
	bool is_int;
	const char *doc;
	struct value *(*get)(const struct host_info *host, int ip);
};

extern const struct host_fact host_facts[];	/* ends with a NULL name */

const struct host_fact *host_fact_find(const char *name);

#endif
