/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/resolve/resolvconf.c lib/resolve/databases.c lib/resolve/lookup.c */
#include "cmocka_all.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "lib/resolve/databases.h"
#include "lib/resolve/resolvconf.h"

static const char hosts[] =
	"127.0.0.1\tlocalhost # loop\n"
	"::1 localhost ip6-localhost\n"
	"192.0.2.1 A.Test a\n"
	"192.0.2.2 a.test other\n"
	"2001:db8::1 six\n"
	"nonsense bad\n"
	"192.0.2.9\n"
	"# 192.0.2.8 hidden\n"
	"192.0.2.3 last";

static struct hosts_match find(const char *name, int family)
{
	struct hosts_match m;

	assert_int_equal(vbm_hosts_scan(hosts, sizeof(hosts) - 1, name, family, &m), 0);
	return m;
}

static void expect(const char *name, int family, size_t count, bool other)
{
	struct hosts_match m = find(name, family);

	if (m.addrs.count != count || m.other_family != other)
		fail_msg("%s: %zu addresses", name, m.addrs.count);
	vbm_hosts_match_clear(&m);
}

TEST(test_hosts__names_and_families)
{
	expect("localhost", AF_UNSPEC, 2, false);
	expect("LOCALHOST.", AF_UNSPEC, 2, false);
	expect("localhost", AF_INET6, 1, true);
	expect("a.test", AF_INET, 2, false);
	expect("a", AF_INET, 1, false);
	expect("six", AF_INET, 0, true);
	expect("last", AF_UNSPEC, 1, false);
	expect("bad", AF_UNSPEC, 0, false);
	expect("hidden", AF_UNSPEC, 0, false);
	expect("loop", AF_UNSPEC, 0, false);
	expect("192.0.2.9", AF_UNSPEC, 0, false);
}

TEST(test_hosts__canonical_name_is_the_first)
{
	struct hosts_match m = find("other", AF_UNSPEC);

	assert_string_equal(m.canon, "a.test");
	vbm_hosts_match_clear(&m);
}

static struct resolv_conf parse(const char *text)
{
	struct resolv_conf c;

	vbm_resolv_parse(&c, text, strlen(text));
	return c;
}

TEST(test_resolv__defaults)
{
	struct resolv_conf c = parse("");

	assert_int_equal(c.ndots, 1);
	assert_int_equal(c.timeout, 5);
	assert_int_equal(c.attempts, 2);
	assert_int_equal(c.servers, 0);
	vbm_resolv_complete(&c);
	assert_int_equal(c.servers, 1);
	assert_int_equal(c.server[0].in.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
}

TEST(test_resolv__everything)
{
	struct resolv_conf c = parse(
		"; comment\n# comment\ndomain ignored.test\n"
		"search one.test two.test.\nnameserver 192.0.2.53\n"
		"nameserver 2001:db8::53\nnameserver bad\nnameserver\n"
		"nameserver 192.0.2.54\nnameserver 192.0.2.55\n"
		"options ndots:3 timeout:7 attempts:4 rotate use-vc unknown\n"
		"options ndots:99 timeout:x attempts:-1 timeout:0\n");

	assert_int_equal(c.servers, 3);
	assert_int_equal(c.server[1].sa.sa_family, AF_INET6);
	assert_int_equal(c.server[2].in.sin_addr.s_addr, htonl(0xc0000236));
	assert_int_equal(c.searches, 2);
	assert_string_equal(c.search[1], "two.test");
	assert_int_equal(c.ndots, 15);
	assert_int_equal(c.timeout, 7);
	assert_int_equal(c.attempts, 4);
	assert_true(c.rotate);
	assert_true(c.use_tcp);
}

static void expect_candidates(const char *conf, const char *name, const char *want)
{
	struct resolv_conf c = parse(conf);
	char got[512] = "", one[520];

	for (size_t n = 0; vbm_resolv_candidate(&c, name, n, one, sizeof(one)); n++) {
		strcat(got, one);
		strcat(got, " ");
	}
	assert_string_equal(got, want);
}

TEST(test_resolv__candidates)
{
	expect_candidates("", "a", "a ");
	expect_candidates("search x y", "a", "a.x a.y a ");
	expect_candidates("search x y", "a.b", "a.b a.b.x a.b.y ");
	expect_candidates("search x\noptions ndots:2", "a.b", "a.b.x a.b ");
	expect_candidates("search x y", "a.", "a ");
	expect_candidates("search .", "a", "a a ");
}

TEST(test_resolv__survives_any_text)
{
	static const char *const odd[] = {
		"nameserver", "search", "options", "domain\n\n\n", "options ndots:", "\0",
		"search a b c d e f g h i j k l m n o p", "nameserver 1.2.3.4.5.6",
	};

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		parse(odd[i]);
}
