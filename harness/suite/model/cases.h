/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MODEL_CASES_H
#define VBM_MODEL_CASES_H

#include <stddef.h>

#include "model/model.h"

struct value;

/*
 * Matrices: each state of an object times each operation, as rows for "cases: {from: NAME}".
 * A row is one operation, tried in all states in which the model expects an answer of one
 * kind, because a new process for each combination would take ten times as long as its
 * calls. It has "case", "clause" (the clauses of the operation itself) and "steps", which
 * stand on the fragment "two_pairs" or "pairs_of_kinds". Combinations that the model does not predict are left out.
 */
struct value *model_window_cases(void);
struct value *model_region_cases(void);
struct value *model_peer_cases(void);
struct value *model_shared_cases(void);
struct value *model_datagram_cases(void);
struct value *model_attribute_cases(void);
struct value *model_completion_cases(void);

/*
 * The result of the tried operation. Rows keep apart what one stack may do right and another
 * thing that it does wrong: a failed step ends its variant.
 */
enum case_kind {
	CASE_SOUND,
	CASE_FAILS,		/* the request fails at the side that posted it */
	CASE_OUTSIDE,		/* of a window, but inside of its region */
	CASE_UNBOUND,		/* invalidates what is not bound; the documents are silent */
	CASE_OF_ANOTHER,	/* invalidates what another queue pair has bound; they are silent */
	CASE_WAITS,		/* a request that waits in SQD, and starts in RTS */
	CASE_REFUSED,		/* a request is refused before RTS, and must not be executed later */
	CASE_FLUSHED,		/* a receive request that is posted in ERR */
	CASE_FROM_RESET,	/* from RESET to ERR */
	CASE_KINDS
};

/* The operations of one row. */
#define CASE_OPS 768
struct model_case {
	struct model_op op[CASE_OPS];
	size_t count;
	int slot;		/* the first slot that is free */
	struct value *clauses;	/* owned; a list, or NULL */
};

/*
 * One combination: the operations @prepare bring an object to a state, then @tried is tried,
 * and @probe shows what became of it. Slots count from 0.
 */
struct model_try {
	struct model_op prepare[14], tried, probe[10];
	size_t prepares, probes;
};

/* An operation that makes and uses no object, on one block. */
struct model_op case_op(enum model_verb verb, int host, int pair);

void case_prepare(struct model_try *t, struct model_op op);
void case_probe(struct model_try *t, struct model_op op);

/* The calls that bring a connected queue pair to RESET, INIT, RTR, RTS, SQD (way 0 to 4) or ERR. */
#define CASE_WAYS 6
void case_bring(struct model_try *t, int host, int pair, size_t way);

/* Adds @t to the case if the model expects an answer of kind @kind. Reconnects what it left unconnected. */
void case_add(struct model_case *c, const struct model_try *t, enum case_kind kind);

/* Adds a row for the case, unless it is empty, and empties it. The name of the kind follows the label. */
void case_row(struct value *rows, struct model_case *c, enum case_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
