/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/handshake/message.c */
/* The messages of the handshake as bytes, and the values on which two ends agree. */
#include "cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "lib/handshake/state.h"

static const struct handshake_end ada = {
	.address = {.qp_num = 0x010203, .lid = 0x0a0b, .gid.raw = {1, 2}},
	.psn = 0x0c0d0e, .capabilities = 0x1112, .gid_index = 3, .mtu = IBV_MTU_1024,
	.responder_resources = 5, .initiator_depth = 6,
};
static const struct handshake_end bob = {
	.address = {.qp_num = 0xffffff, .lid = 7, .gid.raw = {[15] = 9}},
	.psn = 0xffffff, .capabilities = VBM_HANDSHAKE_CAN_READ, .gid_index = 8, .mtu = IBV_MTU_512,
	.responder_resources = 4, .initiator_depth = 16,
};
static const struct handshake_end nobody;
static const struct vbm_qp_terms plain = {4096, 1, 2, 3, 4};
static uint8_t bytes[HANDSHAKE_BYTES_MAX];

static size_t compose(int version, int flag, const struct handshake_end *client,
		      const struct handshake_end *server)
{
	struct handshake_message m = {.version = (uint8_t)version, .flag = (uint8_t)flag,
				      .client = *client, .server = *server};

	memset(bytes, 0xee, sizeof(bytes));
	return vbm_handshake_encode(bytes, &m);
}

/* docs/handshake.md: offsets after a header of four bytes. */
TEST(test_message__is_laid_out_as_the_page_says)
{
	const uint8_t *b = bytes;

	assert_int_equal(compose(0, HANDSHAKE_SYNC_ACK, &ada, &bob), 50);
	assert_memory_equal(b, "\x00\x03\x00\x32\x56\x42", 6);
	assert_memory_equal(b + 6, "\x0a\x0b", 2);
	assert_memory_equal(b + 8, "\x00\x07", 2);
	assert_memory_equal(b + 10, "\x00\x01\x02\x03", 4);
	assert_memory_equal(b + 14, "\x00\xff\xff\xff", 4);
	assert_memory_equal(b + 18, ada.address.gid.raw, 16);
	assert_memory_equal(b + 34, bob.address.gid.raw, 16);
	assert_int_equal(b[50], 0xee);
}

/* vbm_handshake(7). */
TEST(test_message_1__is_laid_out_as_the_page_says)
{
	struct handshake_message m = {.version = 1, .flag = HANDSHAKE_SYNC, .client = ada,
				      .server = bob, .private_data = (const uint8_t *)"abc",
				      .private_length = 3};

	assert_int_equal(vbm_handshake_encode(bytes, &m), 75);
	assert_memory_equal(bytes, "\x01\x01\x00\x4b\x56\x43\x00\x03", 8);
	assert_memory_equal(bytes + 8, "\x0a\x0b\x03\x03\x00\x01\x02\x03\x00\x0c\x0d\x0e\x05\x06\x11\x12",
			    16);
	assert_memory_equal(bytes + 24, ada.address.gid.raw, 16);
	assert_memory_equal(bytes + 40, "\x00\x07\x08\x02\x00\xff\xff\xff\x00\xff\xff\xff\x04\x10\x00\x02",
			    16);
	assert_memory_equal(bytes + 56, bob.address.gid.raw, 16);
	assert_memory_equal(bytes + 72, "abc", 3);
	m = (struct handshake_message){.version = 1, .flag = HANDSHAKE_REFUSAL, .reason = 3, .versions = 2,
				       .private_data = (const uint8_t *)"no", .private_length = 2};
	assert_int_equal(vbm_handshake_encode(bytes, &m), 10);
	assert_memory_equal(bytes, "\x01\x04\x00\x0a\x56\x43\x03\x02no", 10);
}

TEST(test_message__comes_back)
{
	struct handshake_message m;
	int version;

	for (version = 0; version < 2; version++) {
		compose(version, HANDSHAKE_ACK, &ada, &bob);
		assert_null(vbm_handshake_decode(&m, bytes));
		assert_int_equal(m.flag, HANDSHAKE_ACK);
		assert_int_equal(m.version, version);
		assert_memory_equal(&m.client.address, &ada.address, sizeof(ada.address));
		assert_memory_equal(&m.server.address, &bob.address, sizeof(bob.address));
		assert_int_equal(vbm_handshake_same(&m.client, &ada), version == 1);
		compose(version, HANDSHAKE_SYNC, &ada, &nobody);
		assert_null(vbm_handshake_decode(&m, bytes));
	}
}

struct wrong {
	int at, value;
	const char *why;
};

static void expect_wrong(int version, const struct wrong *row)
{
	size_t n = compose(version, HANDSHAKE_SYNC, &ada, &bob), length;
	struct handshake_message m;
	const char *why;

	bytes[row->at] = (uint8_t)row->value;
	why = vbm_handshake_head(bytes, &length);
	if (!why) {
		assert_int_equal(length, n);
		why = vbm_handshake_decode(&m, bytes);
	}
	assert_non_null(why);
	assert_string_equal(why, row->why);
}

TEST(test_message__what_is_wrong__is_said)
{
	static const struct wrong row[] = {
		{0, 1, "a wrong magic"}, {1, 0, "an unknown flag"},
		{1, 4, "an unknown flag"}, {1, 7, "an unknown flag"}, {1, 255, "an unknown flag"},
		{2, 1, "a wrong length"}, {3, 49, "a wrong length"}, {4, 0, "a wrong magic"},
		{5, 0, "a wrong magic"}, {10, 1, "a queue pair number of more than 24 bits"},
	};
	struct handshake_message m;
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		expect_wrong(0, &row[i]);
	compose(0, HANDSHAKE_SYNC, &nobody, &bob);
	assert_string_equal(vbm_handshake_decode(&m, bytes), "no GID");
	compose(0, HANDSHAKE_SYNC_ACK, &ada, &nobody);
	assert_string_equal(vbm_handshake_decode(&m, bytes), "no GID");
}

TEST(test_message_1__what_is_wrong__is_said)
{
	static const struct wrong row[] = {
		{0, 0, "a wrong magic"}, {1, 0, "an unknown flag"}, {1, 5, "an unknown flag"},
		{2, 2, "a wrong length"}, {3, 71, "a wrong length"}, {5, 0x42, "a wrong magic"},
		{7, 1, "two lengths that do not agree"}, {6, 1, "two lengths that do not agree"},
		{11, 0, "an unknown path MTU"}, {11, 6, "an unknown path MTU"},
		{12, 1, "a queue pair number of more than 24 bits"},
		{16, 1, "a packet number of more than 24 bits"}, {24, 0xff, "a multicast GID"},
	};
	struct handshake_message m;
	struct handshake_end e = ada;
	uint32_t qp_num[] = {0, 1, 0xffffff};
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		expect_wrong(1, &row[i]);
	for (i = 0; i < 3; i++) {
		e.address.qp_num = qp_num[i];
		compose(1, HANDSHAKE_SYNC, &e, &nobody);
		assert_string_equal(vbm_handshake_decode(&m, bytes),
				    "a queue pair number that no connected queue pair has");
	}
	compose(1, HANDSHAKE_SYNC, &nobody, &bob);
	assert_string_equal(vbm_handshake_decode(&m, bytes), "no GID");
	compose(1, HANDSHAKE_ACK, &ada, &ada);
	bytes[3]++;
	bytes[7] = 1;
	assert_string_equal(vbm_handshake_decode(&m, bytes), "private data in the third message");
}

/* The longest accepted message, and one with one byte more; for both kinds with private data. */
TEST(test_message_1__private_data__have_a_limit)
{
	static const uint8_t data[VBM_HANDSHAKE_PRIVATE_MAX] = {[VBM_HANDSHAKE_PRIVATE_MAX - 1] = 7};
	struct handshake_message m = {.version = 1, .client = ada, .private_data = data,
				      .private_length = sizeof(data)}, back;
	size_t n, length;
	int i;

	for (i = 0; i < 2; i++) {
		m.flag = i ? HANDSHAKE_REFUSAL : HANDSHAKE_SYNC;
		n = vbm_handshake_encode(bytes, &m);
		assert_in_range(n, 1, HANDSHAKE_BYTES_MAX);
		assert_null(vbm_handshake_head(bytes, &length));
		assert_int_equal(length, n);
		assert_null(vbm_handshake_decode(&back, bytes));
		assert_int_equal(back.private_length, sizeof(data));
		assert_memory_equal(back.private_data, data, sizeof(data));
		n++;
		bytes[2] = (uint8_t)(n >> 8);
		bytes[3] = (uint8_t)n;
		assert_string_equal(vbm_handshake_head(bytes, &length), "a wrong length");
	}
}

static struct handshake h;

static enum handshake_action feed(size_t n)
{
	enum handshake_action action = HANDSHAKE_RECEIVE;
	size_t at, part;
	uint8_t *room;

	for (at = 0; at < n && action == HANDSHAKE_RECEIVE; at += part) {
		room = vbm_handshake_room(&h, &part);
		part = part < n - at ? part : n - at;
		memcpy(room, bytes + at, part);
		action = vbm_handshake_step(&h, HANDSHAKE_RECEIVED, part);
	}
	return action;
}

static void begin(bool is_client, int versions)
{
	vbm_handshake_init(&h, is_client, (uint8_t)versions, is_client ? &ada : &bob, &plain);
	vbm_handshake_step(&h, HANDSHAKE_BEGIN, 0);
	if (is_client)
		vbm_handshake_step(&h, HANDSHAKE_SENT, h.length);
}

/* A server uses the version of the client, or tells its own versions. */
TEST(test_versions__server)
{
	int speaks, version;

	for (speaks = 1; speaks <= 3; speaks++)
		for (version = 0; version < 4; version++) {
			size_t n = compose(version, HANDSHAKE_SYNC, &ada, &nobody);

			begin(false, speaks);
			if (speaks >> version & 1) {
				assert_int_equal(feed(n), HANDSHAKE_GO_TO_RTS);
				assert_int_equal(h.version, version);
				continue;
			}
			assert_int_equal(feed(n), version ? HANDSHAKE_SEND : HANDSHAKE_STOP);
			assert_int_equal(h.error, EPROTONOSUPPORT);
			if (!version)
				continue;
			assert_int_equal(h.length, 8);
			assert_memory_equal(h.out, "\x01\x04\x00\x08\x56\x43\x01", 7);
			assert_int_equal(h.out[7], speaks);
			assert_int_equal(vbm_handshake_step(&h, HANDSHAKE_SENT, 8), HANDSHAKE_STOP);
			assert_int_equal(h.error, EPROTONOSUPPORT);
		}
}

/*
 * For a client, a refusal says why; a closed connection may mean that the peer knows
 * version 0 only.
 */
TEST(test_versions__client)
{
	static const int error[] = {EPROTO, EPROTONOSUPPORT, EBUSY, ECONNREFUSED, EPROTO, EPROTO};
	int reason;

	for (reason = 0; reason < 6; reason++) {
		struct handshake_message m = {.version = 1, .flag = HANDSHAKE_REFUSAL,
					      .reason = (uint8_t)reason,
					      .private_data = (const uint8_t *)"sorry",
					      .private_length = 5};

		begin(true, 3);
		assert_int_equal(feed(vbm_handshake_encode(bytes, &m)), HANDSHAKE_STOP);
		assert_int_equal(h.error, error[reason]);
		assert_int_equal(h.peer_private_length, 5);
		assert_memory_equal(vbm_handshake_private(&h), "sorry", 5);
	}
	begin(true, 3);
	vbm_handshake_step(&h, HANDSHAKE_CLOSED, 0);
	assert_int_equal(h.error, EPROTONOSUPPORT);
	begin(true, 2);
	vbm_handshake_step(&h, HANDSHAKE_CLOSED, 0);
	assert_int_equal(h.error, ECONNRESET);
	/* A part of an answer counts as an answer. */
	begin(true, 3);
	compose(1, HANDSHAKE_SYNC_ACK, &ada, &bob);
	feed(1);
	vbm_handshake_step(&h, HANDSHAKE_CLOSED, 0);
	assert_int_equal(h.error, ECONNRESET);
	/* An answer in version 0 to a message of version 1. */
	begin(true, 3);
	assert_int_equal(feed(compose(0, HANDSHAKE_SYNC_ACK, &ada, &bob)), HANDSHAKE_STOP);
	assert_string_equal(h.why, "a message of another version");
}

/*
 * A refusal by the program is sent with its reason, and the reason stays even if the
 * socket fails.
 */
TEST(test_refusal__keeps_its_reason)
{
	int how;

	for (how = 0; how < 3; how++) {
		begin(false, 3);
		feed(compose(1, HANDSHAKE_SYNC, &ada, &nobody));
		h.private_data = "full";
		h.private_length = 4;
		assert_int_equal(vbm_handshake_step(&h, HANDSHAKE_REFUSE, HANDSHAKE_BY_PROGRAM),
				 HANDSHAKE_SEND);
		assert_memory_equal(h.out, "\x01\x04\x00\x0c\x56\x43\x03\x03" "full", 12);
		vbm_handshake_step(&h, how == 0 ? HANDSHAKE_SENT : how == 1 ? HANDSHAKE_CLOSED :
				   HANDSHAKE_TIMEOUT, 12);
		assert_int_equal(h.state, HANDSHAKE_FAILED);
		assert_int_equal(h.error, ECONNREFUSED);
	}
	begin(false, 3);
	feed(compose(0, HANDSHAKE_SYNC, &ada, &nobody));
	assert_int_equal(vbm_handshake_step(&h, HANDSHAKE_REFUSE, HANDSHAKE_BUSY), HANDSHAKE_STOP);
	assert_int_equal(h.error, EBUSY);
}

TEST(test_terms__the_smaller_wins)
{
	struct handshake_end greedy = bob;
	struct vbm_qp_terms t;

	greedy.address.qp_num = 17;
	begin(true, 3);
	feed(compose(1, HANDSHAKE_SYNC_ACK, &ada, &greedy));
	vbm_handshake_terms(&h, &t);
	assert_int_equal(t.mtu, 512);
	assert_int_equal(t.sq_psn, ada.psn);
	assert_int_equal(t.rq_psn, bob.psn);
	assert_int_equal(t.max_rd_atomic, 4);
	assert_int_equal(t.max_dest_rd_atomic, 5);
	begin(true, 1);
	feed(compose(0, HANDSHAKE_SYNC_ACK, &ada, &bob));
	vbm_handshake_terms(&h, &t);
	assert_memory_equal(&t, &plain, sizeof(t));
}

/* The private data of the first message stay until the end. */
TEST(test_private_data__outlive_the_third_message)
{
	struct handshake_message m = {.version = 1, .flag = HANDSHAKE_SYNC, .client = ada,
				      .private_data = (const uint8_t *)"hello", .private_length = 5};
	struct handshake_end server = bob;

	server.address.qp_num = 17;
	vbm_handshake_init(&h, false, 3, &server, &plain);
	vbm_handshake_step(&h, HANDSHAKE_BEGIN, 0);
	feed(vbm_handshake_encode(bytes, &m));
	vbm_handshake_step(&h, HANDSHAKE_IN_RTS, 0);
	vbm_handshake_step(&h, HANDSHAKE_SENT, h.length);
	assert_int_equal(feed(compose(1, HANDSHAKE_ACK, &ada, &server)), HANDSHAKE_DONE);
	assert_int_equal(h.peer_private_length, 5);
	assert_memory_equal(vbm_handshake_private(&h), "hello", 5);
}
