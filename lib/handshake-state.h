/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_HANDSHAKE_STATE_H
#define VBM_LIB_HANDSHAKE_STATE_H

#include "handshake-message.h"

/*
 * One end of the handshake of docs/handshake.md, without sockets, clocks and
 * queue pairs: an event goes in, an action comes out. The driver carries the
 * action out and reports its end as the next event. Pure.
 */
enum handshake_state {
	HANDSHAKE_NEW,
	HANDSHAKE_SENDS_SYNC,		/* client */
	HANDSHAKE_AWAITS_SYNC_ACK,	/* client */
	HANDSHAKE_AWAITS_SYNC,		/* server */
	HANDSHAKE_GOES_TO_RTS,
	HANDSHAKE_SENDS_SYNC_ACK,	/* server */
	HANDSHAKE_AWAITS_ACK,		/* server */
	HANDSHAKE_SENDS_ACK,		/* client */
	HANDSHAKE_CONNECTED,
	HANDSHAKE_FAILED,
	HANDSHAKE_STATES,
};

enum handshake_event {
	HANDSHAKE_BEGIN,	/* the socket is there, the queue pair is in INIT */
	HANDSHAKE_SENT,		/* the message was written as a whole */
	HANDSHAKE_RECEIVED,	/* a message, as bytes */
	HANDSHAKE_IN_RTS,	/* the queue pair is */
	HANDSHAKE_CLOSED,	/* the peer closed the socket, or it broke */
	HANDSHAKE_TIMEOUT,	/* the step took too long */
	HANDSHAKE_EVENTS,
};

enum handshake_action {
	HANDSHAKE_SEND,		/* @out */
	HANDSHAKE_RECEIVE,	/* HANDSHAKE_BYTES bytes */
	HANDSHAKE_GO_TO_RTS,	/* with @peer */
	HANDSHAKE_DONE,		/* connected: the program may send */
	HANDSHAKE_STOP,		/* failed: @error and @why say how */
};

struct handshake {
	bool is_client;
	enum handshake_state state;
	struct vbm_qp_address own, peer;
	uint8_t out[HANDSHAKE_BYTES];
	int error;		/* a positive errno value */
	const char *why;	/* in words, static */
};

void vbm_handshake_init(struct handshake *h, bool is_client, const struct vbm_qp_address *own);

/* @in is the message of HANDSHAKE_RECEIVED, else not looked at. */
enum handshake_action vbm_handshake_step(struct handshake *h, enum handshake_event event,
					 const uint8_t in[HANDSHAKE_BYTES]);

#endif
