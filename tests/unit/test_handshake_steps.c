/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: call/handshake-message.c */
#include "cmocka_all.h"

#include <string.h>

#include "call/handshake-message.h"

/* Finds the member by its name, and fails if the format lacks it. */
static struct handshake_member find(enum handshake_format format, const struct handshake_plain *plain,
				    const char *name)
{
	struct handshake_member m;
	size_t i;

	for (i = 0; handshake_message_member(format, plain, i, &m); i++)
		if (strcmp(m.name, name) == 0)
			return m;
	fail_msg("no member %s", name);
	return m;
}

#define V0 HANDSHAKE_VERSION_0
#define V1 HANDSHAKE_VERSION_1
#define HEAD HANDSHAKE_OF_HEAD
#define CLIENT HANDSHAKE_OF_CLIENT
#define SERVER HANDSHAKE_OF_SERVER

/* The tables of docs/handshake.md. */
static const struct {
	enum handshake_format format;
	struct handshake_member member;
} page[] = {
	{V0, {"version", HEAD, 0, 1}}, {V0, {"flag", HEAD, 1, 1}},
	{V0, {"length", HEAD, 2, 2}}, {V0, {"magic", HEAD, 4, 2}},
	{V0, {"lid", CLIENT, 6, 2}}, {V0, {"peer_lid", SERVER, 8, 2}},
	{V0, {"qp_num", CLIENT, 10, 4}}, {V0, {"peer_qp_num", SERVER, 14, 4}},
	{V0, {"gid", CLIENT, 18, 16}}, {V0, {"peer_gid", SERVER, 34, 16}},
	{V1, {"version", HEAD, 0, 1}}, {V1, {"flag", HEAD, 1, 1}},
	{V1, {"length", HEAD, 2, 2}}, {V1, {"magic", HEAD, 4, 2}},
	{V1, {"private_length", HEAD, 6, 2}},
	{V1, {"lid", CLIENT, 8, 2}}, {V1, {"gid_index", CLIENT, 10, 1}},
	{V1, {"mtu", CLIENT, 11, 1}}, {V1, {"qp_num", CLIENT, 12, 4}},
	{V1, {"psn", CLIENT, 16, 4}}, {V1, {"responder_resources", CLIENT, 20, 1}},
	{V1, {"initiator_depth", CLIENT, 21, 1}}, {V1, {"capabilities", CLIENT, 22, 2}},
	{V1, {"gid", CLIENT, 24, 16}},
	{V1, {"peer_lid", SERVER, 40, 2}}, {V1, {"peer_gid_index", SERVER, 42, 1}},
	{V1, {"peer_mtu", SERVER, 43, 1}}, {V1, {"peer_qp_num", SERVER, 44, 4}},
	{V1, {"peer_psn", SERVER, 48, 4}}, {V1, {"peer_responder_resources", SERVER, 52, 1}},
	{V1, {"peer_initiator_depth", SERVER, 53, 1}}, {V1, {"peer_capabilities", SERVER, 54, 2}},
	{V1, {"peer_gid", SERVER, 56, 16}},
	{HANDSHAKE_REFUSED, {"version", HEAD, 0, 1}}, {HANDSHAKE_REFUSED, {"flag", HEAD, 1, 1}},
	{HANDSHAKE_REFUSED, {"length", HEAD, 2, 2}}, {HANDSHAKE_REFUSED, {"magic", HEAD, 4, 2}},
	{HANDSHAKE_REFUSED, {"reason", HEAD, 6, 1}}, {HANDSHAKE_REFUSED, {"versions", HEAD, 7, 1}},
};

TEST(test_handshake_steps__members__have_the_places_of_the_page)
{
	struct handshake_member m;
	size_t i, count = 0;

	for (i = 0; i < sizeof(page) / sizeof(page[0]); i++) {
		m = find(page[i].format, NULL, page[i].member.name);
		assert_int_equal(m.whose, page[i].member.whose);
		assert_int_equal(m.at, page[i].member.at);
		assert_int_equal(m.size, page[i].member.size);
	}
	for (i = 0; handshake_message_member(V0, NULL, i, &m); i++)
		count++;
	for (i = 0; handshake_message_member(V1, NULL, i, &m); i++)
		count++;
	for (i = 0; handshake_message_member(HANDSHAKE_REFUSED, NULL, i, &m); i++)
		count++;
	assert_int_equal(count, sizeof(page) / sizeof(page[0]));
	assert_int_equal(handshake_message_size(V0, NULL), 50);
	assert_int_equal(handshake_message_size(V1, NULL), 72);
	assert_int_equal(handshake_message_size(HANDSHAKE_REFUSED, NULL), 8);
}

TEST(test_handshake_steps__plain_struct__follows_its_header)
{
	static const struct handshake_plain plain = {.header_size = 12, .flag_at = 8, .flag_size = 2};
	struct handshake_member flag = find(HANDSHAKE_PLAIN, &plain, "flag");
	struct handshake_member gid = find(HANDSHAKE_PLAIN, &plain, "peer_gid");

	assert_int_equal(flag.at, 8);
	assert_int_equal(flag.size, 2);
	assert_int_equal(find(HANDSHAKE_PLAIN, &plain, "magic").at, 12);
	assert_int_equal(find(HANDSHAKE_PLAIN, &plain, "qp_num").at, 12 + 6);
	assert_int_equal(gid.at, 12 + 30);
	assert_int_equal(handshake_message_size(HANDSHAKE_PLAIN, &plain), 12 + 46);
}

TEST(test_handshake_steps__numbers__have_the_order_of_the_format)
{
	struct handshake_member m = find(HANDSHAKE_VERSION_0, NULL, "qp_num");
	uint8_t bytes[50] = {0};
	uint32_t number = 0x87123456, own;

	handshake_message_put(bytes, &m, true, number);
	assert_memory_equal(bytes + 10, "\x87\x12\x34\x56", 4);
	assert_int_equal(handshake_message_get(bytes, &m, true), number);
	handshake_message_put(bytes, &m, false, number);
	memcpy(&own, bytes + 10, sizeof(own));
	assert_int_equal(own, number);
	assert_int_equal(handshake_message_get(bytes, &m, false), number);
	m = find(HANDSHAKE_VERSION_0, NULL, "gid");	/* longer than a number */
	memset(bytes, 0xff, sizeof(bytes));
	handshake_message_put(bytes, &m, true, 0x0102030405060708);
	assert_memory_equal(bytes + 18, "\0\0\0\0\0\0\0\0\1\2\3\4\5\6\7\x8", 16);
	assert_true(handshake_message_get(bytes, &m, true) == 0x0102030405060708);
}

TEST(test_handshake_steps__head__gives_format_and_size)
{
	static const struct {
		uint8_t head[HANDSHAKE_HEAD_SIZE];
		enum handshake_format format;
		size_t size;
	} row[] = {
		{{0, 1, 0, 50, 0x56, 0x42}, HANDSHAKE_VERSION_0, 50},
		{{0, 1, 0, 60, 0x56, 0x42}, HANDSHAKE_VERSION_0, 50},
		{{0, 1, 0xff, 0xff, 0x56, 0x42}, HANDSHAKE_VERSION_0, 50},
		{{1, 1, 0, 72, 0x56, 0x43}, HANDSHAKE_VERSION_1, 72},
		{{1, 3, 1, 8, 0x56, 0x43}, HANDSHAKE_VERSION_1, 264},
		{{1, 3, 1, 9, 0x56, 0x43}, HANDSHAKE_VERSION_1, 72},
		{{1, 3, 0, 71, 0x56, 0x43}, HANDSHAKE_VERSION_1, 72},
		{{1, 4, 0, 8, 0x56, 0x43}, HANDSHAKE_REFUSED, 8},
		{{1, 4, 0, 15, 0x56, 0x43}, HANDSHAKE_REFUSED, 15},
		{{1, 4, 0, 7, 0x56, 0x43}, HANDSHAKE_REFUSED, 8},
	};
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		assert_int_equal(handshake_message_format(row[i].head), row[i].format);
		assert_int_equal(handshake_message_whole(row[i].head), row[i].size);
	}
}
