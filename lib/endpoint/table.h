/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_ENDPOINT_TABLE_H
#define VBM_LIB_ENDPOINT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/endpoint.h>

/*
 * What an endpoint does about each event in each state. Pure. The numbers of events are rdma_cm's, and these behind them.
 */
enum {
	ENDPOINT_ADDRINFO_RESOLVED = 16,
	ENDPOINT_ADDRINFO_ERROR = 17,
	ENDPOINT_TIMEOUT,		/* the time is up */
	ENDPOINT_REJECTED_BY_PEER,	/* REJECTED, and it was the peer's program */
	ENDPOINT_EVENTS,
};

#define ENDPOINT_STATES (VBM_ENDPOINT_REMOVED + 1)

enum endpoint_action {
	ENDPOINT_IGNORE,	/* and stay */
	ENDPOINT_TAKE_LIST,	/* of addresses, and try the first */
	ENDPOINT_RESOLVE_ROUTE,
	ENDPOINT_ASK,		/* make the queue pair, let the program prepare it, connect */
	ENDPOINT_TRY_NEXT,	/* address; when there is none it has failed */
	ENDPOINT_FAIL,
	ENDPOINT_TAKE_REQUEST,
	ENDPOINT_SETTLE,	/* connected: set what rdma_cm does not, learn the peer */
	ENDPOINT_ANSWER,	/* the peer has disconnected: so do we */
	ENDPOINT_END,		/* both have */
	ENDPOINT_REMOVE,
	ENDPOINT_ACTIONS,
};

/* What is not in the table is ignored. */
enum endpoint_action vbm_endpoint_action(enum vbm_endpoint_state state, int event);

/* Where something is under way that a time limit ends. */
bool vbm_endpoint_is_under_way(enum vbm_endpoint_state state);

/* Bytes of private data that a message has room for. */
enum endpoint_message { ENDPOINT_REQUEST, ENDPOINT_ACCEPTANCE, ENDPOINT_REJECTION };
size_t vbm_endpoint_room(enum vbm_way way, enum ibv_qp_type type, enum endpoint_message message);

/*
 * What happened, as an errno value: from an event and its status, which is a
 * negative errno, or for REJECTED a reason of the InfiniBand specification.
 */
int vbm_endpoint_code(int event, int status);

#endif
