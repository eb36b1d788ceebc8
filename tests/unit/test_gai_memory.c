/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/base/mem.c lib/resolve/dns.c lib/resolve/databases.c */
#include "cmocka_all.h"

#include <ares.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "gai_help.h"
#include "lib/resolve/getaddrinfo.h"
#include "lib/base/mem.h"
#include "resolver-setup.h"

static struct world world;
static int countdown, refusals;

/* Refuse the n-th allocation only. */
static bool allow(void)
{
	if (countdown-- != 0)
		return true;
	refusals++;
	return false;
}

/*
 * Let each allocation of the call fail in turn, until a call has fewer. The sanitizer and
 * valgrind find leaks.
 */
static void starve(const char *node, const char *service, const struct rdma_addrinfo *h, int least)
{
	struct rdma_addrinfo *res;
	int n = 0, ret;

	for (;; n++) {
		do {
			res = (void *)1;
			countdown = n;
			refusals = 0;
			vbm_mem_set_filter(allow);
			ret = vbm_gai_translate(&world.cfg, node, service, h, &res);
			vbm_mem_set_filter(NULL);
		} while (!refusals && world_answer_was_late(&world, ret));
		if (!refusals)
			break;
		if (ret != EAI_MEMORY || res)
			fail_msg("%s, allocation %d: %d", node ? node : "-", n, ret);
	}
	assert_int_equal(ret, 0);
	check_list(res);
	vbm_freeaddrinfo(res);
	assert_in_range(n, least, 1000);
}

/*
 * The DNS library allocates through the filter as well. It must be told so before any other
 * call.
 */
static void __attribute__((constructor)) filter_the_dns_library(void)
{
	if (ares_library_init_mem(ARES_LIB_INIT_ALL, vbm_mem_alloc, free, vbm_mem_resize))
		abort();
}

static int start(void **state)
{
	(void)state;
	world_open(&world);
	world_patience(&world, 1);
	world_serve_wrong(&world, 0);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	world_close(&world);
	return 0;
}

UNIT(.each = {start, stop});

TEST(test_memory__literals_and_hints)
{
	struct rdma_addrinfo dst = {.ai_dst_addr = sock("192.0.2.1", 1), .ai_dst_len = 16,
		.ai_src_addr = sock("192.0.2.2", 1), .ai_src_len = 16};
	struct rdma_addrinfo passive = {.ai_flags = RAI_PASSIVE};

	starve("192.0.2.1", "7471", NULL, 1);
	starve("192.0.2.1", "roctest", NULL, 2);
	starve("192.0.2.1", "7471", &passive, 1);
	starve(NULL, "7471", &passive, 3);
	starve(NULL, "7471", NULL, 4);
	starve(NULL, NULL, &dst, 1);
}

TEST(test_memory__hosts_file)
{
	world_file(&world, "hosts", "192.0.2.1 x.test\n192.0.2.2 x.test\n2001:db8::1 x.test\n");
	starve("x.test", "7471", NULL, 6);
}

TEST(test_memory__name_server)
{
	struct rdma_addrinfo v4 = {.ai_family = AF_INET};

	starve("plain.test", "7471", NULL, 24);
	starve("plain.test", "7471", &v4, 20);
}
