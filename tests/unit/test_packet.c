/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_all.h"

#include <arpa/inet.h>
#include <infiniband/opcode.h>
#include <string.h>

#include "step/packet.h"

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

/* The CRCs are those of Python's zlib over the headers as the annex draws them. */
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
	packet_seal(out, len, (struct sockaddr *)&from, (struct sockaddr *)&to);
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
	packet_seal(out, len, (struct sockaddr *)&from, (struct sockaddr *)&to);
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

VBM_TESTS(cmocka_unit_test(test_packet__acknowledgement__ipv4),
	  cmocka_unit_test(test_packet__odd_payload__is_padded__ipv6),
	  cmocka_unit_test(test_packet__longest_body__fits));
