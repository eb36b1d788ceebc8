/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/resolve/order.c */
#include "cmocka_all.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/addr.h"
#include "lib/resolve/order.h"

static struct order_item item(const char *dst, const char *src, int prefix)
{
	struct order_item i = {.prefix = prefix};

	assert_int_equal(vbm_literal_read(dst, &i.dst), LITERAL_ADDRESS);
	if (src)
		assert_int_equal(vbm_literal_read(src, &i.src), LITERAL_ADDRESS);
	return i;
}

/* The examples of RFC 6724, section 10.2, and the C library's IPv4 rule. */
static const struct {
	const char *first, *first_src, *second, *second_src;
	int prefix;
} cases[] = {
	{"2001:db8:1::1", "2001:db8:1::2", "198.51.100.121", "169.254.13.78", 16},
	{"198.51.100.121", "198.51.100.117", "2001:db8:1::1", "fe80::1", 24},
	{"2001:db8:1::1", "2001:db8:1::2", "10.1.2.3", "10.1.2.4", 24},
	{"fe80::1", "fe80::2", "2001:db8:1::1", "2001:db8:1::2", 0},
	{"2001:db8:1::1", "2001:db8:1::2", "2001:db8:3ffe::1", "2001:db8:3f44::2", 0},
	{"2002:c633:6401::1", "2002:c633:6401::2", "2001:db8:1::1", "2002:c633:6401::2", 0},
	{"2001:db8:1::1", "2001:db8:1::2", "2002:c633:6401::1", "2002:c633:6401::2", 0},
	{"192.0.2.1", "192.0.2.9", "2001:db8::1", NULL, 24},
	{"::1", "::1", "127.0.0.1", "127.0.0.1", 8},
	{"192.0.2.9", "192.0.2.8", "192.0.2.200", "192.0.2.8", 24},
};

TEST(test_order__table)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct order_item a = item(cases[i].first, cases[i].first_src, cases[i].prefix);
		struct order_item b = item(cases[i].second, cases[i].second_src, cases[i].prefix);

		if (vbm_order_compare(&a, &b) >= 0 || vbm_order_compare(&b, &a) <= 0)
			fail_msg("%s goes before %s", cases[i].first, cases[i].second);
	}
}

/* Rules 3 and 4: avoid a deprecated source, prefer a home address. */
TEST(test_order__what_the_source_is)
{
	struct order_item six = item("2001:db8:1::1", "2001:db8:1::2", 64);
	struct order_item four = item("198.51.100.121", "198.51.100.117", 24);
	struct order_item link = item("198.51.100.121", "169.254.13.78", 16);

	assert_true(vbm_order_compare(&six, &four) < 0);
	six.deprecated = true;
	assert_true(vbm_order_compare(&six, &four) > 0);
	assert_true(vbm_order_compare(&six, &link) < 0);	/* rule 2 comes first */
	four.deprecated = true;
	assert_true(vbm_order_compare(&six, &four) < 0);
	four.home = true;
	assert_true(vbm_order_compare(&six, &four) > 0);
	four.home = false;
	six.home = true;
	assert_true(vbm_order_compare(&six, &four) < 0);
	six.deprecated = four.deprecated = false;
	six.home = false;
	four.home = true;
	assert_true(vbm_order_compare(&six, &four) > 0);
	six.home = true;
	assert_true(vbm_order_compare(&six, &four) < 0);
	four.deprecated = true;
	four.home = true;
	six.home = false;
	assert_true(vbm_order_compare(&six, &four) < 0);	/* rule 3 comes before rule 4 */
}

/* A random generator with the same sequence in every run. */
static uint32_t number(void)
{
	static uint32_t state = 0x2545f491;

	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

static const char *const kinds[] = {
	"192.0.2.0", "198.51.100.0", "10.1.2.0", "127.0.0.0", "169.254.1.0",
	"::ffff:192.0.2.0", "::ffff:198.51.100.0", "::ffff:10.1.2.0", "::ffff:127.0.0.0",
	"::ffff:169.254.1.0", "2001:db8::", "2001:db8:1::", "2002:c000:201::", "fd00::",
	"fe80::", "fec0::", "2001::", "3ffe::", "ff02::", "ff0e::",
};

/* An address of one of few networks with few hosts, so that many are equal. */
static void any_address(union addr *a)
{
	const char *text = kinds[number() % (sizeof(kinds) / sizeof(kinds[0]))];

	assert_int_equal(vbm_literal_read(text, a), LITERAL_ADDRESS);
	if (a->sa.sa_family == AF_INET)
		a->in.sin_addr.s_addr |= htonl(number() % 8);
	else
		a->in6.sin6_addr.s6_addr[15] |= number() % 8;
}

static struct order_item any_item(void)
{
	static const int prefixes[] = {0, 8, 16, 24, 32};
	struct order_item i = {.prefix = prefixes[number() % 5]};

	any_address(&i.dst);
	if (number() % 8)
		any_address(&i.src);
	i.deprecated = addr_is_set(&i.src) && !(number() % 4);
	i.home = addr_is_set(&i.src) && !(number() % 4);
	return i;
}

static int sign(int n)
{
	return (n > 0) - (n < 0);
}

/* qsort(3) may do anything if the comparison is inconsistent. */
TEST(test_order__is_one)
{
	struct order_item item[120];
	int before[120][120];

	for (int i = 0; i < 120; i++)
		item[i] = any_item();
	for (int i = 0; i < 120; i++)
		for (int k = 0; k < 120; k++)
			before[i][k] = sign(vbm_order_compare(&item[i], &item[k]));
	for (int i = 0; i < 120; i++) {
		assert_int_equal(before[i][i], 0);
		for (int k = 0; k < 120; k++) {
			assert_int_equal(before[i][k], -before[k][i]);
			for (int m = 0; m < 120; m++)
				if (before[i][k] <= 0 && before[k][m] <= 0 && before[i][m] > 0)
					fail_msg("%d, %d, %d", i, k, m);
		}
	}
}

/* Both forms of an address are equal, and have the same position. */
TEST(test_order__mapped_is_as_plain)
{
	struct order_item near = item("::ffff:192.0.2.9", "::ffff:192.0.2.8", 24);
	struct order_item far = item("192.0.2.200", "192.0.2.8", 24);
	struct order_item local = item("::ffff:127.0.0.1", "::ffff:127.0.0.1", 8);

	assert_true(vbm_order_compare(&near, &far) < 0);
	assert_true(vbm_order_compare(&far, &near) > 0);
	assert_true(vbm_order_compare(&local, &near) < 0);
}

enum { FOUR_FIRST = 10, SIX_FIRST, NO_NAMESPACE, NO_ADDRESSES, WRONG };

/* In a network namespace of its own, with only these addresses. */
static int order_here(const char *lifetime)
{
	struct addr_list list = {0};
	char command[256];
	int first;

	if (unshare(CLONE_NEWNET) && unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return NO_NAMESPACE;
	snprintf(command, sizeof(command),
		 "ip link set lo up && ip addr add 192.0.2.1/24 dev lo && "
		 "ip addr add 2001:db8:1::1/64 dev lo nodad %s", lifetime);
	if (system(command))
		return NO_ADDRESSES;
	for (int i = 0; i < 2; i++) {
		struct order_item it = item(i ? "2001:db8:1::1" : "192.0.2.1", NULL, 0);

		if (vbm_addr_list_add(&list, &it.dst))
			return WRONG;
	}
	if (vbm_order_addresses(&list))
		return WRONG;
	first = list.item[0].sa.sa_family == AF_INET ? FOUR_FIRST : SIX_FIRST;
	vbm_addr_list_clear(&list);
	return first;
}

static int order_with(const char *lifetime)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid)
		_exit(order_here(lifetime));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

TEST(test_order__a_deprecated_address_of_this_host)
{
	int first = order_with("");

	if (first == NO_NAMESPACE || first == NO_ADDRESSES)
		skip();
	assert_int_equal(first, SIX_FIRST);
	assert_int_equal(order_with("preferred_lft 0"), FOUR_FIRST);
	assert_int_equal(order_with("home"), SIX_FIRST);
}

TEST(test_order__equal_in_other_networks)
{
	struct order_item a = item("198.51.100.1", "192.0.2.8", 24);
	struct order_item b = item("203.0.113.1", "192.0.2.8", 24);

	assert_int_equal(vbm_order_compare(&a, &b), 0);
}

TEST(test_order__keeps_the_order_of_equals)
{
	struct addr_list list = {0};
	union addr a;

	for (uint32_t i = 0; i < 50; i++) {
		vbm_addr_set_in(&a, 0x7f000001, (uint16_t)i);
		vbm_addr_list_add(&list, &a);
	}
	assert_int_equal(vbm_order_addresses(&list), 0);
	for (uint32_t i = 0; i < 50; i++)
		assert_int_equal(vbm_addr_port(&list.item[i]), i);
	vbm_addr_list_clear(&list);
}
