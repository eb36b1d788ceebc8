/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COVERAGE_CODES_H
#define VBM_COVERAGE_CODES_H

#include "coverage/uses.h"

/* The codes that are asked for: every one of a set, and errno call by call. */
struct code {
	const char *group;	/* "eai", "errno", "wc_status", ... */
	char *name;		/* owned; in full: "IBV_WC_SUCCESS" */
	const struct const_set *set;
	const char *call;	/* errno: "ibv_get_device_list", else NULL */
	const char *clause;	/* errno: which clause names it, else NULL */
	int64_t value;
};

struct codes {
	struct code *item;	/* owned; groups stand together */
	size_t count;
};

/* What a group is about; ends with a NULL name. */
struct code_group {
	const char *name;
	const char *title;
	const struct const_set *set;
};

extern const struct code_group code_groups[];

/* An errno that a page, or the decision where it is silent, names for a call. */
struct call_errno {
	const char *call;
	const char *name;
	const char *clause;
};

extern const struct call_errno call_errnos[];	/* ends with a NULL call */

void codes_make(struct codes *out);
void codes_fini(struct codes *codes);

/* Whether @use is that very code. */
bool code_is(const struct code *code, const struct code_use *use);

#endif
