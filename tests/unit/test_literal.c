/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/base/addr.c */
#include "cmocka_all.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/addr.h"

static const struct {
	const char *text;
	enum literal kind;
	int family;
} cases[] = {
	{"192.0.2.1", LITERAL_ADDRESS, AF_INET},
	{"0.0.0.0", LITERAL_ADDRESS, AF_INET},
	{"255.255.255.255", LITERAL_ADDRESS, AF_INET},
	{"::", LITERAL_ADDRESS, AF_INET6},
	{"::1", LITERAL_ADDRESS, AF_INET6},
	{"2001:DB8::1", LITERAL_ADDRESS, AF_INET6},
	{"::ffff:192.0.2.1", LITERAL_ADDRESS, AF_INET6},
	{"fe80::1", LITERAL_ADDRESS, AF_INET6},
	{"256.1.1.1", LITERAL_NEITHER, 0},
	{"127.1", LITERAL_NEITHER, 0},
	{"2130706433", LITERAL_NEITHER, 0},
	{"0x7f000001", LITERAL_NEITHER, 0},
	{"0x7f.0.0.1", LITERAL_NEITHER, 0},
	{"010.0.0.1", LITERAL_NEITHER, 0},
	{"192.0.2.1.", LITERAL_NEITHER, 0},
	{"192.0.2.1 ", LITERAL_NEITHER, 0},
	{" 192.0.2.1", LITERAL_NEITHER, 0},
	{"192.0.2", LITERAL_NEITHER, 0},
	{"1:2:3", LITERAL_NEITHER, 0},
	{":::", LITERAL_NEITHER, 0},
	{"[::1]", LITERAL_NEITHER, 0},
	{"::1%", LITERAL_NEITHER, 0},
	{"fe80::1%nosuchif", LITERAL_NEITHER, 0},
	{"fe80::1%4294967296", LITERAL_NEITHER, 0},
	{"fe80::1%-1", LITERAL_NEITHER, 0},
	{"2001:db8::1%lo", LITERAL_NEITHER, 0},
	{"", LITERAL_NEITHER, 0},
	{".", LITERAL_NEITHER, 0},
	{".a", LITERAL_NEITHER, 0},
	{"a..b", LITERAL_NEITHER, 0},
	{"a b", LITERAL_NEITHER, 0},
	{"a\nb", LITERAL_NEITHER, 0},
	{"a\x01.test", LITERAL_NEITHER, 0},
	{"a\\.test", LITERAL_NEITHER, 0},
	{"caf\xc3\xa9.test", LITERAL_NEITHER, 0},
	{"a", LITERAL_NAME, 0},
	{"a.test", LITERAL_NAME, 0},
	{"a.test.", LITERAL_NAME, 0},
	{"_srv.a-b.test", LITERAL_NAME, 0},
	{"1a.test", LITERAL_NAME, 0},
	{"0xa.test", LITERAL_NAME, 0},
	{"node.7", LITERAL_NAME, 0},
	{"node.0x7f", LITERAL_NAME, 0},
	{"7.node.1.", LITERAL_NAME, 0},
	{"1.2.3.4.5", LITERAL_NEITHER, 0},
	{"256.0x1.08.", LITERAL_NEITHER, 0},
};

TEST(test_literal__table)
{
	union addr a;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (vbm_literal_read(cases[i].text, &a) != cases[i].kind)
			fail_msg("\"%s\" is not kind %d", cases[i].text, cases[i].kind);
		if (cases[i].kind == LITERAL_ADDRESS)
			assert_int_equal(a.sa.sa_family, cases[i].family);
	}
}

TEST(test_literal__bytes_arrive_in_order)
{
	static const uint8_t want[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = 1};
	union addr a;

	vbm_literal_read("192.0.2.1", &a);
	assert_int_equal(a.in.sin_addr.s_addr, htonl(0xc0000201));
	assert_int_equal(a.in.sin_port, 0);
	vbm_literal_read("2001:db8::1", &a);
	assert_memory_equal(&a.in6.sin6_addr, want, 16);
	assert_int_equal(a.in6.sin6_scope_id, 0);
}

TEST(test_literal__scope_by_name_and_by_number)
{
	unsigned int lo = if_nametoindex("lo");
	char text[64];
	union addr a;

	assert_int_equal(vbm_literal_read("fe80::1%lo", &a), LITERAL_ADDRESS);
	assert_int_equal(a.in6.sin6_scope_id, lo);
	snprintf(text, sizeof(text), "fe80::1%%%u", lo);
	assert_int_equal(vbm_literal_read(text, &a), LITERAL_ADDRESS);
	assert_int_equal(a.in6.sin6_scope_id, lo);
}

TEST(test_literal__lengths_have_bounds)
{
	size_t len = 10 << 20;
	char *huge = malloc(len + 1);
	char name[300];
	union addr a;

	memset(huge, 'a', len);
	huge[len] = '\0';
	assert_int_equal(vbm_literal_read(huge, &a), LITERAL_NEITHER);
	free(huge);
	memset(name, 'a', sizeof(name));
	name[63] = '\0';
	assert_int_equal(vbm_literal_read(name, &a), LITERAL_NAME);
	name[63] = 'a';
	name[64] = '\0';
	assert_int_equal(vbm_literal_read(name, &a), LITERAL_NEITHER);
	for (int i = 0; i < 253; i++)
		name[i] = i % 2 ? '.' : 'a';
	name[253] = '\0';
	assert_int_equal(vbm_literal_read(name, &a), LITERAL_NAME);
	strcpy(name + 253, ".");
	assert_int_equal(vbm_literal_read(name, &a), LITERAL_NAME);
	strcpy(name + 253, ".a");
	assert_int_equal(vbm_literal_read(name, &a), LITERAL_NEITHER);
}

/* Only the kernel knows which scope numbers are valid, and only when they are used. */
TEST(test_literal__scope_that_no_interface_has)
{
	static const struct {
		const char *text;
		uint32_t scope;
	} numbers[] = {
		{"fe80::1%99999", 99999}, {"fe80::1%0", 0}, {"fe80::1%4294967295", UINT32_MAX},
		{"2001:db8::1%7777", 7777}, {"::ffff:192.0.2.1%7777", 7777},
		{"fe80::1%00000000000000001", 1},
	};
	char text[512];
	union addr a;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (vbm_literal_read(numbers[i].text, &a) != LITERAL_ADDRESS)
			fail_msg("%s is no address", numbers[i].text);
		assert_int_equal(a.in6.sin6_scope_id, numbers[i].scope);
	}
	snprintf(text, sizeof(text), "fe80::1%%%0300d", 7);
	assert_int_equal(vbm_literal_read(text, &a), LITERAL_ADDRESS);
	assert_int_equal(a.in6.sin6_scope_id, 7);
	snprintf(text, sizeof(text), "fe80::1%%%0300d", 0);
	text[100] = '9';
	assert_int_equal(vbm_literal_read(text, &a), LITERAL_NEITHER);
}

/* An interface may be named for an address that means something else on every link. */
TEST(test_literal__scope_by_name_of_multicast)
{
	static const char *const named[] = {"ff01::1%lo", "ff02::1%lo", "ff11::1%lo", "ff12::1%lo"};
	static const char *const wide[] = {"ff00::1%lo", "ff03::1%lo", "ff05::1%lo", "ff0e::1%lo"};
	union addr a;

	for (size_t i = 0; i < 4; i++) {
		if (vbm_literal_read(named[i], &a) != LITERAL_ADDRESS)
			fail_msg("%s is no address", named[i]);
		assert_int_equal(a.in6.sin6_scope_id, if_nametoindex("lo"));
		if (vbm_literal_read(wide[i], &a) != LITERAL_NEITHER)
			fail_msg("%s is an address", wide[i]);
	}
}
