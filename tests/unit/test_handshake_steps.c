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

static void assert_at(enum handshake_format format, const char *name, size_t at, size_t size)
{
	struct handshake_member m = find(format, NULL, name);

	assert_int_equal(m.at, at);
	assert_int_equal(m.size, size);
}

/* The tables of docs/handshake.md. */
static void test_handshake_steps__members__have_the_places_of_the_page(void **state)
{
	(void)state;
	assert_at(HANDSHAKE_VERSION_0, "version", 0, 1);
	assert_at(HANDSHAKE_VERSION_0, "flag", 1, 1);
	assert_at(HANDSHAKE_VERSION_0, "length", 2, 2);
	assert_at(HANDSHAKE_VERSION_0, "magic", 4, 2);
	assert_at(HANDSHAKE_VERSION_0, "lid", 6, 2);
	assert_at(HANDSHAKE_VERSION_0, "peer_lid", 8, 2);
	assert_at(HANDSHAKE_VERSION_0, "qp_num", 10, 4);
	assert_at(HANDSHAKE_VERSION_0, "peer_qp_num", 14, 4);
	assert_at(HANDSHAKE_VERSION_0, "gid", 18, 16);
	assert_at(HANDSHAKE_VERSION_0, "peer_gid", 34, 16);
	assert_at(HANDSHAKE_VERSION_1, "private_length", 6, 2);
	assert_at(HANDSHAKE_VERSION_1, "qp_num", 12, 4);
	assert_at(HANDSHAKE_VERSION_1, "psn", 16, 4);
	assert_at(HANDSHAKE_VERSION_1, "gid", 24, 16);
	assert_at(HANDSHAKE_VERSION_1, "peer_lid", 40, 2);
	assert_at(HANDSHAKE_VERSION_1, "peer_capabilities", 54, 2);
	assert_at(HANDSHAKE_VERSION_1, "peer_gid", 56, 16);
	assert_at(HANDSHAKE_REFUSED, "reason", 6, 1);
	assert_at(HANDSHAKE_REFUSED, "versions", 7, 1);
	assert_int_equal(handshake_message_size(HANDSHAKE_VERSION_0, NULL), 50);
	assert_int_equal(handshake_message_size(HANDSHAKE_VERSION_1, NULL), 72);
	assert_int_equal(handshake_message_size(HANDSHAKE_REFUSED, NULL), 8);
}

static void test_handshake_steps__plain_struct__follows_its_header(void **state)
{
	static const struct handshake_plain plain = {.header_size = 12, .flag_at = 8, .flag_size = 2};
	struct handshake_member flag = find(HANDSHAKE_PLAIN, &plain, "flag");
	struct handshake_member gid = find(HANDSHAKE_PLAIN, &plain, "peer_gid");

	(void)state;
	assert_int_equal(flag.at, 8);
	assert_int_equal(flag.size, 2);
	assert_int_equal(find(HANDSHAKE_PLAIN, &plain, "magic").at, 12);
	assert_int_equal(find(HANDSHAKE_PLAIN, &plain, "qp_num").at, 12 + 6);
	assert_int_equal(gid.at, 12 + 30);
	assert_int_equal(handshake_message_size(HANDSHAKE_PLAIN, &plain), 12 + 46);
}

static void test_handshake_steps__numbers__have_the_order_of_the_format(void **state)
{
	struct handshake_member m = find(HANDSHAKE_VERSION_0, NULL, "qp_num");
	uint8_t bytes[50] = {0};
	uint32_t number = 0x00123456, own;

	(void)state;
	handshake_message_put(bytes, &m, true, number);
	assert_memory_equal(bytes + 10, "\x00\x12\x34\x56", 4);
	assert_int_equal(handshake_message_get(bytes, &m, true), number);
	handshake_message_put(bytes, &m, false, number);
	memcpy(&own, bytes + 10, sizeof(own));
	assert_int_equal(own, number);
	assert_int_equal(handshake_message_get(bytes, &m, false), number);
}

static void test_handshake_steps__head__gives_format_and_size(void **state)
{
	static const struct {
		uint8_t head[HANDSHAKE_HEAD_SIZE];
		enum handshake_format format;
		size_t size;
	} row[] = {
		{{0, 1, 0, 50, 0x56, 0x42}, HANDSHAKE_VERSION_0, 50},
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

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		assert_int_equal(handshake_message_format(row[i].head), row[i].format);
		assert_int_equal(handshake_message_whole(row[i].head), row[i].size);
	}
}

VBM_TESTS(cmocka_unit_test(test_handshake_steps__members__have_the_places_of_the_page),
	  cmocka_unit_test(test_handshake_steps__plain_struct__follows_its_header),
	  cmocka_unit_test(test_handshake_steps__numbers__have_the_order_of_the_format),
	  cmocka_unit_test(test_handshake_steps__head__gives_format_and_size));
