/* SPDX-License-Identifier: BSD-2-Clause */
#include "handshake-state.h"

#include <errno.h>
#include <string.h>

void vbm_handshake_init(struct handshake *h, bool is_client, const struct vbm_qp_address *own)
{
	memset(h, 0, sizeof(*h));
	h->is_client = is_client;
	h->own = *own;
}

static enum handshake_action fail(struct handshake *h, int error, const char *why)
{
	h->state = HANDSHAKE_FAILED;
	h->error = error;
	h->why = why;
	return HANDSHAKE_STOP;
}

static enum handshake_action go(struct handshake *h, enum handshake_state state,
				enum handshake_action action)
{
	h->state = state;
	return action;
}

/* The values of the other end are sent when they are known. */
static enum handshake_action say(struct handshake *h, enum handshake_flag flag,
				 enum handshake_state state)
{
	struct handshake_message m = {
		.flag = (uint8_t)flag,
		.client = h->is_client ? h->own : h->peer,
		.server = h->is_client ? h->peer : h->own,
	};

	vbm_handshake_encode(h->out, &m);
	return go(h, state, HANDSHAKE_SEND);
}

static bool same(const struct vbm_qp_address *a, const struct vbm_qp_address *b)
{
	return a->qp_num == b->qp_num && a->lid == b->lid &&
	       memcmp(&a->gid, &b->gid, sizeof(a->gid)) == 0;
}

static enum handshake_action begin(struct handshake *h)
{
	if (h->is_client)
		return say(h, HANDSHAKE_SYNC, HANDSHAKE_SENDS_SYNC);
	return go(h, HANDSHAKE_AWAITS_SYNC, HANDSHAKE_RECEIVE);
}

static enum handshake_action sent(struct handshake *h)
{
	switch (h->state) {
	case HANDSHAKE_SENDS_SYNC:
		return go(h, HANDSHAKE_AWAITS_SYNC_ACK, HANDSHAKE_RECEIVE);
	case HANDSHAKE_SENDS_SYNC_ACK:
		return go(h, HANDSHAKE_AWAITS_ACK, HANDSHAKE_RECEIVE);
	default:
		return go(h, HANDSHAKE_CONNECTED, HANDSHAKE_DONE);
	}
}

static enum handshake_action received(struct handshake *h, const uint8_t in[HANDSHAKE_BYTES])
{
	static const uint8_t wanted[HANDSHAKE_STATES] = {
		[HANDSHAKE_AWAITS_SYNC] = HANDSHAKE_SYNC,
		[HANDSHAKE_AWAITS_SYNC_ACK] = HANDSHAKE_SYNC_ACK,
		[HANDSHAKE_AWAITS_ACK] = HANDSHAKE_ACK,
	};
	struct handshake_message m;
	const char *wrong = vbm_handshake_decode(&m, in);

	if (wrong)
		return fail(h, EPROTO, wrong);
	if (m.flag != wanted[h->state])
		return fail(h, EPROTO, "a message of another step");
	if (h->state == HANDSHAKE_AWAITS_ACK) {
		if (!same(&m.client, &h->peer))
			return fail(h, EPROTO, "other values than in the first message");
		return go(h, HANDSHAKE_CONNECTED, HANDSHAKE_DONE);
	}
	h->peer = h->is_client ? m.server : m.client;
	return go(h, HANDSHAKE_GOES_TO_RTS, HANDSHAKE_GO_TO_RTS);
}

/* The reply leaves when the queue pair can take what the peer then sends. */
static enum handshake_action in_rts(struct handshake *h)
{
	if (h->is_client)
		return say(h, HANDSHAKE_ACK, HANDSHAKE_SENDS_ACK);
	return say(h, HANDSHAKE_SYNC_ACK, HANDSHAKE_SENDS_SYNC_ACK);
}

/* The events that a state takes, beside the two ways in which any can fail. */
static bool takes(enum handshake_state state, enum handshake_event event)
{
	static const enum handshake_event of[HANDSHAKE_STATES] = {
		[HANDSHAKE_NEW] = HANDSHAKE_BEGIN,
		[HANDSHAKE_SENDS_SYNC] = HANDSHAKE_SENT,
		[HANDSHAKE_AWAITS_SYNC_ACK] = HANDSHAKE_RECEIVED,
		[HANDSHAKE_AWAITS_SYNC] = HANDSHAKE_RECEIVED,
		[HANDSHAKE_GOES_TO_RTS] = HANDSHAKE_IN_RTS,
		[HANDSHAKE_SENDS_SYNC_ACK] = HANDSHAKE_SENT,
		[HANDSHAKE_AWAITS_ACK] = HANDSHAKE_RECEIVED,
		[HANDSHAKE_SENDS_ACK] = HANDSHAKE_SENT,
	};

	return event == of[state];
}

enum handshake_action vbm_handshake_step(struct handshake *h, enum handshake_event event,
					 const uint8_t in[HANDSHAKE_BYTES])
{
	if (h->state == HANDSHAKE_FAILED)
		return HANDSHAKE_STOP;
	if (h->state == HANDSHAKE_CONNECTED)
		return HANDSHAKE_DONE;
	if (event == HANDSHAKE_CLOSED)
		return fail(h, ECONNRESET, "the peer closed the connection");
	if (event == HANDSHAKE_TIMEOUT)
		return fail(h, ETIMEDOUT, "the peer was silent for too long");
	if (!takes(h->state, event))
		return fail(h, EPROTO, "an event that the state does not take");
	switch (event) {
	case HANDSHAKE_BEGIN:
		return begin(h);
	case HANDSHAKE_SENT:
		return sent(h);
	case HANDSHAKE_RECEIVED:
		return received(h, in);
	default:
		return in_rts(h);
	}
}
