/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/handshake/plain.c lib/handshake/state.c lib/handshake/drive.c */
/* The plain struct of docs/handshake.md: its bytes, both ends without a socket, its options. */
#include "cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "lib/handshake/drive.h"

static const struct handshake_end ada = {.address = {.qp_num = 0x010203, .lid = 0x0a0b, .gid.raw = {1, 2}}};
static const struct handshake_end bob = {.address = {.qp_num = 0xfffffe, .lid = 7, .gid.raw = {[15] = 9}}};
static const struct vbm_qp_terms terms = {4096, 1, 2, 3, 4};
static uint8_t bytes[HANDSHAKE_BYTES_MAX];

/* The struct of the document, with the smallest header that has a flag. */
struct printed {
	struct {
		uint32_t flag;
	} header;
	uint16_t magic, lid, peer_lid;
	uint32_t qp_num, peer_qp_num;
	union ibv_gid gid, peer_gid;
} __attribute__((packed));

static size_t compose(const struct vbm_handshake_plain *plain, int flag)
{
	struct handshake_message m = {.flag = (uint8_t)flag, .client = ada, .server = bob};

	memset(bytes, 0xee, sizeof(bytes));
	return vbm_handshake_encode_plain(bytes, &m, plain);
}

TEST(test_plain__default__is_the_struct_in_memory)
{
	struct vbm_handshake_plain plain = {.magic = 0};
	struct printed p;

	vbm_handshake_complete(&plain);
	assert_int_equal(compose(&plain, HANDSHAKE_SYNC_ACK), sizeof(p));
	memcpy(&p, bytes, sizeof(p));
	assert_int_equal(p.header.flag, 3);
	assert_int_equal(p.magic, 0x5642);
	assert_int_equal(p.lid, 0x0a0b);
	assert_int_equal(p.peer_lid, 7);
	assert_int_equal(p.qp_num, 0x010203);
	assert_int_equal(p.peer_qp_num, 0xfffffe);
	assert_memory_equal(&p.gid, &ada.address.gid, 16);
	assert_memory_equal(&p.peer_gid, &bob.address.gid, 16);
	assert_int_equal(bytes[sizeof(p)], 0xee);
}

TEST(test_plain__another_header__is_sent_and_read)
{
	struct vbm_handshake_plain plain = {
		.header = "ABCDEFGHIJKL", .header_length = 12, .flag_offset = 9, .flag_length = 2,
		.magic = 0x1122, .sync = 0x100, .ack = 0x8000, .network_order = 1,
	};
	struct handshake_message m;

	vbm_handshake_complete(&plain);
	assert_int_equal(compose(&plain, HANDSHAKE_SYNC_ACK), 12 + 46);
	assert_memory_equal(bytes, "ABCDEFGHI\x81\x00L\x11\x22\x0a\x0b\x00\x07\x00\x01\x02\x03\x00\xff\xff\xfe", 26);
	memset(bytes, 'x', 9);
	assert_null(vbm_handshake_decode_plain(&m, bytes, &plain));
	assert_int_equal(m.flag, HANDSHAKE_SYNC_ACK);
	assert_true(vbm_handshake_same(&m.client, &ada));
	assert_true(vbm_handshake_same(&m.server, &bob));
}

TEST(test_plain__each_flag__is_compared_as_a_whole)
{
	struct vbm_handshake_plain plain = {.header_length = 1, .flag_length = 1, .sync = 4, .ack = 16};
	struct handshake_message m;
	int flag;

	vbm_handshake_complete(&plain);
	for (flag = 0; flag < 256; flag++) {
		compose(&plain, HANDSHAKE_SYNC);
		bytes[0] = (uint8_t)flag;
		if (flag == 4 || flag == 16 || flag == 20)
			assert_null(vbm_handshake_decode_plain(&m, bytes, &plain));
		else
			assert_string_equal(vbm_handshake_decode_plain(&m, bytes, &plain), "an unknown flag");
		assert_int_equal(m.flag, flag == 4 ? HANDSHAKE_SYNC : flag == 16 ? HANDSHAKE_ACK :
					 flag == 20 ? HANDSHAKE_SYNC_ACK : 0);
	}
}

TEST(test_plain__mistakes__are_told)
{
	static const struct {
		size_t at;
		uint8_t byte;
		const char *why;
	} row[] = {
		{4, 0x43, "a wrong magic"}, {3, 1, "an unknown flag"},
		{13, 1, "a queue pair number of more than 24 bits"},
	};
	struct vbm_handshake_plain plain = {.magic = 0}, other = {.network_order = 1};
	struct handshake_message m;
	size_t i;

	vbm_handshake_complete(&plain);
	vbm_handshake_complete(&other);
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		compose(&plain, HANDSHAKE_SYNC);
		bytes[row[i].at] = row[i].byte;
		assert_string_equal(vbm_handshake_decode_plain(&m, bytes, &plain), row[i].why);
	}
	compose(&plain, HANDSHAKE_SYNC);
	memset(bytes + 4 + 14, 0, 16);
	assert_string_equal(vbm_handshake_decode_plain(&m, bytes, &plain), "no GID");
	compose(&other, HANDSHAKE_SYNC);
	assert_string_equal(vbm_handshake_decode_plain(&m, bytes, &plain), "a magic in another byte order");
}

/* Hands what @from says to @to, one byte at a time. */
static enum handshake_action pass(struct handshake *from, struct handshake *to)
{
	enum handshake_action action = HANDSHAKE_RECEIVE;
	size_t n, i, room;
	const uint8_t *rest = vbm_handshake_rest(from, &n);

	for (i = 0; i < n && action == HANDSHAKE_RECEIVE; i++) {
		*vbm_handshake_room(to, &room) = rest[i];
		action = vbm_handshake_step(to, HANDSHAKE_RECEIVED, 1);
	}
	assert_int_equal(i, n);
	vbm_handshake_step(from, HANDSHAKE_SENT, n);
	return action;
}

static void start(struct handshake *h, bool is_client, const struct vbm_handshake_plain *plain)
{
	vbm_handshake_init(h, is_client, 1, is_client ? &ada : &bob, &terms);
	h->is_plain = true;
	h->plain = *plain;
	vbm_handshake_complete(&h->plain);
	vbm_handshake_step(h, HANDSHAKE_BEGIN, 0);
}

TEST(test_plain__two_ends__connect)
{
	static const struct vbm_handshake_plain form[] = {
		{.magic = 0}, {.header_length = 64, .flag_offset = 56, .flag_length = 8},
	};
	struct handshake client, server;
	struct vbm_qp_terms agreed;
	size_t i;

	for (i = 0; i < 2; i++) {
		start(&client, true, &form[i]);
		start(&server, false, &form[i]);
		assert_int_equal(pass(&client, &server), HANDSHAKE_GO_TO_RTS);
		assert_int_equal(vbm_handshake_step(&server, HANDSHAKE_IN_RTS, 0), HANDSHAKE_SEND);
		assert_int_equal(pass(&server, &client), HANDSHAKE_GO_TO_RTS);
		assert_int_equal(vbm_handshake_step(&client, HANDSHAKE_IN_RTS, 0), HANDSHAKE_SEND);
		assert_int_equal(pass(&client, &server), HANDSHAKE_DONE);
		assert_int_equal(client.state, HANDSHAKE_CONNECTED);
		assert_int_equal(server.state, HANDSHAKE_CONNECTED);
		assert_true(vbm_handshake_same(&server.peer, &ada) && vbm_handshake_same(&client.peer, &bob));
		vbm_handshake_terms(&client, &agreed);
		assert_memory_equal(&agreed, &terms, sizeof(terms));
	}
}

TEST(test_plain__another_version__is_a_mistake)
{
	static const struct vbm_handshake_plain form = {.magic = 0};
	struct handshake_message m = {.version = 0, .flag = HANDSHAKE_SYNC, .client = ada};
	struct handshake server;
	size_t n, length;

	start(&server, false, &form);
	length = vbm_handshake_encode(bytes, &m);
	memcpy(vbm_handshake_room(&server, &n), bytes, length);
	assert_int_equal(vbm_handshake_step(&server, HANDSHAKE_RECEIVED, length), HANDSHAKE_STOP);
	assert_int_equal(server.error, EPROTO);
}

TEST(test_plain__options__are_checked)
{
	static const struct {
		struct vbm_handshake_plain plain;
		const char *why;	/* NULL: they are right */
	} row[] = {
		{{.magic = 0}, NULL},
		{{.header_length = 64, .flag_offset = 62, .flag_length = 2}, NULL},
		{{.header_length = 1, .flag_length = 1, .sync = 0x80, .ack = 0x7f}, NULL},
		{{.header_length = 65}, "plain.header_length: 65 is more than 64"},
		{{.flag_length = 3}, "plain.flag_length: 3 is not 1, 2, 4 or 8"},
		{{.header_length = 32, .flag_length = 16}, "plain.flag_length: 16 is not 1, 2, 4 or 8"},
		{{.flag_offset = 1}, "plain.flag_offset: the flag ends at byte 5, and the header has 4 bytes"},
		{{.header_length = 2}, "plain.flag_offset: the flag ends at byte 4, and the header has 2 bytes"},
		{{.sync = 1, .ack = 1}, "plain.sync, plain.ack: 0x1 and 0x1 are not two flags in 4 bytes"},
		{{.sync = 1, .ack = 3}, "plain.sync, plain.ack: 0x1 and 0x3 are not two flags in 4 bytes"},
		{{.sync = 2}, "plain.sync, plain.ack: 0x2 and 0 are not two flags in 4 bytes"},
		{{.flag_length = 1, .sync = 1, .ack = 0x100}, "plain.sync, plain.ack: 0x1 and 0x100 are not two flags in 1 bytes"},
	};
	struct vbm_handshake_options o = {.version = VBM_HANDSHAKE_PLAIN, .private_data = "x", .private_length = 1};
	struct vbm_error error;
	size_t i;

	assert_int_equal(vbm_handshake_check(&o, &error), EINVAL);
	assert_string_equal(error.msg, "private_length: the plain struct cannot carry private data");
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		o = (struct vbm_handshake_options){.version = VBM_HANDSHAKE_PLAIN, .plain = row[i].plain};
		assert_int_equal(vbm_handshake_check(&o, &error), row[i].why ? EINVAL : 0);
		if (row[i].why)
			assert_string_equal(error.msg, row[i].why);
		o.version = VBM_HANDSHAKE_ANY;
		assert_int_equal(vbm_handshake_check(&o, &error), 0);
	}
}
