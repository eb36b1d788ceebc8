/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/resolve/resolver.c lib/resolve/getaddrinfo.c */
/*
 * Invalid arguments, given to both calls: each returns the same code, asks no name server
 * and leaves nothing behind (the sanitizers check that). It also reads nothing behind the
 * arguments, which end where their memory ends.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gai_help.h"
#include "lib/resolve/getaddrinfo.h"
#include "lib/resolve/hints.h"
#include "resolver-setup.h"
#include "lib/resolve/resolver.h"

#define HUGE_LENGTH (10 << 20)

static struct world world;
static struct vbm_resolver *resolver;

static int start(void **state)
{
	(void)state;
	world_open(&world);
	world_serve_wrong(&world, 0);
	return vbm_resolver_new(&world.cfg, &resolver);
}

static int stop(void **state)
{
	int ret = vbm_destroy_resolver(resolver);

	(void)state;
	ret |= wrong_dns_questions(world.wrong) != 0;
	world_close(&world);
	return ret;
}

UNIT(.each = {start, stop});

/*
 * The page's errno for the code, for calls that return only errno; 0: the end reports the
 * code.
 */
static int errno_for(int code)
{
	static const int map[][2] = {
		{GAI_ERRNO, EINVAL}, {EAI_FAMILY, EAFNOSUPPORT}, {EAI_QPTYPE, EPROTOTYPE},
	};

	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++)
		if (map[i][0] == code)
			return map[i][1];
	return 0;
}

/* The asynchronous call has the same result. Returns the code; 0 is success. */
static void both(const char *node, const char *service, const struct rdma_addrinfo *h, int want)
{
	struct rdma_addrinfo *res = (void *)1;
	struct vbm_request *r, *ended;
	int ret;

	errno = 0;
	ret = vbm_gai_translate(&world.cfg, node, service, h, &res);
	if (ret != want || (ret == GAI_ERRNO && errno != EINVAL) || (ret && res))
		fail_msg("'%.40s' '%.40s': %d, errno %d", node ? node : "-",
			 service ? service : "-", ret, errno);
	vbm_freeaddrinfo(res);
	errno = 0;
	ret = vbm_start_request(resolver, node, service, h, 0, NULL, &r);
	assert_int_equal(errno_for(want), ret ? errno : 0);
	if (ret)
		return;
	assert_int_equal(vbm_next_request(resolver, 10000, &ended), 0);
	assert_ptr_equal(ended, r);
	assert_int_equal(vbm_request_code(r), want);
	if (!want) {
		assert_int_equal(vbm_request_result(r, &res), 0);
		vbm_freeaddrinfo(res);
	}
	vbm_free_request(r);
}

TEST(test_bad__nothing)
{
	static const struct rdma_addrinfo none;

	both(NULL, NULL, NULL, EAI_NONAME);
	both(NULL, NULL, &none, EAI_NONAME);
	both("", NULL, NULL, EAI_NONAME);
	both("", "", NULL, EAI_NONAME);
	both(NULL, "", NULL, EAI_NONAME);
	both("192.0.2.1", "", NULL, EAI_NONAME);
	both("192.0.2.1", NULL, NULL, 0);
	both(NULL, "0", NULL, 0);
}

TEST(test_bad__ten_megabytes)
{
	static const char fill[] = "7x.:%- \n";
	char *huge = malloc(HUGE_LENGTH + 1);

	huge[HUGE_LENGTH] = '\0';
	for (const char *c = fill; *c; c++) {
		memset(huge, *c, HUGE_LENGTH);
		both(huge, "1", NULL, EAI_NONAME);
		both("192.0.2.1", huge, NULL, EAI_NONAME);
		both(huge, huge, NULL, EAI_NONAME);
	}
	/* Each label is valid, but there are too many. */
	for (size_t i = 1; i < HUGE_LENGTH; i += 2)
		huge[i] = '.';
	both(huge, "1", NULL, EAI_NONAME);
	free(huge);
}

TEST(test_bad__bytes_in_names)
{
	for (int c = 1; c < 256; c++) {
		char node[] = "a?b.test", service[] = "7471?";

		if (c > ' ' && c < 0x7f && c != '\\')
			continue;
		node[1] = service[4] = (char)c;
		both(node, "1", NULL, EAI_NONAME);
		both("192.0.2.1", service, NULL, EAI_NONAME);
		memmove(service + 1, "7471", 4);
		service[0] = (char)c;
		both("192.0.2.1", service, NULL, EAI_NONAME);
	}
}

TEST(test_bad__services)
{
	static const char *const bad[] = {
		"65536", "-1", "7471x", " 7471", "+1", "--1", "0x1d2f", "1e3", "7471,7472",
		"4294967296", "4294974767", "18446744073709551616", "18446744073709559087",
		"99999999999999999999999999999999", "-18446744073709544145",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		both("192.0.2.1", bad[i], NULL, EAI_NONAME);
}

TEST(test_bad__scopes)
{
	static const char *const bad[] = {
		"fe80::1%nosuchif", "fe80::1%", "fe80::1%%lo", "fe80::1%-1",
		"fe80::1%4294967297", "fe80::1%18446744073709551617", "fe80::1%0x1",
		"fe80::1%lo%lo", "fe80::1%lo/64", "fe80::1% lo", "::1%lo0000000000000000",
		"fe80::1%\x01",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		both(bad[i], "1", NULL, EAI_NONAME);
}

TEST(test_bad__families)
{
	static const int bad[] = {-1, 1, 3, 28, 999, 65538, INT_MAX, INT_MIN};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct rdma_addrinfo h = {.ai_family = bad[i]};
		struct sockaddr_storage ss = {.ss_family = (sa_family_t)bad[i]};

		both("192.0.2.1", "1", &h, EAI_FAMILY);
		both(NULL, "1", &h, EAI_FAMILY);
		h = (struct rdma_addrinfo){.ai_dst_addr = (void *)&ss, .ai_dst_len = sizeof(ss)};
		/* The field of the family is narrower than the number, so it may store a known family. */
		if (ss.ss_family != AF_INET)
			both(NULL, "1", &h, ss.ss_family == AF_UNSPEC ? 0 : EAI_FAMILY);
	}
}

/* An address in memory of just this length, with arbitrary bytes. */
static void address_of(size_t len, int family)
{
	struct sockaddr *sa = malloc(len ? len : 1);
	struct rdma_addrinfo h = {.ai_src_addr = sa, .ai_src_len = (socklen_t)len};
	size_t least = family == AF_INET ? 16 : 28;
	int want = !len ? EAI_NONAME : len < least || len > 128 ? GAI_ERRNO : 0;

	memset(sa, 0xff, len ? len : 1);
	if (len >= sizeof(sa->sa_family))
		sa->sa_family = (sa_family_t)family;
	both(NULL, NULL, &h, want);
	h = (struct rdma_addrinfo){.ai_dst_addr = sa, .ai_dst_len = (socklen_t)len};
	both(NULL, NULL, &h, want);
	free(sa);
}

TEST(test_bad__lengths_in_hints)
{
	static const struct rdma_addrinfo without[] = {
		{.ai_src_len = 16}, {.ai_dst_len = 16}, {.ai_route_len = 72}, {.ai_connect_len = 1},
		{.ai_src_len = UINT_MAX}, {.ai_dst_len = UINT_MAX},
	};

	for (size_t len = 0; len < 200; len++) {
		address_of(len, AF_INET);
		address_of(len, AF_INET6);
	}
	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++)
		both("192.0.2.1", "1", &without[i], GAI_ERRNO);
	for (size_t len = 1; len < 600; len++) {
		uint8_t *route = malloc(len);
		struct rdma_addrinfo h = {.ai_route = route, .ai_route_len = (socklen_t)len};
		bool whole = len % 72 == 0 || len % 64 == 0;

		memset(route, 0xff, len);
		both("192.0.2.1", "1", &h, whole ? 0 : GAI_ERRNO);
		free(route);
	}
}
