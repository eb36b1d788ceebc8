/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: codec/build.c codec/icrc.c codec/opcode.c */
#include "cmocka_all.h"

#include <infiniband/opcode.h>
#include <string.h>

#include "codec/build.h"
#include "codec/line.h"
#include "codec/packet.h"

static const struct header *const over_ip4[] = {&header_ip4, &header_udp, &header_bth, NULL};
static const struct header *const over_ip6[] = {&header_ip6, &header_udp, &header_bth, NULL};
static const struct header *const over_ether[] = {&header_ether, &header_ip4, &header_udp, &header_bth, NULL};
static const struct header *const over_vlan[] = {&header_ether, &header_vlan, &header_ip6, &header_udp, &header_bth, NULL};
static const struct header *const over_vlans[] = {
	&header_ether, &header_vlan, &header_vlan, &header_ip4, &header_udp, &header_bth, NULL};
static const struct header *const roce1[] = {&header_ether, &header_grh, &header_bth, NULL};

/* Python's zlib computed these CRCs over the headers in the annex. */
TEST(test_build__acknowledgement__ipv4)
{
	static const uint8_t want[] = {
		0x11, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0x11, 0x00, 0x00, 0x12, 0x34,
		0x1f, 0x00, 0x00, 0x01, 0xcd, 0xf6, 0xbc, 0x3d,
	};
	static const uint8_t from[] = {10, 86, 0, 2}, to[] = {10, 86, 0, 1};
	struct build b;

	assert_true(build_begin(&b, over_ip4, IBV_OPCODE_RC_ACKNOWLEDGE, NULL));
	assert_true(build_set_bytes(&b, "src", from) && build_set_bytes(&b, "dst", to));
	assert_true(build_set(&b, "qp", 0x11) && build_set(&b, "psn", 0x1234));
	assert_true(build_set(&b, "syndrome", 0x1f) && build_set(&b, "msn", 1));
	build_end(&b, PACKET_CRC);
	assert_int_equal(b.packet.end, 28 + sizeof(want));
	assert_memory_equal(b.bytes + 28, want, sizeof(want));
}

TEST(test_build__odd_payload__is_padded__ipv6)
{
	static const uint8_t want[] = {
		0x04, 0x30, 0xff, 0xff, 0x00, 0xab, 0xcd, 0xef, 0x80, 0xff, 0xff, 0xff,
		0x78, 0x00, 0x00, 0x00, 0x32, 0x7f, 0xc4, 0x84,
	};
	static const uint8_t from[16] = {0xfd, 0x86, [15] = 2}, to[16] = {0xfd, 0x86, [15] = 1};
	struct build b;

	assert_true(build_begin(&b, over_ip6, IBV_OPCODE_RC_SEND_ONLY, NULL));
	build_set_bytes(&b, "src", from);
	build_set_bytes(&b, "dst", to);
	build_set(&b, "src_port", 50000);
	build_set(&b, "qp", 0xabcdef);
	build_set(&b, "psn", 0xffffff);
	build_set(&b, "ack_req", 1);
	assert_true(build_payload(&b, "x", 1));
	build_end(&b, PACKET_CRC);
	assert_int_equal(b.packet.end, 48 + sizeof(want));
	assert_memory_equal(b.bytes + 48, want, sizeof(want));
}

TEST(test_build__longest_payload__fits__and_no_more)
{
	static const uint8_t body[BUILD_MAX];
	struct build b;

	build_begin(&b, over_vlans, IBV_OPCODE_UD_SEND_ONLY, NULL);
	assert_true(build_payload(&b, body, BUILD_PAYLOAD_MAX));
	assert_false(build_payload(&b, body, sizeof(body)));
	assert_false(build_payload(&b, body, SIZE_MAX));
	assert_false(build_set(&b, "no_such_field", 1));
	assert_false(build_set(&b, "imm", 1));
}

/* The extended headers in chapter 9.2 and annexes A14 and A19 of the specification. */
TEST(test_build__headers__of_requests)
{
	static const struct {
		uint8_t opcode;
		size_t len;
		uint8_t bytes[32];
	} want[] = {
		{IBV_OPCODE_RC_SEND_ONLY, 0, {0}},
		{IBV_OPCODE_RC_SEND_ONLY_WITH_IMMEDIATE, 4, {0xa, 0xb, 0xc, 0xd}},
		{OPCODE_SEND_ONLY_WITH_INVALIDATE, 4, {0, 0, 0x12, 0x34}},
		{IBV_OPCODE_UD_SEND_ONLY, 8, {0x11, 0x11, 0x11, 0x11, 0, 0, 0, 7}},
		{IBV_OPCODE_RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE, 20,
		 {1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 9, 0, 0, 1, 0, 0xa, 0xb, 0xc, 0xd}},
		{IBV_OPCODE_RC_RDMA_READ_REQUEST, 16, {1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 9, 0, 0, 1, 0}},
		{IBV_OPCODE_RC_FETCH_ADD, 28,
		 {1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 3}},
		{IBV_OPCODE_RC_COMPARE_SWAP, 28,
		 {1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 3}},
		{OPCODE_FLUSH, 20, {0, 0, 0, 0x12, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 9, 0, 0, 1, 0}},
	};
	static const struct {
		const char *name;
		uint64_t value;
	} fields[] = {
		{"qkey", 0x11111111}, {"src_qp", 7}, {"remote_addr", 0x0102030405060708}, {"rkey", 9},
		{"dma_length", 256}, {"compare_add", 3}, {"swap", 4}, {"flush_type", 2}, {"flush_level", 1},
		{"imm", 0x0a0b0c0d}, {"invalidate_rkey", 0x1234},
	};
	struct build b;
	size_t i, k;

	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		build_begin(&b, over_ip4, want[i].opcode, NULL);
		for (k = 0; k < sizeof(fields) / sizeof(fields[0]); k++)
			build_set(&b, fields[k].name, fields[k].value);
		assert_int_equal(b.packet.len, 28 + 12 + want[i].len);
		assert_memory_equal(b.bytes + 40, want[i].bytes, want[i].len);
	}
}

static uint64_t next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 7;
}

/* The fields that say what follows, and lengths and checksums, which build_end() writes. */
static bool is_structure(const char *name)
{
	static const char *const names[] = {
		"opcode", "ether_type", "vlan_type", "ip_version", "header_length", "ip_length", "protocol",
		"ip_checksum", "dst_port", "udp_length", "fragment_offset", "pad", "class", "attribute", "service_id", "qp",
		"private_data",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static void fill(struct build *b, uint64_t *seed)
{
	uint8_t *bytes = b->bytes;
	const struct layer *l;
	const struct header_field *f;
	size_t i, k;

	for (i = 0; i < b->packet.layers; i++) {
		l = &b->packet.layer[i];
		for (f = l->header->fields; f->name; f++)
			for (k = 0; !is_structure(f->name) && !f->alias && k < f->width; k += 8)
				header_set_bits(bytes + l->at, f->at + k, f->width - k < 8 ? f->width - k : 8, next(seed));
	}
}

/* Build with random fields, read, and find the same headers, fields, payload and CRC. */
static void trip(const struct header *const *below, uint8_t opcode, const struct header *const *more,
		 enum packet_start start, size_t payload)
{
	static uint8_t data[BUILD_PAYLOAD_MAX];
	uint64_t seed = opcode + payload;
	struct packet p;
	struct build b;
	size_t i;

	assert_true(build_begin(&b, below, opcode, more));
	fill(&b, &seed);
	for (i = 0; i < payload; i++)
		data[i] = (uint8_t)next(&seed);
	assert_true(build_payload(&b, data, payload));
	build_end(&b, PACKET_CRC);
	packet_read(&p, start, b.bytes, b.packet.len);
	if (p.problem)
		fail_msg("opcode 0x%02x with %zu bytes below %s: %s", opcode, payload, below[0]->name, p.problem);
	assert_true(p.whole && p.rdma && p.known);
	assert_int_equal(p.layers, b.packet.layers);
	for (i = 0; i < p.layers; i++) {
		assert_ptr_equal(p.layer[i].header, b.packet.layer[i].header);
		assert_int_equal(p.layer[i].at, b.packet.layer[i].at);
	}
	assert_int_equal(p.payload_len, payload);
	assert_memory_equal(p.bytes + p.payload, data, payload);
	assert_string_equal(line_icrc(&p), "right");
	b.bytes[b.packet.end - 1] ^= 1;
	assert_string_equal(line_icrc(&p), "wrong");
}

TEST(test_build__round_trip__every_opcode_below_every_header)
{
	static const size_t sizes[] = {0, 1, 2, 3, 4, 1023, 1024, 4096};
	struct opcode op;
	size_t i;
	int n;

	for (n = 0; n < 256; n++) {
		if (!opcode_find((uint8_t)n, &op))
			continue;
		for (i = 0; i < (op.payload ? sizeof(sizes) / sizeof(sizes[0]) : 1); i++) {
			trip(over_ip4, (uint8_t)n, NULL, PACKET_IP, sizes[i]);
			trip(over_ip6, (uint8_t)n, NULL, PACKET_IP, sizes[i]);
			trip(over_ether, (uint8_t)n, NULL, PACKET_ETHERNET, sizes[i]);
			trip(over_vlan, (uint8_t)n, NULL, PACKET_ETHERNET, sizes[i]);
			trip(over_vlans, (uint8_t)n, NULL, PACKET_ETHERNET, sizes[i]);
			trip(roce1, (uint8_t)n, NULL, PACKET_ETHERNET, sizes[i]);
		}
	}
}

TEST(test_build__round_trip__messages_of_the_connection_manager)
{
	static const struct header *const messages[] = {
		&header_cm_req, &header_cm_mra, &header_cm_rej, &header_cm_rep, &header_cm_rtu, &header_cm_dreq,
		&header_cm_drep, &header_cm_sidr_req, &header_cm_sidr_rep, &header_cm_lap, &header_cm_apr,
	};
	size_t i;

	for (i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
		const struct header *more[] = {&header_mad, messages[i], NULL, NULL};

		trip(over_ether, IBV_OPCODE_UD_SEND_ONLY, more, PACKET_ETHERNET, 0);
		trip(over_ip6, IBV_OPCODE_UD_SEND_ONLY, more, PACKET_IP, 0);
		if (messages[i] != &header_cm_req && messages[i] != &header_cm_sidr_req)
			continue;
		more[2] = &header_ip_cm;
		trip(over_ether, IBV_OPCODE_UD_SEND_ONLY, more, PACKET_ETHERNET, 0);
	}
}

/* The rest has a right CRC, unless its base transport header is not whole. */
TEST(test_build__cut__ends_there)
{
	struct build b;
	uint32_t computed, there;
	size_t left;

	for (left = 0; left < 40; left++) {
		assert_true(build_begin(&b, over_ip4, IBV_OPCODE_RC_RDMA_WRITE_ONLY, NULL));
		assert_true(build_payload(&b, "abcdefgh", 8));
		build_cut(&b, left);
		build_end(&b, PACKET_CRC);
		assert_int_equal(b.packet.end, 28 + (left < 36 ? left : 36) + PACKET_ICRC_BYTES);
		assert_int_equal(packet_icrc(&b.packet, PACKET_CRC, &computed, &there), left >= 12);
		if (left >= 12)
			assert_int_equal(computed, there);
	}
}

/* Nothing but the checksum of UDP changes, and a frame that ends before it stays as it is. */
TEST(test_build__udp_sum__is_removed)
{
	static const struct header *const *const below[] = {over_ether, over_vlan, over_vlans, roce1};
	uint8_t before[BUILD_MAX];
	const struct layer *udp;
	struct build b;
	size_t i, len;

	for (i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
		assert_true(build_begin(&b, below[i], IBV_OPCODE_RC_SEND_ONLY, NULL));
		assert_true(build_payload(&b, "abcd", 4));
		build_set(&b, "udp_checksum", 0x1234);
		build_end(&b, PACKET_CRC);
		udp = packet_layer(&b.packet, &header_udp);
		for (len = b.packet.end; len > 0; len--) {
			memcpy(before, b.bytes, b.packet.end);
			packet_udp_sum_remove(before, len);
			if (udp && len >= udp->at + 8)
				assert_int_equal(before[udp->at + 6] | before[udp->at + 7], 0);
			if (udp && len >= udp->at + 8)
				memcpy(before + udp->at + 6, b.bytes + udp->at + 6, 2);
			assert_memory_equal(before, b.bytes, b.packet.end);
		}
	}
}
