/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: fabric/addresses.c net/ip.c */
#include "cmocka_all.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>

#include "fabric/fabric.h"
#include "fabric/fabric-priv.h"

static struct ip_prefix ip(const char *text)
{
	struct ip_prefix p;

	if (!ip_parse(text, &p))
		fail_msg("%s does not parse", text);
	return p;
}

TEST(test_ip__text__round_trips)
{
	static const char *const texts[] = {"10.0.0.1", "10.0.0.0/8", "0.0.0.0/0", "fd86::1",
					    "fd86::/64"};
	struct ip_prefix p;
	char text[IP_TEXT_MAX];
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		p = ip(texts[i]);
		assert_string_equal(ip_format(&p, text), texts[i]);
	}
}

TEST(test_ip__bad_text__is_refused)
{
	static const char *const bad[] = {"", "/", "10.0.0", "10.0.0.1/", "10.0.0.1/33", "10.0.0.1/-1",
					  "fd86::1/129", "fd86::1/6 4", "host", "10.0.0.1/0x8",
					  "0000000000000000000000000000000000000000000000000000000000::"};
	struct ip_prefix p;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (ip_parse(bad[i], &p))
			fail_msg("'%s' was taken for an address", bad[i]);
}

TEST(test_ip__overlap__compares_the_shorter_prefix)
{
	struct ip_prefix net = ip("10.86.0.0/23"), in = ip("10.86.1.7"), out = ip("10.86.2.0/24");
	struct ip_prefix six = ip("::/0");

	assert_true(ip_overlap(&net, &in));
	assert_true(ip_overlap(&in, &net));
	assert_false(ip_overlap(&net, &out));
	assert_false(ip_overlap(&net, &six));
}

TEST(test_addresses__subnets__avoid_what_is_taken)
{
	struct ip_set taken = {0};
	struct ip_prefix def = ip("0.0.0.0/0"), four = ip("10.86.0.9"), six = ip("fd86:7662:6d00:1::/64");
	struct subnets net;
	struct vbm_error err;

	ip_set_add(&taken, &def);
	assert_int_equal(fabric_subnets(&taken, &net, &err), 0);
	assert_int_equal(net.number, 0);
	ip_set_add(&taken, &four);
	ip_set_add(&taken, &six);
	assert_int_equal(fabric_subnets(&taken, &net, &err), 0);
	assert_int_equal(net.number, 2);
	ip_set_fini(&taken);
}

TEST(test_addresses__everything_taken__says_so)
{
	struct ip_set taken = {0};
	struct ip_prefix ten = ip("10.0.0.0/8");
	struct subnets net;
	struct vbm_error err;

	ip_set_add(&taken, &ten);
	assert_int_equal(fabric_subnets(&taken, &net, &err), -EADDRNOTAVAIL);
	assert_non_null(strstr(err.msg, "10.86.0.0/16"));
	ip_set_fini(&taken);
}

TEST(test_addresses__addresses__count_from_one)
{
	struct ip_prefix four = ip("10.86.3.0/24"), six = ip("fd86::/64"), a, b;
	char text[IP_TEXT_MAX];

	a = fabric_address(&four, 0);
	assert_string_equal(ip_format(&a, text), "10.86.3.1");
	b = fabric_address(&six, 63);
	assert_string_equal(ip_format(&b, text), "fd86::40");
}

TEST(test_addresses__names__fit_and_read_back)
{
	char name[16], rdma[32], letter[8];
	int i;

	for (i = 0; i < FABRIC_HOSTS_MAX; i++) {
		host_name(i, letter);
		assert_int_equal(host_number(letter), i);
		fabric_netdev_name(0xa0f2, i, name);
		assert_true(strlen(name) < IFNAMSIZ);
		assert_int_equal(fabric_run_of_netdev(name), 0xa0f2);
		fabric_rdma_name(0xa0f2, i, rdma);
		assert_int_equal(fabric_run_of_rdma(rdma), 0xa0f2);
		assert_int_equal(fabric_run_of_table(fabric_table(0xa0f2, i)), 0xa0f2);
	}
	fabric_netdev_name(0xa0f2, 27, name);
	assert_string_equal(name, "vb-a0f2-ab");
}

TEST(test_addresses__foreign_names__are_not_ours)
{
	static const char *const foreign[] = {"", "vb", "eth0", "vb-12", "vb-12345-a", "vb-12g4-a",
					      "vb-1234-", "vb-1234-A", "vb-1234-abc", "vb_1234_a",
					      "vb-1234-a0", "vb-1234_a", "VB-1234-a", "vb-12F4-a"};
	size_t i;

	for (i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		if (fabric_run_of_netdev(foreign[i]) >= 0)
			fail_msg("'%s' was taken for ours", foreign[i]);
	assert_int_equal(fabric_run_of_table(254), -1);
	assert_int_equal(fabric_run_of_table(0x56ffffff), -1);
}
