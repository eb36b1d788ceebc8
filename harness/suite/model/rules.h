/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MODEL_RULES_H
#define VBM_MODEL_RULES_H

#include <stddef.h>

/*
 * The statements from which the model predicts. Each is a promise of a clause, or says
 * that the documents are silent and names what the model allows for that reason.
 */
enum model_rule {
	RULE_NONE,
	RULE_REGION, RULE_REGION_RIGHTS, RULE_REGION_FREE, RULE_REGION_BOUND,
	RULE_WINDOW, RULE_WINDOW_FREE,
	RULE_BIND, RULE_BIND_RIGHT, RULE_BIND_WRITE, RULE_BIND_RANGE, RULE_BIND_TWICE, RULE_BIND_OTHER,
	RULE_BIND_NOTHING, RULE_BIND_DOMAIN, RULE_BIND_CALL, RULE_BIND_ZERO, RULE_UNBIND,
	RULE_INVALIDATE, RULE_INVALIDATE_ERROR, RULE_INVALIDATE_AGAIN,
	RULE_INVALIDATE_FREE, RULE_INVALIDATE_OTHER,
	RULE_SEND_INVALIDATE, RULE_SEND_INVALIDATE_ERROR, RULE_SEND_INVALIDATE_AGAIN, RULE_SEND_INVALIDATE_FREE, RULE_SEND_INVALIDATE_OTHER,
	RULE_SEND_INVALIDATE_SENDER,
	RULE_SEND, RULE_RNR, RULE_WRITE, RULE_READ, RULE_ATOMIC,
	RULE_KEY_GONE, RULE_KEY_RIGHT, RULE_KEY_RANGE, RULE_KEY_DOMAIN,
	RULE_WINDOW_UNBOUND, RULE_WINDOW_INVALID, RULE_WINDOW_OLD, RULE_WINDOW_RIGHT, RULE_WINDOW_RANGE,
	RULE_WINDOW_PAIR, RULE_WINDOW_DOMAIN, RULE_WINDOW_ZERO,
	RULE_TRANSITION, RULE_RESET_TO_ERR, RULE_POST_REFUSED, RULE_POST_RECEIVE, RULE_RECEIVE_REFUSED, RULE_FLUSH, RULE_ERROR,
	RULE_PEER_SILENT, RULE_DRAINED, RULE_COMPARE, RULE_IMMEDIATE, RULE_EVENT, RULE_EVENT_SOLICITED, RULE_UNPOLLED,
	RULE_IOVA, RULE_ZERO_BASED, RULE_ZERO_REFUSED, RULE_ON_DEMAND, RULE_REREG, RULE_REREG_RIGHTS,
	RULE_PAIR_RIGHT, RULE_RESOURCES, RULE_ATTRIBUTE, RULE_ATTRIBUTE_FOREIGN, RULE_RESIZE, RULE_RESIZE_SIZE,
	RULE_OVERFLOW, RULE_OVERFLOW_DONE,
	RULE_SHARED_POST, RULE_SHARED_OWN, RULE_SHARED_TAKE, RULE_SHARED_MODIFY, RULE_SHARED_RANGE, RULE_SHARED_SHRINK,
	RULE_SHARED_LIMIT, RULE_SHARED_BUSY,
	RULE_STREAM_REFUSED, RULE_STREAM_END,
	RULE_HANDLE, RULE_HANDLE_FREE, RULE_DATAGRAM, RULE_DATAGRAM_KEY,
	RULE_COUNT
};

struct model_statement {
	const char *clause;	/* its id in scenarios/clauses.tsv */
	const char *text;	/* one sentence */
	const char *silent;	/* why several outcomes are right, or NULL */
};

const struct model_statement *model_statement(enum model_rule rule);

/*
 * Known findings. An exception adds the outcome that the finding describes, or, if the state
 * afterwards is not known, makes the model refuse to predict the operation.
 */
enum model_exception {
	EXCEPT_FLUSH_HIDES, EXCEPT_WINDOW_BOUNDS, EXCEPT_SQD_RTS, EXCEPT_FLUSH_RECEIVE,
	EXCEPT_REFUSED_SEND, EXCEPT_RESET_TO_ERR, EXCEPT_INVALIDATE_UNBOUND, EXCEPT_REREG,
	EXCEPT_ON_DEMAND_OFFSET, EXCEPT_RESET_RUNS, EXCEPT_SHARED_SHRINK, EXCEPT_DEPTH, EXCEPT_WINDOW_DOMAIN,
	EXCEPT_ZERO_BASED, EXCEPT_ZERO_BEYOND,
	EXCEPT_OWN_ADDRESS, EXCEPT_LATE_FLUSH, EXCEPT_SHARED_POST, EXCEPT_SOLICITED, EXCEPT_READ_RIGHT,
	EXCEPT_COUNT
};

/* The name of the finding in scenarios/findings. */
const char *model_exception_name(enum model_exception e);

/* Abilities that a device may lack. The model then predicts that they refuse it, or no such operation. */
enum model_lack {
	LACK_ZERO_BASED, LACK_UD, LACK_BY_HAND, LACK_ATOMICS, LACK_IMMEDIATE, LACK_WINDOWS, LACK_ON_DEMAND, LACK_REREG,
	LACK_QUERY_SRQ, LACK_RESIZE_SRQ, LACK_RESIZE_CQ, LACK_AH, LACK_ACKS, LACK_COUNT
};

/* The name of the ability (names/abilities.h), or "zero_based"; NULL after the last one. */
const char *model_lack_name(size_t i);

/* The stack that the model predicts. */
struct model_stack {
	unsigned exceptions;	/* bits of enum model_exception: the known findings that it has */
	unsigned lacks;		/* bits of enum model_lack */
};

/* A stack without a known finding, whose devices have everything. */
#define MODEL_SOUND ((struct model_stack){.exceptions = 0, .lacks = 0})

#endif
