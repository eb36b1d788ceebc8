/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/handshake/state.h"

#include <errno.h>
#include <string.h>

/*
 * The one event after which the handshake goes on from a state. After any other event it
 * fails.
 */
struct state_row {
	enum handshake_event event;
	enum handshake_flag flag;	/* of the received message, or of the next one to send */
	enum handshake_state next;
	enum handshake_action action;
};

static const struct state_row rows[2][HANDSHAKE_STATES] = {
	[false] = {	/* server */
		[HANDSHAKE_NEW] = {HANDSHAKE_BEGIN, 0, HANDSHAKE_AWAITS_SYNC, HANDSHAKE_RECEIVE},
		[HANDSHAKE_AWAITS_SYNC] = {HANDSHAKE_RECEIVED, HANDSHAKE_SYNC,
					   HANDSHAKE_GOES_TO_RTS, HANDSHAKE_GO_TO_RTS},
		[HANDSHAKE_GOES_TO_RTS] = {HANDSHAKE_IN_RTS, HANDSHAKE_SYNC_ACK,
					   HANDSHAKE_SENDS_SYNC_ACK, HANDSHAKE_SEND},
		[HANDSHAKE_SENDS_SYNC_ACK] = {HANDSHAKE_SENT, 0, HANDSHAKE_AWAITS_ACK,
					      HANDSHAKE_RECEIVE},
		[HANDSHAKE_AWAITS_ACK] = {HANDSHAKE_RECEIVED, HANDSHAKE_ACK, HANDSHAKE_CONNECTED,
					  HANDSHAKE_DONE},
		[HANDSHAKE_SENDS_REFUSAL] = {HANDSHAKE_SENT, 0, HANDSHAKE_FAILED, HANDSHAKE_STOP},
	},
	[true] = {	/* client */
		[HANDSHAKE_NEW] = {HANDSHAKE_BEGIN, HANDSHAKE_SYNC, HANDSHAKE_SENDS_SYNC,
				   HANDSHAKE_SEND},
		[HANDSHAKE_SENDS_SYNC] = {HANDSHAKE_SENT, 0, HANDSHAKE_AWAITS_SYNC_ACK,
					  HANDSHAKE_RECEIVE},
		[HANDSHAKE_AWAITS_SYNC_ACK] = {HANDSHAKE_RECEIVED, HANDSHAKE_SYNC_ACK,
					       HANDSHAKE_GOES_TO_RTS, HANDSHAKE_GO_TO_RTS},
		[HANDSHAKE_GOES_TO_RTS] = {HANDSHAKE_IN_RTS, HANDSHAKE_ACK, HANDSHAKE_SENDS_ACK,
					   HANDSHAKE_SEND},
		[HANDSHAKE_SENDS_ACK] = {HANDSHAKE_SENT, 0, HANDSHAKE_CONNECTED, HANDSHAKE_DONE},
	},
};

/* A client's error for each reason of a refusal. */
static const struct {
	int error;
	const char *why;
} refusals[HANDSHAKE_REASONS] = {
	[0] = {EPROTO, "a refusal without a known reason"},
	[HANDSHAKE_NOT_MY_VERSION] = {EPROTONOSUPPORT, "the peer does not speak this version"},
	[HANDSHAKE_BUSY] = {EBUSY, "the peer cannot take another connection"},
	[HANDSHAKE_BY_PROGRAM] = {ECONNREFUSED, "the peer's program refused"},
};

void vbm_handshake_init(struct handshake *h, bool is_client, uint8_t versions,
			const struct handshake_end *own, const struct vbm_qp_terms *terms)
{
	memset(h, 0, offsetof(struct handshake, in));
	h->is_client = is_client;
	h->versions = versions;
	h->version = versions & 2 ? 1 : 0;
	h->own = *own;
	h->terms = *terms;
}

static enum handshake_action fail_handshake(struct handshake *h, int error, const char *why)
{
	h->state = HANDSHAKE_FAILED;
	h->error = error;
	h->why = why;
	return HANDSHAKE_STOP;
}

/* The message has the values of the other end as soon as they are known. */
static void encode_message(struct handshake *h, enum handshake_flag flag)
{
	struct handshake_message m = {
		.version = h->version,
		.flag = (uint8_t)flag,
		.client = h->is_client ? h->own : h->peer,
		.server = h->is_client ? h->peer : h->own,
		.reason = h->reason,
		.versions = h->versions,
	};

	if (flag != HANDSHAKE_ACK) {
		m.private_data = h->private_data;
		m.private_length = h->private_length;
	}
	h->length = (uint16_t)(h->is_plain ? vbm_handshake_encode_plain(h->out, &m, &h->plain) :
					     vbm_handshake_encode(h->out, &m));
	h->sent = 0;
}

/* The length of a message without private data. */
static size_t fixed_length(const struct handshake *h)
{
	if (h->is_plain)
		return vbm_handshake_plain_length(&h->plain);
	return h->version == 0 ? HANDSHAKE_BYTES_0 : HANDSHAKE_BYTES_1;
}

static enum handshake_action enter_state(struct handshake *h, const struct state_row *row)
{
	if (row->action == HANDSHAKE_SEND)
		encode_message(h, row->flag);
	h->got = h->need = 0;
	h->wanted = HANDSHAKE_BYTES_MAX;
	/* The third message is the last one. Bytes after it belong to the programs. */
	if (row->next == HANDSHAKE_AWAITS_ACK)
		h->wanted = (uint16_t)fixed_length(h);
	h->state = (uint8_t)row->next;
	return row->action;
}

/* Version 0 has no refusal: the client sees that the connection is closed. */
static enum handshake_action refuse_peer(struct handshake *h, enum handshake_reason reason)
{
	static const struct {
		int error;
		const char *why;
	} own[HANDSHAKE_REASONS] = {
		[HANDSHAKE_NOT_MY_VERSION] = {EPROTONOSUPPORT,
					      "the peer speaks a version that this end does not"},
		[HANDSHAKE_BUSY] = {EBUSY, "this end cannot take another connection"},
		[HANDSHAKE_BY_PROGRAM] = {ECONNREFUSED, "this end's program refused"},
	};

	fail_handshake(h, own[reason].error, own[reason].why);
	if (h->version == 0)
		return HANDSHAKE_STOP;
	h->reason = (uint8_t)reason;
	h->version = 1;
	encode_message(h, HANDSHAKE_REFUSAL);
	h->state = HANDSHAKE_SENDS_REFUSAL;
	return HANDSHAKE_SEND;
}

/* Read the head of a message. Returns NULL, or the mistake. A server learns the version here. */
static const char *take_head(struct handshake *h)
{
	const char *wrong;
	size_t length;

	if (h->is_plain) {
		h->need = (uint16_t)fixed_length(h);
		return NULL;
	}
	wrong = vbm_handshake_head(h->in, &length);
	if (wrong)
		return wrong;
	if (h->state == HANDSHAKE_AWAITS_SYNC)
		h->version = h->in[0];
	else if (h->version != h->in[0])
		return "a message of another version";
	h->need = (uint16_t)length;
	return NULL;
}

static enum handshake_action refused(struct handshake *h, const struct handshake_message *m)
{
	uint8_t reason = m->reason < HANDSHAKE_REASONS ? m->reason : 0;

	h->peer_private_length = (uint8_t)m->private_length;
	h->flag = HANDSHAKE_REFUSAL;
	return fail_handshake(h, refusals[reason].error, refusals[reason].why);
}

/* Check a message of the expected step. Returns NULL, or the mistake. */
static const char *find_mistake(const struct handshake *h, const struct handshake_message *m)
{
	static const struct handshake_end unknown;
	const struct handshake_end *us = h->is_client ? &m->client : &m->server;
	const struct handshake_end *them = h->is_client ? &m->server : &m->client;

	if (m->flag == HANDSHAKE_ACK && !vbm_handshake_same(them, &h->peer))
		return "values that differ from the first message";
	if (m->version == 1 && !vbm_handshake_same(us, m->flag == HANDSHAKE_SYNC ? &unknown : &h->own))
		return "wrong values for this end";
	if (h->check_gid && memcmp(&h->gid, &them->address.gid, sizeof(h->gid)) != 0)
		return "a GID that is not its address";
	return NULL;
}

static enum handshake_action received(struct handshake *h, const struct state_row *row)
{
	struct handshake_message m;
	const char *wrong;

	if (h->got >= HANDSHAKE_HEAD && !h->need) {
		wrong = take_head(h);
		if (wrong)
			return fail_handshake(h, EPROTO, wrong);
		if (!(h->version < 8 && h->versions >> h->version & 1))
			return refuse_peer(h, HANDSHAKE_NOT_MY_VERSION);
	}
	if (h->got < HANDSHAKE_HEAD || h->got < h->need)
		return HANDSHAKE_RECEIVE;
	if (h->got > h->need)
		return fail_handshake(h, EPROTO, "more than one message");
	wrong = h->is_plain ? vbm_handshake_decode_plain(&m, h->in, &h->plain) :
			      vbm_handshake_decode(&m, h->in);
	if (wrong)
		return fail_handshake(h, EPROTO, wrong);
	if (m.flag == HANDSHAKE_REFUSAL && h->state == HANDSHAKE_AWAITS_SYNC_ACK)
		return refused(h, &m);
	if (m.flag != row->flag)
		return fail_handshake(h, EPROTO, "a message at the wrong step");
	wrong = find_mistake(h, &m);
	if (wrong)
		return fail_handshake(h, EPROTO, wrong);
	h->flag = m.flag;
	if (m.flag != HANDSHAKE_ACK) {
		h->peer = h->is_client ? m.server : m.client;
		h->peer_private_length = (uint8_t)m.private_length;
	}
	return enter_state(h, row);
}

static enum handshake_action sent(struct handshake *h, const struct state_row *row)
{
	if (h->sent < h->length)
		return HANDSHAKE_SEND;
	return enter_state(h, row);
}

/* If a client got no byte of an answer, its peer perhaps knows version 0 only. */
static enum handshake_action closed(struct handshake *h)
{
	if (h->is_client && h->versions == 3 && h->got == 0 && h->state == HANDSHAKE_AWAITS_SYNC_ACK)
		return fail_handshake(h, EPROTONOSUPPORT, "the peer closed the connection without an answer");
	return fail_handshake(h, ECONNRESET, "the peer closed the connection");
}

static enum handshake_action choose_end_action(const struct handshake *h)
{
	return h->state == HANDSHAKE_CONNECTED ? HANDSHAKE_DONE : HANDSHAKE_STOP;
}

enum handshake_action vbm_handshake_step(struct handshake *h, enum handshake_event event, size_t n)
{
	const struct state_row *row = &rows[h->is_client][h->state];

	if (h->state >= HANDSHAKE_CONNECTED)
		return choose_end_action(h);
	/* When the refusal cannot be sent, the error of the refusal stays. */
	if (h->state == HANDSHAKE_SENDS_REFUSAL && event != HANDSHAKE_SENT)
		return h->state = HANDSHAKE_FAILED, HANDSHAKE_STOP;
	if (event == HANDSHAKE_CLOSED)
		return closed(h);
	if (event == HANDSHAKE_TIMEOUT)
		return fail_handshake(h, ETIMEDOUT, "the peer was silent for too long");
	if (event == HANDSHAKE_REFUSE && !h->is_client && h->state == HANDSHAKE_GOES_TO_RTS &&
	    n > 0 && n < HANDSHAKE_REASONS)
		return refuse_peer(h, (enum handshake_reason)n);
	if (event != row->event)
		return fail_handshake(h, EPROTO, "an event that does not fit the state");
	if (event == HANDSHAKE_RECEIVED) {
		if (n > (size_t)(h->wanted - h->got))
			return fail_handshake(h, EPROTO, "more bytes than asked for");
		h->got = (uint16_t)(h->got + n);
		return received(h, row);
	}
	if (event == HANDSHAKE_SENT) {
		if (n > (size_t)(h->length - h->sent))
			return fail_handshake(h, EPROTO, "more bytes sent than there were");
		h->sent = (uint16_t)(h->sent + n);
		return sent(h, row);
	}
	return enter_state(h, row);
}

static uint8_t smaller(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

void vbm_handshake_terms(const struct handshake *h, struct vbm_qp_terms *terms)
{
	*terms = h->terms;
	if (h->version == 0)
		return;
	terms->mtu = 128 << smaller(h->own.mtu, h->peer.mtu);
	terms->sq_psn = h->own.psn;
	terms->rq_psn = h->peer.psn;
	terms->max_rd_atomic = smaller(h->own.initiator_depth, h->peer.responder_resources);
	terms->max_dest_rd_atomic = smaller(h->own.responder_resources, h->peer.initiator_depth);
}
