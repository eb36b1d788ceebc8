/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXPLAIN_TABLE_H
#define VBM_EXPLAIN_TABLE_H

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

/* The entry of a name of @set, or NULL. */
const struct explanation *explanation_find(const struct explanation *entry, const char *name);
const struct explained_set *explained_set_of(const struct const_set *set);

#endif
