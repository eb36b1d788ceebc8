/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_HANDSHAKE_STATE_H
#define VBM_LIB_HANDSHAKE_STATE_H

#include "lib/handshake/message.h"

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
	HANDSHAKE_SENDS_REFUSAL,	/* server */
	HANDSHAKE_CONNECTED,
	HANDSHAKE_FAILED,
	HANDSHAKE_STATES,
};

enum handshake_event {
	HANDSHAKE_BEGIN,	/* the socket is there, the queue pair is in INIT */
	HANDSHAKE_SENT,		/* that many bytes of the message were written */
	HANDSHAKE_RECEIVED,	/* that many bytes were put where vbm_handshake_room() said */
	HANDSHAKE_IN_RTS,	/* the queue pair is */
	HANDSHAKE_REFUSE,	/* this end will not: the number is an enum handshake_reason */
	HANDSHAKE_CLOSED,	/* the peer closed the socket, or it broke */
	HANDSHAKE_TIMEOUT,	/* the step took too long */
	HANDSHAKE_EVENTS,
};

enum handshake_action {
	HANDSHAKE_SEND,		/* what vbm_handshake_rest() gives */
	HANDSHAKE_RECEIVE,	/* as many bytes as vbm_handshake_room() says, or fewer */
	HANDSHAKE_GO_TO_RTS,	/* with @peer and vbm_handshake_terms(); a server may refuse */
	HANDSHAKE_DONE,		/* connected: the program may send */
	HANDSHAKE_STOP,		/* failed: @error and @why say how */
};

struct handshake {
	bool is_client, check_gid;
	uint8_t versions;	/* a bit for each that this end speaks */
	uint8_t version;	/* that is spoken; a server's is the client's */
	uint8_t state;		/* enum handshake_state */
	uint8_t reason;		/* of the refusal that this end sends */
	uint8_t flag;		/* of the message that came last, when it was right */
	uint8_t private_length, peer_private_length;
	uint16_t got, need, wanted;	/* bytes in @in, of its message (0: not known), and room */
	uint16_t sent, length;		/* bytes of @out */
	int error;		/* a positive errno value */
	const char *why;	/* in words, static */
	const void *private_data;	/* not owned */
	struct handshake_end own, peer;
	struct vbm_qp_terms terms;	/* of version 0, which agrees on none */
	union ibv_gid gid;	/* @check_gid: what the peer's has to be */
	uint8_t in[HANDSHAKE_BYTES_MAX], out[HANDSHAKE_BYTES_MAX];
};

/*
 * Begin with @versions, a bit for each, and what this end says of itself. The
 * driver may set the members for private data and @check_gid before the message
 * that they are about.
 */
void vbm_handshake_init(struct handshake *h, bool is_client, uint8_t versions,
			const struct handshake_end *own, const struct vbm_qp_terms *terms);

enum handshake_action vbm_handshake_step(struct handshake *h, enum handshake_event event, size_t n);

/* After HANDSHAKE_RECEIVE: where the next bytes go, and how many at most. */
static inline uint8_t *vbm_handshake_room(struct handshake *h, size_t *n)
{
	*n = (size_t)(h->wanted - h->got);
	return h->in + h->got;
}

/* After HANDSHAKE_SEND: what is still to be written, and how many bytes. */
static inline const uint8_t *vbm_handshake_rest(const struct handshake *h, size_t *n)
{
	*n = (size_t)(h->length - h->sent);
	return h->out + h->sent;
}

/* What the two calls to RTS set, once @peer is known. */
void vbm_handshake_terms(const struct handshake *h, struct vbm_qp_terms *terms);

/*
 * The peer's private data. They came with its first message, and stay where
 * they are: no message after that one is longer than its fixed part.
 */
static inline const uint8_t *vbm_handshake_private(const struct handshake *h)
{
	return h->in + (h->flag == HANDSHAKE_REFUSAL ? HANDSHAKE_REFUSAL_BYTES : HANDSHAKE_BYTES_1);
}

#endif
