/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COVERAGE_CODES_H
#define VBM_COVERAGE_CODES_H

#include "coverage/uses.h"

/* A code that scenarios should show: a constant of a set, or an errno of one call. */
struct code {
	const char *group;	/* "eai", "errno", "wc_status", ... */
	char *name;		/* owned; the full name: "IBV_WC_SUCCESS" */
	const struct const_set *set;
	const char *call;	/* errno: "ibv_get_device_list", else NULL */
	const char *clause;	/* errno: the clause that names it, else NULL */
	int64_t value;
};

struct codes {
	struct code *item;	/* owned; sorted by group */
	size_t count;
};

/* A set of constants whose codes scenarios should show. */
struct code_group {
	const char *name;
	const char *title;
	const struct const_set *set;
	char *(*name_of)(size_t index);	/* the names of a set without entries; NULL: the set has entries */
};

/*
 * An errno that a call can return: its manual page says so or, if the page says
 * nothing, a decision in the catalogue.
 */
struct call_errno {
	const char *call;
	const char *name;
	const char *clause;
};

extern const struct call_errno call_errnos[];	/* ends with a NULL call */

void codes_make(struct codes *out);
void codes_fini(struct codes *codes);

/* Whether a scenario with the expectation @use shows @code. */
bool code_is(const struct code *code, const struct code_use *use);

#endif
