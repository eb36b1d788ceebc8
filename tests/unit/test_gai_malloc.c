/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every allocation below the call fails once, the DNS library's and the C
 * library's too: malloc(3) itself is taken over, for one thread.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gai_help.h"
#include "getaddrinfo.h"
#include "resolver-setup.h"

#if defined(__SANITIZE_ADDRESS__)
#define TAKEN_OVER 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define TAKEN_OVER 0
#endif
#endif
#ifndef TAKEN_OVER
#define TAKEN_OVER 1
#endif

static __thread int countdown = -1;
static __thread bool refused;
static __thread long live;	/* blocks of this thread */

#if TAKEN_OVER
/* Hidden, they would only be this program's own. */
#pragma GCC visibility push(default)
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);
void __libc_free(void *p);

static bool refuse(void)
{
	if (countdown < 0 || countdown-- > 0)
		return false;
	refused = true;
	errno = ENOMEM;
	return true;
}

static void *count(void *p)
{
	live += p != NULL;
	return p;
}

void *malloc(size_t size)
{
	return refuse() ? NULL : count(__libc_malloc(size));
}

void *calloc(size_t n, size_t size)
{
	return refuse() ? NULL : count(__libc_calloc(n, size));
}

void *realloc(void *p, size_t size)
{
	if (refuse())
		return NULL;
	return p ? __libc_realloc(p, size) : count(__libc_realloc(p, size));
}

void free(void *p)
{
	live -= p != NULL;
	__libc_free(p);
}
#pragma GCC visibility pop
#endif

static struct world world;

static int start(void **state)
{
	(void)state;
	world_open(&world);
	world_patience(&world, 1);
	world_gid(&world, 0, "127.0.0.1", "lo");
	world_lie(&world, 0);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	world_close(&world);
	return 0;
}

/* Each of them, when it fails, fails the call, and nothing of it is left. */
static void starve(const char *node, const char *service, int least)
{
	struct rdma_addrinfo *res;
	int n, ret = 0;

	for (n = 0;; n++) {
		long before = live;

		res = (void *)1;
		refused = false;
		countdown = n;
		ret = vbm_gai_translate(&world.cfg, node, service, NULL, &res);
		countdown = -1;
		if (!refused)
			break;
		if (ret != EAI_MEMORY || res)
			fail_msg("%s: allocation %d: %d, errno %d", node, n, ret, errno);
		if (live != before)
			fail_msg("%s: allocation %d: %ld blocks are left", node, n, live - before);
	}
	assert_int_equal(ret, 0);
	check_list(res);
	vbm_freeaddrinfo(res);
	if (n < least)
		fail_msg("%s: %d allocations, not %d", node, n, least);
}

static void test_malloc__every_call_of_it_fails_once(void **state)
{
	struct rdma_addrinfo *res;

	(void)state;
	if (!TAKEN_OVER)
		skip();
	/* What is set up once per process is not counted. */
	assert_int_equal(vbm_gai_translate(&world.cfg, "plain.test", "1", NULL, &res), 0);
	vbm_freeaddrinfo(res);
	starve("192.0.2.1", "7471", 1);
	starve("127.0.0.1", "7471", 2);
	starve("fixed.test", "roctest", 4);
	starve("plain.test", "roctest", 10);
}

VBM_TESTS(cmocka_unit_test_setup_teardown(test_malloc__every_call_of_it_fails_once, start, stop));
