/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXPLAIN_TABLE_H
#define VBM_EXPLAIN_TABLE_H

#include <ctype.h>
#include <stdbool.h>

#include <infiniband/verbs.h>

#include "names/consts.h"

/* The explanation of one name, from table-*.c. */
struct explanation {
	const char *name;	/* without the prefix of its set */
	const char *meaning;
	const char *cause;	/* what usually causes it */
	const char *check;	/* what to check; NULL: nothing is wrong */
};

struct explained_set {
	const struct const_set *set;
	const char *what;	/* "result of address resolution" */
	const struct explanation *entry;	/* ends with a NULL name; may be NULL */
	const char *home;	/* the page and heading that may describe them, or NULL */
};

extern const struct explained_set explained_sets[];	/* ends with a NULL set */
extern const struct explanation explain_verdict[];	/* ends with a NULL name */
extern const struct explanation explain_word[];	/* words of reports and scenarios; the same */

extern const struct explanation explain_return[], explain_rai_flags[], explain_port_space[],
	explain_family[], explain_errno[], explain_wc_status[], explain_cm_event[],
	explain_qp_state[], explain_qp_type[], explain_port_state[], explain_access[],
	explain_atomic_cap[], explain_link_layer[], explain_async_event[],
	explain_qp_attr_mask[];

extern const struct explanation explain_counter[];	/* the same */

/* A cause of a failure of a call. Rows of one call are together, the most frequent first. */
struct call_cause {
	const char *call;
	const char *to;		/* "RTR": only for the transition to this state; or NULL */
	const char *code;	/* "EINVAL", an event, or what happens: "hangs" */
	const char *cause, *check;
};

extern const struct call_cause explain_call[];	/* ends with a NULL call */

/* A number that has a name only here. */
struct explained_number {
	int64_t value;
	struct explanation said;
};

extern const struct explained_number explain_reject[];	/* ends with a NULL name */

/* A number of mlx5, and the status beside which it stands. */
struct vendor_number {
	int64_t value;
	enum ibv_wc_status status;
};

extern const struct vendor_number explain_vendor[];	/* ends with IBV_WC_SUCCESS */

/* A text that programs print, and the name that explains it: a call, a constant, an entry of explain_message. */
struct program_text {
	const char *pattern;
	const char *name;
	const char *to;		/* as in struct call_cause */
};

extern const struct program_text explain_text_of[];	/* ends with a NULL pattern */
extern const struct explanation explain_message[];	/* ends with a NULL name */

/* Whether @c can be in a name. */
static inline bool explain_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The entry of a name of @set, or NULL. */
const struct explanation *explanation_find(const struct explanation *entry, const char *name);
const struct explained_set *explained_set_of(const struct const_set *set);

#endif
