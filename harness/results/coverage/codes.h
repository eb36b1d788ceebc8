/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COVERAGE_CODES_H
#define VBM_COVERAGE_CODES_H

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
 * count, too.
 */
void uses_collect(const struct variant *v, code_use_fn *fn, void *arg);

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

/*
 * The transitions of queue pairs as codes. The set has no entries of its
 * own: the value of a code is an index into the table of <verbatim/qp.h>.
 */
extern const struct const_set uses_edge_set;

/* "RC:INIT-RTR"; NULL beyond the table. The caller frees it. */
char *uses_edge_name(size_t index);

/*
 * Reports every transition that modify_qp makes in @v. The earlier calls say in
 * which state a queue pair is. The state of a queue pair that rdma_cm made is
 * not known.
 */
void uses_edges_collect(const struct variant *v, code_use_fn *fn, void *arg);

/*
 * Codes for what scenarios do to packets: an operation of a transport, which has a position in its message, and a fault
 * ("RC_SEND_FIRST:drop"), or that a scripted peer sends it ("RC_SEND_FIRST:sent"); and a message of the connection manager
 * that is seen, sent or lost ("REQ:lost"). The sets have no entries of their own: a value is an index.
 */
extern const struct const_set uses_crossing_set, uses_crossing_message_set;

/* The name of a code; NULL beyond the last one. The caller frees it. */
char *uses_crossing_name(size_t index);
char *uses_crossing_message_name(size_t index);

/*
 * Reports what the steps of @v do to packets. A rule counts for the operation that its words name: a scenario in which a
 * rule acts on nothing fails.
 */
void uses_crossings_collect(const struct variant *v, code_use_fn *fn, void *arg);

#endif
