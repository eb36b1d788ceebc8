/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: call/packet.c */
#include "cmocka_all.h"

#include <arpa/inet.h>
#include <infiniband/opcode.h>
#include <string.h>

#include "call/packet.h"

static struct sockaddr_storage at(int family, const char *ip, int port)
{
	struct sockaddr_storage sa = {.ss_family = (sa_family_t)family};

	if (family == AF_INET)
		inet_pton(family, ip, &((struct sockaddr_in *)&sa)->sin_addr);
	else
		inet_pton(family, ip, &((struct sockaddr_in6 *)&sa)->sin6_addr);
	((struct sockaddr_in *)&sa)->sin_port = htons((uint16_t)port);
	return sa;
}

/* Python's zlib computed these CRCs over the headers in the annex. */
static void test_packet__acknowledgement__ipv4(void **state)
{
	static const uint8_t ack[] = {0x1f, 0, 0, 1};
	static const uint8_t want[] = {
		0x11, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0x11, 0x00, 0x00, 0x12, 0x34,
		0x1f, 0x00, 0x00, 0x01, 0xcd, 0xf6, 0xbc, 0x3d,
	};
	struct sockaddr_storage from = at(AF_INET, "10.86.0.2", 49152);
	struct sockaddr_storage to = at(AF_INET, "10.86.0.1", PACKET_UDP_PORT);
	struct packet p = {
		.opcode = IBV_OPCODE_RC_ACKNOWLEDGE, .pkey = 0xffff, .dest_qp = 0x11,
		.psn = 0x1234, .body = ack, .body_len = sizeof(ack),
	};
	uint8_t out[PACKET_MAX];
	size_t len = packet_build(out, &p);

	(void)state;
	assert_int_equal(len, sizeof(want));
	packet_seal(out, len, (struct sockaddr *)&from, (struct sockaddr *)&to,
		    PACKET_CRC);
	assert_memory_equal(out, want, len);
}

static void test_packet__odd_payload__is_padded__ipv6(void **state)
{
	static const uint8_t want[] = {
		0x04, 0x30, 0xff, 0xff, 0x00, 0xab, 0xcd, 0xef, 0x80, 0xff, 0xff, 0xff,
		0x78, 0x00, 0x00, 0x00, 0x32, 0x7f, 0xc4, 0x84,
	};
	struct sockaddr_storage from = at(AF_INET6, "fd86::2", 50000);
	struct sockaddr_storage to = at(AF_INET6, "fd86::1", PACKET_UDP_PORT);
	struct packet p = {
		.opcode = IBV_OPCODE_RC_SEND_ONLY, .pkey = 0xffff, .dest_qp = 0xabcdef,
		.psn = 0xffffff, .ack_req = 1, .body = (const uint8_t *)"x", .body_len = 1,
	};
	uint8_t out[PACKET_MAX];
	size_t len = packet_build(out, &p);

	(void)state;
	assert_int_equal(len, sizeof(want));
	packet_seal(out, len, (struct sockaddr *)&from, (struct sockaddr *)&to,
		    PACKET_CRC);
	assert_memory_equal(out, want, len);
}

static void test_packet__longest_body__fits(void **state)
{
	static const uint8_t body[PACKET_BODY_MAX];
	struct packet p = {.body = body, .body_len = sizeof(body)};
	uint8_t out[PACKET_MAX];

	(void)state;
	assert_int_equal(packet_build(out, &p), sizeof(out));
	p.body_len--;
	assert_int_equal(packet_build(out, &p), sizeof(out));
}

/* The headers in annex A14 of the specification and in its chapter 9.2. */
static void test_packet__headers__of_requests(void **state)
{
	static const struct {
		uint8_t opcode;
		int len, payload;
		uint8_t bytes[PACKET_HEADERS_MAX];
	} want[] = {
		{IBV_OPCODE_RC_SEND_ONLY, 0, 1, {0}},
		{IBV_OPCODE_RC_SEND_ONLY_WITH_IMMEDIATE, 4, 1, {0xa, 0xb, 0xc, 0xd}},
		{PACKET_SEND_ONLY_WITH_INVALIDATE, 4, 1, {0, 0, 0x12, 0x34}},
		{IBV_OPCODE_UD_SEND_ONLY, 8, 1, {0x11, 0x11, 0x11, 0x11, 0, 0, 0, 7}},
		{IBV_OPCODE_RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE, 20, 1,
		 {1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 9, 0, 0, 1, 0, 0xa, 0xb, 0xc, 0xd}},
		{IBV_OPCODE_RC_RDMA_READ_REQUEST, 16, 0,
		 {1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 9, 0, 0, 1, 0}},
		{IBV_OPCODE_RC_FETCH_ADD, 28, 0,
		 {1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 3}},
		{IBV_OPCODE_RC_COMPARE_SWAP, 28, 0,
		 {1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 3}},
		{PACKET_FLUSH, 20, 0,
		 {0, 0, 0, 0x12, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 9, 0, 0, 1, 0}},
		{IBV_OPCODE_RC_ACKNOWLEDGE, -1, 0, {0}},
		{IBV_OPCODE_RC_RDMA_READ_RESPONSE_ONLY, -1, 0, {0}},
	};
	const struct packet_fields f = {
		.qkey = 0x11111111, .src_qp = 7, .remote_addr = 0x0102030405060708, .rkey = 9,
		.dma_length = 256, .compare_add = 3, .swap = 4, .flush_type = 2, .flush_level = 1,
		.imm = 0x0a0b0c0d, .invalidate = 0x1234,
	};
	uint8_t out[PACKET_HEADERS_MAX];
	int payload = 0;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_int_equal(packet_headers(out, want[i].opcode, &f, &payload), want[i].len);
		if (want[i].len < 0)
			continue;
		assert_int_equal(payload, want[i].payload);
		assert_memory_equal(out, want[i].bytes, (size_t)want[i].len);
	}
}

VBM_TESTS(cmocka_unit_test(test_packet__headers__of_requests),
	  cmocka_unit_test(test_packet__acknowledgement__ipv4),
	  cmocka_unit_test(test_packet__odd_payload__is_padded__ipv6),
	  cmocka_unit_test(test_packet__longest_body__fits));
