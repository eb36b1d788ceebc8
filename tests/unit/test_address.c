/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: base/address.c net/ip.c */
#include "cmocka_all.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <string.h>

#include "base/address.h"
#include "base/xalloc.h"
#include "call/step-util.h"
#include "net/ip.h"

static const struct {
	const char *text, *ip, *scope;
	int port;
} good[] = {
	{"10.0.0.1", "10.0.0.1", "", -1},
	{"0.0.0.0:0", "0.0.0.0", "", 0},
	{"10.0.0.1:7471", "10.0.0.1", "", 7471},
	{"10.0.0.1:65535", "10.0.0.1", "", 65535},
	{"10.0.0.1:00080", "10.0.0.1", "", 80},
	{"::", "::", "", -1},
	{"::1", "::1", "", -1},
	{"fd00::1:7471", "fd00::1:7471", "", -1},
	{"::ffff:10.0.0.1", "::ffff:10.0.0.1", "", -1},
	{"[::1]:7471", "::1", "", 7471},
	{"[::ffff:10.0.0.1]:1", "::ffff:10.0.0.1", "", 1},
	{"fe80::1%lo", "fe80::1", "lo", -1},
	{"fe80::1%2", "fe80::1", "2", -1},
	{"[fe80::1%verbatim-host-a]:7471", "fe80::1", "verbatim-host-a", 7471},
	{"1111:2222:3333:4444:5555:6666:255.255.255.255%verbatim-host-a",
	 "1111:2222:3333:4444:5555:6666:ffff:ffff", "verbatim-host-a", -1},
};

static const char *const bad[] = {
	"", " ", "a", "10.0.0", "10.0.0.256", "10.0.0.1 ", " 10.0.0.1", "10.0.0.1:", "10.0.0.1:x",
	"10.0.0.1:+1", "10.0.0.1: 1", "10.0.0.1:-1", "10.0.0.1:65536", "10.0.0.1:000001",
	"10.0.0.1:4294967376", "10.0.0.1:80x", "10.0.0.1%lo", "10.0.0.1%lo:80", "[10.0.0.1]:80",
	"10.0.0.1/24", ":", ":80", "::1]", "[::1", "[::1]", "[::1]x", "[::1]:", "[::1]:x", "[]:80",
	"[[::1]]:80", "[::1]:80:90", "[::1]]:80", "::1::", "1:2:3:4:5:6:7:8:9", "fe80::1%",
	"fe80::1%a%b", "fe80::1%a/b", "fe80::1%a b", "fe80::1%verbatim-host-ab", "[fe80::1]%lo:80",
	"%lo", "localhost:80", "1111:2222:3333:4444:5555:6666:7777:8888%verbatim-host-abcdefghijk",
};

TEST(test_address__good_texts__are_read)
{
	char ip[INET6_ADDRSTRLEN], wanted[INET6_ADDRSTRLEN];
	unsigned char bytes[16];
	struct address a;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		int family = strchr(good[i].ip, ':') ? AF_INET6 : AF_INET;

		if (!address_read(good[i].text, &a))
			fail_msg("'%s' is refused", good[i].text);
		assert_int_equal(a.family, family);
		assert_int_equal(a.port, good[i].port);
		assert_string_equal(a.scope, good[i].scope);
		assert_int_equal(inet_pton(family, good[i].ip, bytes), 1);
		assert_string_equal(inet_ntop(family, a.ip, ip, sizeof(ip)),
				    inet_ntop(family, bytes, wanted, sizeof(wanted)));
	}
}

TEST(test_address__bad_texts__are_refused)
{
	struct sockaddr_storage sa;
	struct vbm_error err;
	struct address a;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		if (address_read(bad[i], &a))
			fail_msg("'%s' is taken", bad[i]);
		if (step_address_parse(&sa, bad[i], 0, &err) != -EINVAL)
			fail_msg("'%s' is taken by a step", bad[i]);
	}
}

TEST(test_address__of_a_step__has_port_and_interface)
{
	struct sockaddr_storage sa;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&sa;
	const struct sockaddr_in *in = (const struct sockaddr_in *)&sa;
	struct vbm_error err = {0};

	assert_int_equal(step_address_parse(&sa, "10.0.0.1", 80, &err), 0);
	assert_int_equal(in->sin_family, AF_INET);
	assert_int_equal(ntohs(in->sin_port), 80);
	assert_int_equal(step_address_parse(&sa, "10.0.0.1:0", 80, &err), 0);
	assert_int_equal(in->sin_port, 0);
	assert_int_equal(step_address_parse(&sa, "[fe80::1%lo]:81", 80, &err), 0);
	assert_int_equal(in6->sin6_family, AF_INET6);
	assert_int_equal(ntohs(in6->sin6_port), 81);
	assert_int_equal(in6->sin6_scope_id, if_nametoindex("lo"));
	assert_int_equal(step_address_parse(&sa, "fe80::1%7", 80, &err), 0);
	assert_int_equal(in6->sin6_scope_id, 7);
	assert_int_equal(step_address_parse(&sa, "fe80::1%4294967297", 80, &err), -ENODEV);
	assert_int_equal(step_address_parse(&sa, "fe80::1%nosuchif", 80, &err), -ENODEV);
	assert_string_equal(err.msg, "'fe80::1%nosuchif': there is no interface 'nosuchif' on this host");
	assert_int_equal(step_address_parse(&sa, "fe80::1%7x", 80, &err), -ENODEV);
}

TEST(test_address__of_a_network__has_neither_port_nor_scope)
{
	struct ip_prefix p;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++)
		assert_int_equal(ip_parse(good[i].text, &p),
				 good[i].port < 0 && !good[i].scope[0]);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(ip_parse(bad[i], &p), strcmp(bad[i], "10.0.0.1/24") == 0);
}
