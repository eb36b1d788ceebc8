/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/resolve/getaddrinfo.c lib/resolve/engine.c */
/*
 * For each number of free descriptors: a complete result, or EAI_SYSTEM with EMFILE. The
 * limit is the kernel's.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "gai_help.h"
#include "lib/resolve/getaddrinfo.h"
#include "resolver-setup.h"

#define MOST 40

static struct world world;

/* Here 127.0.0.1 is the address of an RDMA device. */
static int start(void **state)
{
	(void)state;
	world_open(&world);
	world_serve_wrong(&world, 0);
	world_gid(&world, 0, "127.0.0.1", "lo");
	world_file(&world, "hosts", "127.0.0.1 x.test\n192.0.2.1 x.test\n");
	return 0;
}

static int stop(void **state)
{
	(void)state;
	world_close(&world);
	return 0;
}

UNIT(.each = {start, stop});

static int call_with(int spare, const char *node, const char *service, char out[256])
{
	struct rdma_addrinfo *res = (void *)1;
	struct rlimit old, few;
	int first = open("/dev/null", O_RDONLY | O_CLOEXEC), ret, error;

	close(first);
	getrlimit(RLIMIT_NOFILE, &old);
	few = old;
	few.rlim_cur = (rlim_t)(first + spare);
	setrlimit(RLIMIT_NOFILE, &few);
	errno = 0;
	ret = vbm_gai_translate(&world.cfg, node, service, NULL, &res);
	error = errno;
	setrlimit(RLIMIT_NOFILE, &old);
	*out = '\0';
	for (struct rdma_addrinfo *r = res; r; r = r->ai_next)
		snprintf(out + strlen(out), 256 - strlen(out), "%s%s>%s", r == res ? "" : " ",
			 show(r->ai_src_addr), show(r->ai_dst_addr));
	check_list(res);
	vbm_freeaddrinfo(res);
	errno = error;
	return ret;
}

/* The call needs @least descriptors at the same time; with more its result is @want. */
static void run_short(const char *node, const char *service, int least, const char *want)
{
	char got[256];
	int ret = -1, spare;

	for (spare = 0; ret && spare < MOST; spare++) {
		ret = call_with(spare, node, service, got);
		if (ret && (ret != EAI_SYSTEM || errno != EMFILE || *got))
			fail_msg("%s, %d spare: %d, errno %d", node, spare, ret, errno);
		if (!ret && strcmp(got, want))
			fail_msg("%s, %d spare: \"%s\"", node, spare, got);
	}
	assert_in_range(spare - 1, least, MOST - 2);
}

TEST(test_descriptors__source_of_a_literal)
{
	run_short("127.0.0.1", "7471", 4, "127.0.0.1:0>127.0.0.1:7471");
}

TEST(test_descriptors__scope_of_a_literal)
{
	run_short("fe80::1%lo", "7471", 1, "->[fe80::1]:7471");
}

TEST(test_descriptors__services_file)
{
	run_short("192.0.2.1", "onlytcp", 1, "->192.0.2.1:17471");
}

TEST(test_descriptors__hosts_file_and_order)
{
	run_short("x.test", "7471", 4, "127.0.0.1:0>127.0.0.1:7471 ->192.0.2.1:7471");
}

TEST(test_descriptors__name_server)
{
	run_short("plain.test", "7471", 4, "->192.0.2.1:7471");
}
