/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PLAN_FACTS_H
#define VBM_PLAN_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/value.h"

struct host_info;

/* The facts that every host has: $a.NAME. */
struct host_fact {
	const char *name;
	bool is_int;
	const char *doc;
	size_t member[2];	/* of struct host_info, an int or a text; over IPv4, over IPv6 */
};

extern const struct host_fact host_facts[];	/* ends with a NULL name */

/* @ip is 4 or 6. */
struct value *host_fact_get(const struct host_fact *f, const struct host_info *host, int ip);
const struct host_fact *host_fact_find(const char *name);

#endif
