/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_HANDSHAKE_STATE_H
#define VBM_LIB_HANDSHAKE_STATE_H

#include "lib/handshake/message.h"

/*
 * One end of the handshake of docs/handshake.md, without sockets, clocks and queue pairs:
 * it gets an event and returns an action. The driver carries the action out and reports
 * its result as the next event. Pure.
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
	HANDSHAKE_SENT,		/* that many bytes of the message were sent */
	HANDSHAKE_RECEIVED,	/* that many bytes were put where vbm_handshake_room() points */
	HANDSHAKE_IN_RTS,	/* the queue pair is in RTS */
	HANDSHAKE_REFUSE,	/* this end refuses; the number is an enum handshake_reason */
	HANDSHAKE_CLOSED,	/* the peer closed the socket, or it broke */
	HANDSHAKE_TIMEOUT,	/* the step took too long */
	HANDSHAKE_EVENTS,
};

enum handshake_action {
	HANDSHAKE_SEND,		/* the bytes of vbm_handshake_rest() */
	HANDSHAKE_RECEIVE,	/* at most as many bytes as vbm_handshake_room() allows */
	HANDSHAKE_GO_TO_RTS,	/* with @peer and vbm_handshake_terms(); a server may refuse */
	HANDSHAKE_DONE,		/* connected: the program may send */
	HANDSHAKE_STOP,		/* failed: @error and @why say how */
};

struct handshake {
	bool is_client, check_gid;
	bool is_plain;		/* @plain is in use; @version is then 0 */
	uint8_t versions;	/* a bit for each that this end knows */
	uint8_t version;	/* the one in use; a server takes the client's */
	uint8_t state;		/* enum handshake_state */
	uint8_t reason;		/* of the refusal that this end sends */
	uint8_t flag;		/* of the last valid message */
	uint8_t private_length, peer_private_length;
	uint16_t got;		/* bytes in @in */
	uint16_t need, wanted;	/* length of the message in @in (0: unknown), and @in's limit */
	uint16_t sent, length;		/* bytes of @out */
	int error;		/* a positive errno value */
	const char *why;	/* the error in words; a static string */
	const void *private_data;	/* not owned */
	struct vbm_handshake_plain plain;	/* complete: no member is 0 as a default */
	struct handshake_end own, peer;
	struct vbm_qp_terms terms;	/* this end's own; version 0 uses them as they are */
	union ibv_gid gid;	/* with @check_gid: the GID that the peer must have */
	uint8_t in[HANDSHAKE_BYTES_MAX], out[HANDSHAKE_BYTES_MAX];
};

/*
 * Begin with the set of @versions and this end's values. The driver may set the members
 * for private data and @check_gid later, before the message that needs them, and @plain
 * before the first event.
 */
void vbm_handshake_init(struct handshake *h, bool is_client, uint8_t versions,
			const struct handshake_end *own, const struct vbm_qp_terms *terms);

enum handshake_action vbm_handshake_step(struct handshake *h, enum handshake_event event, size_t n);

/* After HANDSHAKE_RECEIVE: the buffer for the next bytes, and its size. */
static inline uint8_t *vbm_handshake_room(struct handshake *h, size_t *n)
{
	*n = (size_t)(h->wanted - h->got);
	return h->in + h->got;
}

/* After HANDSHAKE_SEND: the bytes that are still to be sent, and their number. */
static inline const uint8_t *vbm_handshake_rest(const struct handshake *h, size_t *n)
{
	*n = (size_t)(h->length - h->sent);
	return h->out + h->sent;
}

/* The terms for vbm_modify_qp_to_rts(), once @peer is known. */
void vbm_handshake_terms(const struct handshake *h, struct vbm_qp_terms *terms);

/*
 * The peer's private data. They come with its first message and are not overwritten: no
 * later message is longer than the fixed part.
 */
static inline const uint8_t *vbm_handshake_private(const struct handshake *h)
{
	return h->in + (h->flag == HANDSHAKE_REFUSAL ? HANDSHAKE_REFUSAL_BYTES : HANDSHAKE_BYTES_1);
}

#endif
