/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/resolve/locals.c */
#include "cmocka_all.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "lib/base/addr.h"
#include "lib/resolve/locals.h"
#include "lib/base/mem.h"

struct attribute {
	unsigned short type;
	const char *address;	/* NULL: the address is given as a number */
	uint32_t number;
};

static size_t put(uint8_t *at, unsigned short type, const void *bytes, size_t len)
{
	struct rtattr head = {.rta_type = type, .rta_len = (unsigned short)(sizeof(head) + len)};

	memcpy(at, &head, sizeof(head));
	memcpy(at + sizeof(head), bytes, len);
	return RTA_ALIGN(head.rta_len);
}

/* Write a message about one address to @at. Returns its length. */
static size_t message(uint8_t *at, struct ifaddrmsg m, const struct attribute *list, size_t count)
{
	struct nlmsghdr head = {.nlmsg_type = RTM_NEWADDR};
	size_t len = sizeof(head) + sizeof(m);
	union addr a;

	memcpy(at + sizeof(head), &m, sizeof(m));
	for (size_t i = 0; i < count; i++) {
		if (!list[i].address) {
			len += put(at + len, list[i].type, &list[i].number, 4);
			continue;
		}
		assert_int_equal(vbm_literal_read(list[i].address, &a), LITERAL_ADDRESS);
		if (a.sa.sa_family == AF_INET)
			len += put(at + len, list[i].type, &a.in.sin_addr, 4);
		else
			len += put(at + len, list[i].type, &a.in6.sin6_addr, 16);
	}
	head.nlmsg_len = (uint32_t)len;
	memcpy(at, &head, sizeof(head));
	return len;
}

/* Two addresses in the kernel's format. */
static size_t two(uint8_t *at)
{
	static const struct attribute four[] = {
		{IFA_ADDRESS, "192.0.2.99"}, {IFA_LOCAL, "192.0.2.1"}, {IFA_ADDRESS, "192.0.2.98"},
		{IFA_FLAGS, NULL, IFA_F_PERMANENT},
	};
	static const struct attribute six[] = {
		{IFA_ADDRESS, "fe80::1"}, {IFA_FLAGS, NULL, IFA_F_DEPRECATED | 0x100},
	};
	struct ifaddrmsg m = {.ifa_family = AF_INET, .ifa_prefixlen = 24, .ifa_index = 2};
	size_t len;

	m.ifa_flags = IFA_F_HOMEADDRESS;	/* the attribute overrides this */
	len = message(at, m, four, 4);
	m = (struct ifaddrmsg){.ifa_family = AF_INET6, .ifa_prefixlen = 64, .ifa_index = 3};
	return len + message(at + len, m, six, 2);
}

static const struct local *find(const struct locals *l, const char *address, uint32_t scope)
{
	union addr a;

	assert_int_equal(vbm_literal_read(address, &a), LITERAL_ADDRESS);
	if (scope)
		a.in6.sin6_scope_id = scope;
	return vbm_locals_find(l, &a);
}

TEST(test_locals__what_the_kernel_says)
{
	const struct local *four, *six;
	struct locals l = {0};
	uint8_t buf[512];

	assert_int_equal(vbm_locals_parse(&l, buf, two(buf)), 1);
	assert_int_equal(l.count, 2);
	four = find(&l, "192.0.2.1", 0);
	six = find(&l, "fe80::1", 3);
	assert_non_null(four);
	assert_non_null(six);
	assert_int_equal(four->prefix, 24);
	assert_int_equal(four->index, 2);
	assert_int_equal(six->index, 3);
	assert_false(four->deprecated || four->home);
	assert_int_equal(six->prefix, 64);
	assert_true(six->deprecated);
	assert_ptr_equal(find(&l, "fe80::1", 0), six);
	assert_null(find(&l, "fe80::1", 2));		/* on another interface */
	assert_null(find(&l, "192.0.2.99", 0));		/* the address of the other end */
	vbm_locals_clear(&l);
}

/* For every length, and every type at every offset: nothing outside the message is read. */
TEST(test_locals__cut_and_garbled)
{
	uint8_t buf[512];
	size_t len = two(buf);

	for (size_t cut = 0; cut <= len; cut++) {
		uint8_t *exact = malloc(cut ? cut : 1);
		struct locals l = {0};

		memcpy(exact, buf, cut);
		assert_in_range(vbm_locals_parse(&l, exact, cut), 0, 1);
		assert_in_range(l.count, 0, 2);
		vbm_locals_clear(&l);
		free(exact);
	}
	for (size_t at = 0; at < len; at++) {
		for (int value = 0; value < 256; value++) {
			uint8_t *exact = malloc(len);
			struct locals l = {0};

			memcpy(exact, buf, len);
			exact[at] = (uint8_t)value;
			assert_true(vbm_locals_parse(&l, exact, len) <= 1);
			vbm_locals_clear(&l);
			free(exact);
		}
	}
}

TEST(test_locals__of_this_host)
{
	const struct local *lo;
	struct locals l;

	assert_int_equal(vbm_locals_read(&l), 0);
	lo = find(&l, "127.0.0.1", 0);
	if (!lo) {
		vbm_locals_clear(&l);
		skip();
	}
	assert_int_equal(lo->prefix, 8);
	vbm_locals_clear(&l);
	assert_null(find(&l, "127.0.0.1", 0));
}

/* An error of the kernel ends a dump. */
TEST(test_locals__an_error_in_the_answer)
{
	static const uint16_t types[] = {NLMSG_ERROR, NLMSG_DONE};
	static const struct {
		int said, want;
	} errors[] = {{-ENOBUFS, -ENOBUFS}, {0, 0}, {-5000, 0}, {7, 0}};

	for (int t = 0; t < 2; t++) {
		for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
			struct nlmsghdr head = {
				.nlmsg_type = types[t], .nlmsg_len = sizeof(head) + sizeof(int),
			};
			struct locals l = {0};
			uint8_t buf[sizeof(head) + sizeof(int)];

			memcpy(buf, &head, sizeof(head));
			memcpy(buf + sizeof(head), &errors[i].said, sizeof(int));
			assert_int_equal(vbm_locals_parse(&l, buf, sizeof(buf)), errors[i].want);
		}
	}
}

TEST(test_locals__no_descriptor)
{
	struct rlimit old, none;
	struct locals l;
	int ret;

	getrlimit(RLIMIT_NOFILE, &old);
	none = old;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	ret = vbm_locals_read(&l);
	setrlimit(RLIMIT_NOFILE, &old);
	assert_int_equal(ret, -EMFILE);
	assert_int_equal(l.count, 0);
}

static bool refuse(void)
{
	return false;
}

TEST(test_locals__no_memory)
{
	struct locals l = {0};
	uint8_t buf[512];
	int ret;

	vbm_mem_set_filter(refuse);
	ret = vbm_locals_parse(&l, buf, two(buf));
	vbm_mem_set_filter(NULL);
	assert_int_equal(ret, -ENOMEM);
	vbm_locals_clear(&l);
}
