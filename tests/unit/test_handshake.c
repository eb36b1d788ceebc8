/* SPDX-License-Identifier: BSD-2-Clause */
/* The handshake's messages and its state machine, without a socket. */
#include "cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "handshake-state.h"

static const struct vbm_qp_address ada = {.qp_num = 0x010203, .lid = 0x0a0b, .gid.raw = {1, 2}};
static const struct vbm_qp_address bob = {.qp_num = 0xffffff, .lid = 7, .gid.raw = {[15] = 9}};

static const uint8_t *message(enum handshake_flag flag, const struct vbm_qp_address *client,
			      const struct vbm_qp_address *server)
{
	static uint8_t bytes[HANDSHAKE_BYTES];
	struct handshake_message m = {.flag = (uint8_t)flag, .client = *client, .server = *server};

	vbm_handshake_encode(bytes, &m);
	return bytes;
}

static const struct vbm_qp_address nobody;

/* docs/handshake.md: offsets behind a header of four bytes. */
static void test_message__is_laid_out_as_the_page_says(void **state)
{
	const uint8_t *b = message(HANDSHAKE_SYNC_ACK, &ada, &bob);

	(void)state;
	assert_int_equal(b[0], 0);
	assert_int_equal(b[1], 3);
	assert_int_equal(b[2] << 8 | b[3], HANDSHAKE_BYTES);
	assert_int_equal(b[4] << 8 | b[5], HANDSHAKE_MAGIC);
	assert_memory_equal(b + 6, "\x0a\x0b", 2);
	assert_memory_equal(b + 8, "\x00\x07", 2);
	assert_memory_equal(b + 10, "\x00\x01\x02\x03", 4);
	assert_memory_equal(b + 14, "\x00\xff\xff\xff", 4);
	assert_memory_equal(b + 18, ada.gid.raw, 16);
	assert_memory_equal(b + 34, bob.gid.raw, 16);
}

static void test_message__comes_back(void **state)
{
	struct handshake_message m;

	(void)state;
	assert_null(vbm_handshake_decode(&m, message(HANDSHAKE_ACK, &ada, &bob)));
	assert_int_equal(m.flag, HANDSHAKE_ACK);
	assert_memory_equal(&m.client.gid, &ada.gid, 16);
	assert_int_equal(m.client.qp_num, ada.qp_num);
	assert_int_equal(m.client.lid, ada.lid);
	assert_int_equal(m.server.qp_num, bob.qp_num);
	assert_null(vbm_handshake_decode(&m, message(HANDSHAKE_SYNC, &ada, &nobody)));
}

static void test_message__what_is_wrong__is_said(void **state)
{
	static const struct {
		int at, value;
		const char *why;
	} row[] = {
		{0, 1, "a version other than 0"}, {1, 0, "an unknown flag"},
		{1, 4, "an unknown flag"}, {1, 7, "an unknown flag"}, {1, 255, "an unknown flag"},
		{2, 1, "a wrong length"}, {3, 49, "a wrong length"}, {4, 0, "a wrong magic"},
		{5, 0, "a wrong magic"}, {10, 1, "a queue pair number of more than 24 bits"},
	};
	struct handshake_message m;
	uint8_t bytes[HANDSHAKE_BYTES];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		memcpy(bytes, message(HANDSHAKE_SYNC, &ada, &bob), sizeof(bytes));
		bytes[row[i].at] = (uint8_t)row[i].value;
		assert_string_equal(vbm_handshake_decode(&m, bytes), row[i].why);
	}
	assert_string_equal(vbm_handshake_decode(&m, message(HANDSHAKE_SYNC, &nobody, &bob)), "no GID");
	assert_string_equal(vbm_handshake_decode(&m, message(HANDSHAKE_SYNC_ACK, &ada, &nobody)),
			    "no GID");
}

static void test_state__client__goes_the_five_steps(void **state)
{
	struct handshake_message m;
	struct handshake h;

	(void)state;
	vbm_handshake_init(&h, true, &ada);
	assert_int_equal(vbm_handshake_step(&h, HANDSHAKE_BEGIN, NULL), HANDSHAKE_SEND);
	assert_null(vbm_handshake_decode(&m, h.out));
	assert_int_equal(m.flag, HANDSHAKE_SYNC);
	assert_int_equal(m.client.qp_num, ada.qp_num);
	assert_memory_equal(&m.server, &nobody, sizeof(nobody));
	assert_int_equal(vbm_handshake_step(&h, HANDSHAKE_SENT, NULL), HANDSHAKE_RECEIVE);
	assert_int_equal(vbm_handshake_step(&h, HANDSHAKE_RECEIVED,
					    message(HANDSHAKE_SYNC_ACK, &nobody, &bob)),
			 HANDSHAKE_GO_TO_RTS);
	assert_int_equal(h.peer.qp_num, bob.qp_num);
	assert_int_equal(vbm_handshake_step(&h, HANDSHAKE_IN_RTS, NULL), HANDSHAKE_SEND);
	assert_null(vbm_handshake_decode(&m, h.out));
	assert_int_equal(m.flag, HANDSHAKE_ACK);
	assert_int_equal(m.client.qp_num, ada.qp_num);
	assert_int_equal(vbm_handshake_step(&h, HANDSHAKE_SENT, NULL), HANDSHAKE_DONE);
}

static void serve_until_ack(struct handshake *h)
{
	vbm_handshake_init(h, false, &bob);
	assert_int_equal(vbm_handshake_step(h, HANDSHAKE_BEGIN, NULL), HANDSHAKE_RECEIVE);
	assert_int_equal(vbm_handshake_step(h, HANDSHAKE_RECEIVED,
					    message(HANDSHAKE_SYNC, &ada, &nobody)),
			 HANDSHAKE_GO_TO_RTS);
	assert_int_equal(vbm_handshake_step(h, HANDSHAKE_IN_RTS, NULL), HANDSHAKE_SEND);
	assert_int_equal(vbm_handshake_step(h, HANDSHAKE_SENT, NULL), HANDSHAKE_RECEIVE);
	assert_int_equal(h->state, HANDSHAKE_AWAITS_ACK);
}

static void test_state__server__is_connected_by_the_ack(void **state)
{
	struct vbm_qp_address other = ada;
	struct handshake_message m;
	struct handshake h;

	(void)state;
	serve_until_ack(&h);
	assert_null(vbm_handshake_decode(&m, h.out));
	assert_int_equal(m.flag, HANDSHAKE_SYNC_ACK);
	assert_int_equal(m.server.qp_num, bob.qp_num);
	assert_int_equal(m.client.qp_num, ada.qp_num);
	assert_int_equal(vbm_handshake_step(&h, HANDSHAKE_RECEIVED, message(HANDSHAKE_ACK, &ada, &bob)),
			 HANDSHAKE_DONE);

	serve_until_ack(&h);
	other.qp_num++;
	assert_int_equal(vbm_handshake_step(&h, HANDSHAKE_RECEIVED,
					    message(HANDSHAKE_ACK, &other, &bob)), HANDSHAKE_STOP);
	assert_int_equal(h.error, EPROTO);
	assert_string_equal(h.why, "other values than in the first message");
}

/* A handshake of that role in that state, by the way that leads there. */
static bool bring(struct handshake *h, bool is_client, enum handshake_state wanted)
{
	enum handshake_action action;

	vbm_handshake_init(h, is_client, is_client ? &ada : &bob);
	if (wanted == HANDSHAKE_NEW)
		return true;
	action = vbm_handshake_step(h, HANDSHAKE_BEGIN, NULL);
	while (h->state != wanted && action != HANDSHAKE_DONE) {
		if (action == HANDSHAKE_SEND)
			action = vbm_handshake_step(h, HANDSHAKE_SENT, NULL);
		else if (action == HANDSHAKE_GO_TO_RTS)
			action = vbm_handshake_step(h, HANDSHAKE_IN_RTS, NULL);
		else
			action = vbm_handshake_step(h, HANDSHAKE_RECEIVED,
						    is_client ? message(HANDSHAKE_SYNC_ACK, &ada, &bob) :
						    h->state == HANDSHAKE_AWAITS_SYNC ?
						    message(HANDSHAKE_SYNC, &ada, &nobody) :
						    message(HANDSHAKE_ACK, &ada, &bob));
	}
	return h->state == wanted;
}

/* Every message in every state: only the one of the step goes on. */
static void test_state__each_message_in_each_state(void **state)
{
	static const uint8_t right[HANDSHAKE_STATES] = {
		[HANDSHAKE_AWAITS_SYNC] = 1, [HANDSHAKE_AWAITS_SYNC_ACK] = 3,
		[HANDSHAKE_AWAITS_ACK] = 2,
	};
	struct handshake h;
	int role, s, flag;

	(void)state;
	for (role = 0; role < 2; role++)
		for (s = HANDSHAKE_NEW; s < HANDSHAKE_CONNECTED; s++)
			for (flag = 0; flag < 256; flag++) {
				if (!bring(&h, role, (enum handshake_state)s))
					continue;
				vbm_handshake_step(&h, HANDSHAKE_RECEIVED,
						   message((enum handshake_flag)flag, &ada, &bob));
				assert_int_equal(h.state == HANDSHAKE_FAILED, flag != right[s] || !flag);
				if (h.state == HANDSHAKE_FAILED)
					assert_int_equal(h.error, EPROTO);
			}
}

/* Every other event in every state. */
static void test_state__each_event_in_each_state(void **state)
{
	static const int error_of[HANDSHAKE_EVENTS] = {
		[HANDSHAKE_BEGIN] = EPROTO, [HANDSHAKE_SENT] = EPROTO, [HANDSHAKE_IN_RTS] = EPROTO,
		[HANDSHAKE_CLOSED] = ECONNRESET, [HANDSHAKE_TIMEOUT] = ETIMEDOUT,
	};
	struct handshake h;
	int role, s, event, went_on = 0;

	(void)state;
	for (role = 0; role < 2; role++)
		for (s = HANDSHAKE_NEW; s < HANDSHAKE_CONNECTED; s++)
			for (event = 0; event < HANDSHAKE_EVENTS; event++) {
				if (event == HANDSHAKE_RECEIVED || !bring(&h, role, (enum handshake_state)s))
					continue;
				vbm_handshake_step(&h, (enum handshake_event)event, NULL);
				if (h.state == HANDSHAKE_FAILED)
					assert_int_equal(h.error, error_of[event]);
				else
					went_on++;
			}
	/* BEGIN, SENT twice and IN_RTS for the client; BEGIN, IN_RTS and SENT for the server. */
	assert_int_equal(went_on, 7);
}

static void test_state__an_end_is_an_end(void **state)
{
	struct handshake h;
	int event;

	(void)state;
	assert_true(bring(&h, true, HANDSHAKE_CONNECTED));
	for (event = 0; event < HANDSHAKE_EVENTS; event++)
		assert_int_equal(vbm_handshake_step(&h, (enum handshake_event)event,
						    message(HANDSHAKE_SYNC, &ada, &bob)),
				 HANDSHAKE_DONE);
	assert_true(bring(&h, false, HANDSHAKE_AWAITS_ACK));
	vbm_handshake_step(&h, HANDSHAKE_TIMEOUT, NULL);
	for (event = 0; event < HANDSHAKE_EVENTS; event++)
		assert_int_equal(vbm_handshake_step(&h, (enum handshake_event)event,
						    message(HANDSHAKE_ACK, &ada, &bob)),
				 HANDSHAKE_STOP);
	assert_int_equal(h.error, ETIMEDOUT);
}

VBM_TESTS(cmocka_unit_test(test_message__is_laid_out_as_the_page_says),
	  cmocka_unit_test(test_message__comes_back),
	  cmocka_unit_test(test_message__what_is_wrong__is_said),
	  cmocka_unit_test(test_state__client__goes_the_five_steps),
	  cmocka_unit_test(test_state__server__is_connected_by_the_ack),
	  cmocka_unit_test(test_state__each_message_in_each_state),
	  cmocka_unit_test(test_state__each_event_in_each_state),
	  cmocka_unit_test(test_state__an_end_is_an_end));
