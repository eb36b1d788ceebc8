/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: codec/header.c codec/header-bth.c codec/header-cm.c codec/header-net.c codec/opcode.c codec/packet.c codec/packet-read.c codec/icrc.c codec/line.c */
#include "cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "codec/line.h"
#include "names/consts.h"

/* Two vectors that no software of this project made: scapy's tests of its RoCE layer
 * (test/contrib/roce.uts) have them. The first was captured from a ConnectX-4 Lx. */
static const uint8_t cnp[] = {
	0xe4, 0x1d, 0x2d, 0xab, 0x2b, 0xc2, 0x7c, 0xfe, 0x90, 0x64, 0x3b, 0x32, 0x08, 0x00, 0x45, 0xc2,
	0x00, 0x3c, 0x71, 0x8c, 0x40, 0x00, 0x40, 0x11, 0x91, 0x61, 0x0a, 0x00, 0x11, 0x01, 0x0a, 0x00,
	0x12, 0x01, 0x00, 0x00, 0x12, 0xb7, 0x00, 0x28, 0x00, 0x00, 0x81, 0x00, 0xff, 0xff, 0x40, 0x00,
	0x01, 0x18, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x82, 0xfd, 0x00, 0x2a,
};
static const uint8_t uc_send[] = {
	0x24, 0x8a, 0x07, 0xa8, 0xfa, 0x22, 0x24, 0x8a, 0x07, 0xa8, 0xfa, 0x22, 0x08, 0x00, 0x45, 0x01,
	0x00, 0x40, 0x04, 0x78, 0x40, 0x00, 0x40, 0x11, 0xb4, 0xd5, 0xc0, 0xa8, 0x00, 0x07, 0xc0, 0xa8,
	0x00, 0x07, 0xc0, 0x00, 0x12, 0xb7, 0x00, 0x2c, 0xac, 0xa2, 0x24, 0x60, 0xff, 0xff, 0x00, 0x00,
	0x00, 0xd3, 0x00, 0xcf, 0x17, 0x10, 0x46, 0x30, 0x81, 0x8b, 0xe2, 0x89, 0x35, 0xd9, 0x0e, 0x9a,
	0x95, 0x50, 0x54, 0x01, 0xbe, 0x88, 0x5e, 0x50, 0x00, 0x00, 0x78, 0xf3, 0x53, 0xf3,
};

static void assert_line(const uint8_t *frame, size_t len, const char *wanted)
{
	auto_text struct text line = {0};
	struct packet p;

	packet_read(&p, PACKET_ETHERNET, frame, len);
	line_way(&line, &p);
	text_add(&line, " ");
	line_short(&line, &p);
	assert_string_equal(line.s, wanted);
}

TEST(test_codec__packets_of_hardware__read_with_right_crc)
{
	struct packet p;

	assert_line(cnp, sizeof(cnp), "10.0.17.1 > 10.0.18.1 CNP ecn=2 becn qp=0x118 psn=0");
	assert_line(uc_send, sizeof(uc_send),
		    "192.168.0.7 > 192.168.0.7 UC SEND_ONLY ecn=1 pad=2 qp=0xd3 psn=13571856 len=18");
	packet_read(&p, PACKET_ETHERNET, cnp, sizeof(cnp));
	assert_string_equal(line_icrc(&p), "right");
	packet_read(&p, PACKET_ETHERNET, uc_send, sizeof(uc_send));
	assert_string_equal(line_icrc(&p), "right");
}

TEST(test_codec__one_bit__changes_the_crc__unless_routers_may)
{
	uint8_t frame[sizeof(cnp)];
	struct packet p;
	size_t i;

	for (i = 14; i < sizeof(cnp); i++) {
		/* type of service, time to live, the checksums, and congestion marks */
		bool changeable = i == 15 || i == 22 || i == 24 || i == 25 || i == 40 || i == 41 || i == 46;

		/* Lengths, protocol and port decide how the packet is read. */
		if (i == 14 || i == 16 || i == 17 || i == 20 || i == 21 || i == 23 || i == 36 || i == 37 || i == 38 || i == 39)
			continue;
		memcpy(frame, cnp, sizeof(cnp));
		frame[i] ^= 1;
		packet_read(&p, PACKET_ETHERNET, frame, sizeof(frame));
		assert_string_equal(line_icrc(&p), changeable ? "right" : "wrong");
	}
}

/* The tables: each bit has one field, and fields that are no aliases do not overlap. */
TEST(test_codec__tables__cover_each_bit_once)
{
	const struct header *h;
	const struct header_field *f;
	uint8_t seen[2048];
	size_t i, k;

	for (i = 0; (h = header_nth(i)); i++) {
		memset(seen, 0, sizeof(seen));
		for (f = h->fields; f->name; f++) {
			if ((size_t)f->at + f->width > h->bytes * 8)
				fail_msg("%s: %s ends outside", h->name, f->name);
			if (f->width > 64 && (f->at % 8 || f->width % 8))
				fail_msg("%s: %s has no whole bytes", h->name, f->name);
			if ((f->show == SHOW_NAME) != (f->names != NULL) || !f->doc)
				fail_msg("%s: %s has no names or no text", h->name, f->name);
			for (k = 0; !f->alias && k < f->width; k++)
				if (seen[f->at + k]++)
					fail_msg("%s: bit %zu of %s is in two fields", h->name, f->at + k, f->name);
		}
		for (k = 0; k < h->bytes * 8; k++)
			if (!seen[k])
				fail_msg("%s: bit %zu has no field", h->name, k);
	}
}

TEST(test_codec__bits__read_what_was_written_and_touch_no_others)
{
	uint8_t bytes[16];
	size_t at, width, k;
	uint64_t value, mask;

	for (at = 0; at < 32; at++) {
		for (width = 1; width <= 64; width++) {
			mask = width == 64 ? UINT64_MAX : (1ULL << width) - 1;
			value = 0xa5c3f00f5a3c0ff1ULL & mask;
			memset(bytes, 0xff, sizeof(bytes));
			header_set_bits(bytes, at, width, value);
			assert_true(header_get_bits(bytes, at, width) == value);
			for (k = 0; k < sizeof(bytes) * 8; k++)
				if (k < at || k >= at + width)
					assert_true(header_get_bits(bytes, k, 1));
		}
	}
}

TEST(test_codec__opcodes__all_that_have_a_name)
{
	struct opcode op;
	int n = 0, i;

	for (i = 0; i < 256; i++) {
		bool known = opcode_find((uint8_t)i, &op);

		n += known;
		if (known != (const_name(&const_packet_opcode, i) != NULL))
			fail_msg("opcode 0x%02x has headers or a name, and not both", i);
	}
	assert_int_equal(n, 25 + 12 + 2 + 1);
}

/* Cut at each byte, with the lengths in the headers as they were. */
TEST(test_codec__cut_packet__says_so_and_reads_nothing_beyond)
{
	auto_text struct text line = {0};
	struct packet p;
	uint8_t *copy;
	size_t len;

	for (len = 0; len < sizeof(uc_send); len++) {
		copy = xcalloc(1, len + 1);	/* valgrind and the sanitizers see what is read beyond */
		copy = xreallocarray(copy, len ? len : 1, 1);
		memcpy(copy, uc_send, len);
		packet_read(&p, PACKET_ETHERNET, copy, len);
		assert_true(p.problem || !p.whole);
		text_clear(&line);
		line_short(&line, &p);
		line_details(&line, &p);
		assert_true(strstr(line.s, "cut") || strstr(line.s, "it ends") || strstr(line.s, "no more of its bytes"));
		free(copy);
	}
}

TEST(test_codec__lengths_that_lie__are_problems)
{
	static const struct {
		size_t at;
		uint8_t value;
		const char *wanted;
	} lies[] = {
		{14, 0x44, "a length in a header is too short"},	/* IPv4 of 16 bytes */
		{17, 0x14, "it ends inside a header"},			/* no room for UDP */
		{39, 0x08, "it ends inside a header"},			/* nor for BTH */
		{39, 0x14, "there is no room for its invariant CRC"},
		{39, 0x18, "it has less payload than padding"},
		{17, 0xff, "(cut)"},
	};
	uint8_t frame[sizeof(uc_send)];
	auto_text struct text line = {0};
	struct packet p;
	size_t i;

	for (i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		memcpy(frame, uc_send, sizeof(frame));
		frame[lies[i].at] = lies[i].value;
		packet_read(&p, PACKET_ETHERNET, frame, sizeof(frame));
		text_clear(&line);
		line_short(&line, &p);
		if (i == 5)
			assert_true(p.whole);	/* UDP's own length stays right */
		else
			assert_non_null(strstr(line.s, lies[i].wanted));
	}
}

/* A frame of 60 bytes has bytes that belong to no packet. */
TEST(test_codec__padding_of_ethernet__is_no_payload)
{
	uint8_t frame[sizeof(uc_send) + 6] = {0};
	struct packet p;

	memcpy(frame, uc_send, sizeof(uc_send));
	packet_read(&p, PACKET_ETHERNET, frame, sizeof(frame));
	assert_int_equal(p.payload_len, 18);
	assert_string_equal(line_icrc(&p), "right");
}

TEST(test_codec__json__has_every_field)
{
	auto_value struct value *map = value_map();
	auto_free char *json = NULL;
	struct packet p;

	packet_read(&p, PACKET_ETHERNET, uc_send, sizeof(uc_send));
	line_map(map, &p);
	json = json_write(value_get(value_get(map, "headers"), "bth"));
	assert_string_equal(json, "{\"opcode\":\"UC_SEND_ONLY\",\"solicited\":false,\"migrated\":true,\"pad\":2,"
				  "\"bth_version\":0,\"pkey\":65535,\"fecn\":false,\"becn\":false,\"resv6\":0,"
				  "\"qp\":211,\"ack_req\":false,\"resv7\":0,\"psn\":13571856}");
	assert_string_equal(value_get_string(map, "payload", ""), "4630818be28935d90e9a95505401be885e50");
}
