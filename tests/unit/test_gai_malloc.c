/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/base/mem.c lib/resolve/getaddrinfo.c */
/*
 * Every allocation during the call fails once, also those of the DNS library and the C
 * library: this file replaces malloc(3) for one thread.
 */
#include "cmocka_all.h"

#include <errno.h>

#include "../help/shortage.h"
#include "gai_help.h"
#include "lib/resolve/getaddrinfo.h"
#include "resolver-setup.h"

static struct world world;

static int start(void **state)
{
	(void)state;
	world_open(&world);
	world_patience(&world, 1);
	world_gid(&world, 0, "127.0.0.1", "lo");
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

/* Each failing allocation makes the call fail, and nothing stays allocated. */
static void starve(const char *node, const char *service, int least)
{
	struct rdma_addrinfo *res;
	bool refused;
	int n, ret = 0;

	for (n = 0;; n++) {
		long before = shortage_thread_blocks();

		do {
			res = (void *)1;
			shortage_begin(SHORTAGE_OF_THREAD, n);
			ret = vbm_gai_translate(&world.cfg, node, service, NULL, &res);
			refused = shortage_end();
		} while (!refused && world_answer_was_late(&world, ret));
		if (!refused)
			break;
		if (ret != EAI_MEMORY || res)
			fail_msg("%s: allocation %d: %d, errno %d", node, n, ret, errno);
		if (shortage_thread_blocks() != before)
			fail_msg("%s: allocation %d: %ld blocks are left", node, n,
				 shortage_thread_blocks() - before);
	}
	assert_int_equal(ret, 0);
	check_list(res);
	vbm_freeaddrinfo(res);
	if (n < least)
		fail_msg("%s: %d allocations, not %d", node, n, least);
}

TEST(test_malloc__every_call_of_it_fails_once)
{
	struct rdma_addrinfo *res;

	if (!SHORTAGE_WORKS)
		skip();
	/* Allocations that happen once per process are not counted. */
	assert_int_equal(vbm_gai_translate(&world.cfg, "plain.test", "1", NULL, &res), 0);
	vbm_freeaddrinfo(res);
	starve("192.0.2.1", "7471", 1);
	starve("127.0.0.1", "7471", 2);
	starve("fixed.test", "roctest", 4);
	starve("plain.test", "roctest", 10);
}
