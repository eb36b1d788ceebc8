/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/handshake/state.c */
/* The state machine of the handshake, in both versions, without a socket. */
#include "cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "lib/handshake/state.h"

#define BOTH 3	/* a bit for each version */

static const struct handshake_end ada = {
	.address = {.qp_num = 0x010203, .lid = 0x0a0b, .gid.raw = {1, 2}},
	.psn = 0x0c0d0e, .capabilities = 0x1112, .gid_index = 3, .mtu = IBV_MTU_1024,
	.responder_resources = 5, .initiator_depth = 6,
};
static const struct handshake_end bob = {
	.address = {.qp_num = 0xfffffe, .lid = 7, .gid.raw = {[15] = 9}},
	.psn = 0xffffff, .capabilities = VBM_HANDSHAKE_CAN_READ, .gid_index = 8, .mtu = IBV_MTU_512,
	.responder_resources = 4, .initiator_depth = 16,
};
static const struct handshake_end nobody;
static const struct vbm_qp_terms plain = {4096, 1, 2, 3, 4};

/* The next whole message of the peer. */
static uint8_t bytes[HANDSHAKE_BYTES_MAX];
static size_t length;

static void compose(int version, enum handshake_flag flag, const struct handshake_end *client,
		    const struct handshake_end *server)
{
	struct handshake_message m = {.version = (uint8_t)version, .flag = (uint8_t)flag,
				      .client = *client, .server = *server};

	length = vbm_handshake_encode(bytes, &m);
}

/* Compose the right message for an end in that state; any message if none is expected. */
static void compose_next(const struct handshake *h)
{
	if (h->is_client)
		compose(h->version, HANDSHAKE_SYNC_ACK, &ada, &bob);
	else if (h->state == HANDSHAKE_AWAITS_SYNC)
		compose(h->version, HANDSHAKE_SYNC, &ada, &nobody);
	else
		compose(h->version, HANDSHAKE_ACK, &ada, &bob);
}

/* Pass the composed message in pieces of at most that many bytes. */
static enum handshake_action feed_pieces(struct handshake *h, size_t piece)
{
	enum handshake_action action = HANDSHAKE_RECEIVE;
	size_t at = 0, n;
	uint8_t *room;

	while (action == HANDSHAKE_RECEIVE && at < length) {
		room = vbm_handshake_room(h, &n);
		n = n < piece ? n : piece;
		n = n < length - at ? n : length - at;
		memcpy(room, bytes + at, n);
		at += n;
		action = vbm_handshake_step(h, HANDSHAKE_RECEIVED, n);
	}
	return action;
}

static enum handshake_action feed(struct handshake *h)
{
	return feed_pieces(h, HANDSHAKE_BYTES_MAX);
}

static enum handshake_action sent_all(struct handshake *h)
{
	size_t n;

	vbm_handshake_rest(h, &n);
	return vbm_handshake_step(h, HANDSHAKE_SENT, n);
}

static void start(struct handshake *h, bool is_client, int versions)
{
	vbm_handshake_init(h, is_client, (uint8_t)versions, is_client ? &ada : &bob, &plain);
}

static struct handshake_message said(const struct handshake *h)
{
	struct handshake_message m;

	assert_null(vbm_handshake_decode(&m, h->out));
	return m;
}

static void expect_failure(const struct handshake *h, int error, const char *why)
{
	assert_int_equal(h->state, HANDSHAKE_FAILED);
	assert_int_equal(h->error, error);
	assert_string_equal(h->why, why);
}

TEST(test_state__client__goes_the_five_steps)
{
	struct handshake_message m;
	struct handshake h;
	int version;

	for (version = 0; version < 2; version++) {
		start(&h, true, 1 << version);
		assert_int_equal(vbm_handshake_step(&h, HANDSHAKE_BEGIN, 0), HANDSHAKE_SEND);
		m = said(&h);
		assert_int_equal(m.version, version);
		assert_int_equal(m.flag, HANDSHAKE_SYNC);
		assert_int_equal(m.client.address.qp_num, ada.address.qp_num);
		assert_true(vbm_handshake_same(&m.server, &nobody));
		assert_int_equal(sent_all(&h), HANDSHAKE_RECEIVE);
		compose(version, HANDSHAKE_SYNC_ACK, version ? &ada : &nobody, &bob);
		assert_int_equal(feed(&h), HANDSHAKE_GO_TO_RTS);
		assert_int_equal(h.peer.address.qp_num, bob.address.qp_num);
		assert_int_equal(vbm_handshake_step(&h, HANDSHAKE_IN_RTS, 0), HANDSHAKE_SEND);
		m = said(&h);
		assert_int_equal(m.flag, HANDSHAKE_ACK);
		assert_int_equal(m.client.address.qp_num, ada.address.qp_num);
		assert_int_equal(sent_all(&h), HANDSHAKE_DONE);
	}
}

/* Bring a handshake of that role and version into that state, by the normal way. */
static bool bring(struct handshake *h, bool is_client, int version, enum handshake_state wanted)
{
	enum handshake_action action;

	start(h, is_client, 1 << version);
	if (wanted == HANDSHAKE_NEW)
		return true;
	action = vbm_handshake_step(h, HANDSHAKE_BEGIN, 0);
	while (h->state != wanted && action != HANDSHAKE_DONE) {
		if (action == HANDSHAKE_SEND) {
			action = sent_all(h);
		} else if (action == HANDSHAKE_GO_TO_RTS && wanted == HANDSHAKE_SENDS_REFUSAL) {
			if (is_client || version == 0)
				return false;
			action = vbm_handshake_step(h, HANDSHAKE_REFUSE, HANDSHAKE_BUSY);
		} else if (action == HANDSHAKE_GO_TO_RTS) {
			action = vbm_handshake_step(h, HANDSHAKE_IN_RTS, 0);
		} else {
			compose_next(h);
			action = feed(h);
		}
	}
	return h->state == wanted;
}

TEST(test_state__server__is_connected_by_the_ack)
{
	struct handshake_end other = ada;
	struct handshake_message m;
	struct handshake h;
	int version;

	other.address.qp_num++;
	for (version = 0; version < 2; version++) {
		assert_true(bring(&h, false, version, HANDSHAKE_AWAITS_ACK));
		m = said(&h);
		assert_int_equal(m.flag, HANDSHAKE_SYNC_ACK);
		assert_int_equal(m.server.address.qp_num, bob.address.qp_num);
		assert_int_equal(m.client.address.qp_num, ada.address.qp_num);
		compose(version, HANDSHAKE_ACK, &ada, &bob);
		assert_int_equal(feed(&h), HANDSHAKE_DONE);

		assert_true(bring(&h, false, version, HANDSHAKE_AWAITS_ACK));
		compose(version, HANDSHAKE_ACK, &other, &bob);
		assert_int_equal(feed(&h), HANDSHAKE_STOP);
		expect_failure(&h, EPROTO, "values that differ from the first message");
	}
}

/* Every message in every state: only the expected one makes progress. */
TEST(test_state__each_message_in_each_state)
{
	static const uint8_t right[HANDSHAKE_STATES] = {
		[HANDSHAKE_AWAITS_SYNC] = 1, [HANDSHAKE_AWAITS_SYNC_ACK] = 3,
		[HANDSHAKE_AWAITS_ACK] = 2,
	};
	struct handshake h;
	int role, version, s, flag, went_on = 0;

	for (role = 0; role < 2; role++)
		for (version = 0; version < 2; version++)
			for (s = HANDSHAKE_NEW; s < HANDSHAKE_SENDS_REFUSAL; s++)
				for (flag = 0; flag < 256; flag++) {
					if (!bring(&h, role, version, (enum handshake_state)s))
						continue;
					compose(version, (enum handshake_flag)flag, &ada,
						flag == 1 ? &nobody : &bob);
					/* Otherwise it is a refusal whose length is too large. */
					length = flag == 4 && version ? HANDSHAKE_REFUSAL_BYTES : length;
					feed(&h);
					assert_int_equal(h.state == HANDSHAKE_FAILED,
							 flag != right[s] || !flag);
					went_on += h.state != HANDSHAKE_FAILED;
					if (h.state == HANDSHAKE_FAILED)
						assert_int_equal(h.error, EPROTO);
				}
	assert_int_equal(went_on, 6);
}

/* Every other event in every state. */
TEST(test_state__each_event_in_each_state)
{
	static const int error_of[HANDSHAKE_EVENTS] = {
		[HANDSHAKE_BEGIN] = EPROTO, [HANDSHAKE_SENT] = EPROTO, [HANDSHAKE_IN_RTS] = EPROTO,
		[HANDSHAKE_REFUSE] = EPROTO, [HANDSHAKE_CLOSED] = ECONNRESET,
		[HANDSHAKE_TIMEOUT] = ETIMEDOUT,
	};
	struct handshake h;
	int role, version, s, event, went_on = 0;
	size_t n;

	for (role = 0; role < 2; role++)
		for (version = 0; version < 2; version++)
			for (s = HANDSHAKE_NEW; s < HANDSHAKE_SENDS_REFUSAL; s++)
				for (event = 0; event < HANDSHAKE_EVENTS; event++) {
					if (event == HANDSHAKE_RECEIVED ||
					    !bring(&h, role, version, (enum handshake_state)s))
						continue;
					vbm_handshake_rest(&h, &n);
					vbm_handshake_step(&h, (enum handshake_event)event,
							   event == HANDSHAKE_REFUSE ? 0 : n);
					if (h.state == HANDSHAKE_FAILED)
						assert_int_equal(h.error, error_of[event]);
					else
						went_on++;
				}
	/* BEGIN, SENT twice and IN_RTS for the client; BEGIN, IN_RTS and SENT for the server. */
	assert_int_equal(went_on, 2 * 7);
}

TEST(test_state__an_end_is_an_end)
{
	struct handshake h;
	int event, version;

	for (version = 0; version < 2; version++) {
		assert_true(bring(&h, true, version, HANDSHAKE_CONNECTED));
		for (event = 0; event < HANDSHAKE_EVENTS; event++)
			assert_int_equal(vbm_handshake_step(&h, (enum handshake_event)event, 1),
					 HANDSHAKE_DONE);
		assert_true(bring(&h, false, version, HANDSHAKE_AWAITS_ACK));
		vbm_handshake_step(&h, HANDSHAKE_TIMEOUT, 0);
		for (event = 0; event < HANDSHAKE_EVENTS; event++)
			assert_int_equal(vbm_handshake_step(&h, (enum handshake_event)event, 1),
					 HANDSHAKE_STOP);
		assert_int_equal(h.error, ETIMEDOUT);
	}
}

/* A message cut off at any byte is incomplete; then the peer closes or stays silent. */
TEST(test_state__each_truncation)
{
	static const enum handshake_state awaits[2][2] = {
		{HANDSHAKE_AWAITS_SYNC, HANDSHAKE_AWAITS_ACK},
		{HANDSHAKE_AWAITS_SYNC_ACK, HANDSHAKE_AWAITS_SYNC_ACK},
	};
	struct handshake h;
	int role, version, which, silent;
	size_t n, whole;

	for (role = 0; role < 2; role++)
		for (version = 0; version < 2; version++)
			for (which = 0; which < 2; which++)
				for (silent = 0, n = 0, whole = 1; n < whole; n += silent, silent ^= 1) {
					assert_true(bring(&h, role, version, awaits[role][which]));
					compose_next(&h);
					whole = length;
					length = n;
					assert_int_equal(feed(&h), HANDSHAKE_RECEIVE);
					vbm_handshake_step(&h, silent ? HANDSHAKE_TIMEOUT :
							   HANDSHAKE_CLOSED, 0);
					assert_int_equal(h.error, silent ? ETIMEDOUT : ECONNRESET);
				}
}

TEST(test_state__pieces_of_any_size)
{
	struct handshake h;
	size_t piece;
	int version;

	for (version = 0; version < 2; version++)
		for (piece = 1; piece < 80; piece++) {
			assert_true(bring(&h, false, version, HANDSHAKE_AWAITS_SYNC));
			compose_next(&h);
			assert_int_equal(feed_pieces(&h, piece), HANDSHAKE_GO_TO_RTS);
			assert_int_equal(vbm_handshake_step(&h, HANDSHAKE_IN_RTS, 0), HANDSHAKE_SEND);
			assert_int_equal(vbm_handshake_step(&h, HANDSHAKE_SENT, 1), HANDSHAKE_SEND);
			assert_int_equal(sent_all(&h), HANDSHAKE_RECEIVE);
			compose_next(&h);
			assert_int_equal(feed_pieces(&h, piece), HANDSHAKE_DONE);
		}
	assert_true(bring(&h, false, 1, HANDSHAKE_AWAITS_SYNC));
	assert_int_equal(vbm_handshake_step(&h, HANDSHAKE_RECEIVED, HANDSHAKE_BYTES_MAX + 1),
			 HANDSHAKE_STOP);
	assert_true(bring(&h, true, 1, HANDSHAKE_SENDS_SYNC));
	assert_int_equal(vbm_handshake_step(&h, HANDSHAKE_SENT, 100), HANDSHAKE_STOP);
}

/* A repeated message is not accepted a second time, nor in another connection. */
TEST(test_state__replays)
{
	struct handshake_end later = bob;
	struct handshake h;

	assert_true(bring(&h, false, 1, HANDSHAKE_AWAITS_ACK));
	compose(1, HANDSHAKE_SYNC, &ada, &nobody);
	assert_int_equal(feed(&h), HANDSHAKE_STOP);
	expect_failure(&h, EPROTO, "a message at the wrong step");

	/* The same client and the same queue pair, but with another first packet number. */
	later.psn = 5;
	vbm_handshake_init(&h, false, BOTH, &later, &plain);
	vbm_handshake_step(&h, HANDSHAKE_BEGIN, 0);
	compose(1, HANDSHAKE_SYNC, &ada, &nobody);
	assert_int_equal(feed(&h), HANDSHAKE_GO_TO_RTS);
	vbm_handshake_step(&h, HANDSHAKE_IN_RTS, 0);
	sent_all(&h);
	compose(1, HANDSHAKE_ACK, &ada, &bob);
	assert_int_equal(feed(&h), HANDSHAKE_STOP);
	expect_failure(&h, EPROTO, "wrong values for this end");

	/* An answer for another end, and a first message with values that it cannot know yet. */
	assert_true(bring(&h, true, 1, HANDSHAKE_AWAITS_SYNC_ACK));
	compose(1, HANDSHAKE_SYNC_ACK, &bob, &bob);
	assert_int_equal(feed(&h), HANDSHAKE_STOP);
	assert_true(bring(&h, false, 1, HANDSHAKE_AWAITS_SYNC));
	compose(1, HANDSHAKE_SYNC, &ada, &bob);
	assert_int_equal(feed(&h), HANDSHAKE_STOP);
}

/*
 * No bytes may follow the first message before its answer; bytes after the third belong to
 * the programs.
 */
TEST(test_state__more_than_one_message)
{
	struct handshake h;
	size_t n, room;
	int version;

	for (version = 0; version < 2; version++) {
		assert_true(bring(&h, false, version, HANDSHAKE_AWAITS_SYNC));
		compose_next(&h);
		n = length++;
		assert_int_equal(feed(&h), HANDSHAKE_STOP);
		expect_failure(&h, EPROTO, "more than one message");
		assert_true(bring(&h, false, version, HANDSHAKE_AWAITS_ACK));
		vbm_handshake_room(&h, &room);
		assert_int_equal(room, n);
	}
}

/* Both ends are clients: each gets the other's first message as an answer. */
TEST(test_state__simultaneous_open__fails_on_both_ends)
{
	struct handshake h;
	int version;

	for (version = 0; version < 2; version++) {
		assert_true(bring(&h, true, version, HANDSHAKE_AWAITS_SYNC_ACK));
		compose(version, HANDSHAKE_SYNC, &bob, &nobody);
		assert_int_equal(feed(&h), HANDSHAKE_STOP);
		expect_failure(&h, EPROTO, "a message at the wrong step");
	}
}

TEST(test_gid__is_the_address_it_speaks_from)
{
	struct handshake h;

	assert_true(bring(&h, false, 1, HANDSHAKE_AWAITS_SYNC));
	h.check_gid = true;
	h.gid = ada.address.gid;
	compose_next(&h);
	assert_int_equal(feed(&h), HANDSHAKE_GO_TO_RTS);
	assert_true(bring(&h, false, 1, HANDSHAKE_AWAITS_SYNC));
	h.check_gid = true;
	h.gid = bob.address.gid;
	compose_next(&h);
	assert_int_equal(feed(&h), HANDSHAKE_STOP);
	expect_failure(&h, EPROTO, "a GID that is not its address");
}
