/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_ENDPOINT_TABLE_H
#define VBM_LIB_ENDPOINT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/endpoint.h>

/*
 * The action of an endpoint for each event in each state. Pure. Smaller numbers than
 * ENDPOINT_ADDRINFO_RESOLVED are the events of rdma_cm.
 */
enum {
	ENDPOINT_ADDRINFO_RESOLVED = 16,
	ENDPOINT_ADDRINFO_ERROR = 17,
	ENDPOINT_TIMEOUT,		/* the time is up */
	ENDPOINT_REJECTED_BY_PEER,	/* REJECTED by the peer's program, in its own words */
	ENDPOINT_EVENTS,
};

#define ENDPOINT_STATES (VBM_ENDPOINT_REMOVED + 1)

enum endpoint_action {
	ENDPOINT_IGNORE,	/* keep the state */
	ENDPOINT_TAKE_LIST,	/* keep the list of addresses, and try the first */
	ENDPOINT_RESOLVE_ROUTE,
	ENDPOINT_ASK,		/* make the queue pair, let the program prepare it, connect */
	ENDPOINT_TRY_NEXT,	/* try the next address; FAILED if there is none */
	ENDPOINT_FAIL,
	ENDPOINT_TAKE_REQUEST,
	ENDPOINT_SETTLE,	/* connected: set the attributes that rdma_cm does not set, learn the peer's values */
	ENDPOINT_ANSWER,	/* the peer has disconnected, so this end does */
	ENDPOINT_END,		/* both ends have disconnected */
	ENDPOINT_REMOVE,
	ENDPOINT_ACTIONS,
};

/* ENDPOINT_IGNORE for a pair that is not in the table. */
enum endpoint_action vbm_endpoint_action(enum vbm_endpoint_state state, int event);

/* Whether an operation is under way that a time limit ends. */
bool vbm_endpoint_is_under_way(enum vbm_endpoint_state state);

/* Whether an attempt that failed with @code may succeed later. */
bool vbm_endpoint_may_mend(int code);

/* The bytes of private data that a message can carry. */
enum endpoint_message { ENDPOINT_REQUEST, ENDPOINT_ACCEPTANCE, ENDPOINT_REJECTION };
size_t vbm_endpoint_room(enum vbm_way way, enum ibv_qp_type type, enum endpoint_message message);

/*
 * The errno value for an event. @status is a negative errno, or for REJECTED a reason of
 * the InfiniBand specification.
 */
int vbm_endpoint_code(int event, int status);

#endif
