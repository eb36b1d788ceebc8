/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/resolve/gid-table.c */
/*
 * Only answers from the real /sys are cached. So each test runs in a process with a mount
 * namespace, and mounts a tree of its own over /sys.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../help/descriptors.h"
#include "base/clock.h"
#include "gai_help.h"
#include "lib/resolve/getaddrinfo.h"
#include "resolver-setup.h"

#define PATIENCE_NS 20000000000LL

enum { HOLDS = 10, FAILS, NOT_HERE };

static struct world world;

static int start(void **state)
{
	(void)state;
	world_open(&world);
	world_gid(&world, 0, NULL, "");
	return 0;
}

static int stop(void **state)
{
	(void)state;
	world_close(&world);
	return 0;
}

UNIT(.each = {start, stop});

/* Whether the source address for @node is that of an RDMA device. */
static bool has_source(const char *node)
{
	struct rdma_addrinfo *res;
	bool found;

	if (vbm_gai_translate(&world.cfg, node, "7471", NULL, &res))
		_exit(FAILS);
	found = res->ai_src_len;
	vbm_freeaddrinfo(res);
	return found;
}

/* A cached answer expires, so ask until then. */
static bool becomes(const char *node, bool want)
{
	int64_t end = clock_now_ns() + PATIENCE_NS;

	while (clock_now_ns() < end)
		if (has_source(node) == want)
			return true;
	return false;
}

static bool has_namespaces(int more)
{
	if (unshare(CLONE_NEWNS | more) && unshare(CLONE_NEWUSER | CLONE_NEWNS | more))
		return false;
	return !mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) &&
	       !mount(world.path[4], "/sys", "none", MS_BIND, NULL);
}

static void in_a_child(bool (*check)(void), int namespaces)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		world.cfg.sys = "/sys";
		if (!has_namespaces(namespaces))
			_exit(NOT_HERE);
		_exit(check() ? HOLDS : FAILS);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == NOT_HERE)
		skip();
	assert_int_equal(WEXITSTATUS(status), HOLDS);
}

static bool nothing_stays_open(void)
{
	int before = open_descriptors();

	return has_source("127.0.0.1") && open_descriptors() == before;
}

/*
 * A program that closes every descriptor it does not know, as daemons do, and then opens
 * its own files, keeps these.
 */
static bool what_others_open_is_theirs(void)
{
	bool kept = true;
	int fd[32];

	if (!has_source("127.0.0.1"))
		return false;
	close_range(3, ~0u, 0);
	for (int i = 0; i < 32; i++)
		fd[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	world_gid(&world, 1, NULL, "lo");
	if (!becomes("127.0.0.1", false))
		return false;
	for (int i = 0; i < 32; i++)
		kept = kept && fcntl(fd[i], F_GETFD) >= 0;
	return kept;
}

static bool is_read_anew(void)
{
	if (!has_source("127.0.0.1"))
		return false;
	world_gid(&world, 2, "127.0.0.1", "lo");	/* to another entry */
	world_gid(&world, 1, NULL, "lo");
	if (!has_source("127.0.0.1"))
		return false;
	world_gid(&world, 2, NULL, "lo");
	if (!becomes("127.0.0.1", false))
		return false;
	world_gid(&world, 0, "127.0.0.1", "lo");
	return becomes("127.0.0.1", true);
}

static bool addresses(const char *commands)
{
	return !system(commands);
}

/*
 * A thread that moves into another network namespace has other interfaces: a "yes" becomes
 * a "no" there, and the other way round.
 */
static bool is_of_its_namespace(void)
{
	bool first, second;

	if (!addresses("ip link set lo up && ip addr add 192.0.2.1/32 dev lo"))
		_exit(NOT_HERE);
	first = has_source("192.0.2.1") && !has_source("127.0.0.1");
	if (unshare(CLONE_NEWNET) ||
	    !addresses("ip link set lo up && ip tuntap add t0 mode tun && "
		       "ip link set t0 up && ip addr add 192.0.2.1/32 dev t0"))
		_exit(NOT_HERE);
	second = !has_source("192.0.2.1") && !has_source("127.0.0.1");
	world_gid(&world, 0, "127.0.0.1", "lo");
	/* The "no" was cached in this namespace; it is not used in a third one. */
	if (unshare(CLONE_NEWNET) || !addresses("ip link set lo up"))
		_exit(NOT_HERE);
	return first && second && has_source("127.0.0.1");
}

TEST(test_gid_table__another_network_namespace__is_searched)
{
	world_gid(&world, 1, "192.0.2.1", "lo");
	in_a_child(is_of_its_namespace, CLONE_NEWNET);
}

/* A search that failed for lack of descriptors must not be cached as a "no". */
static bool shortage_is_not_remembered(void)
{
	struct rlimit old, few;
	struct rdma_addrinfo *res = NULL;
	int first = open("/dev/null", O_RDONLY | O_CLOEXEC), ret;

	close(first);
	getrlimit(RLIMIT_NOFILE, &old);
	few = old;
	few.rlim_cur = (rlim_t)first + 2;
	setrlimit(RLIMIT_NOFILE, &few);
	ret = vbm_gai_translate(&world.cfg, "127.0.0.1", "7471", NULL, &res);
	setrlimit(RLIMIT_NOFILE, &old);
	return ret == EAI_SYSTEM && errno == EMFILE && !res && has_source("127.0.0.1");
}

TEST(test_gid_table__descriptors_ran_out__is_not_remembered)
{
	world_gid(&world, 0, "127.0.0.1", "lo");
	in_a_child(shortage_is_not_remembered, 0);
}

/* An interface of this namespace with the type of IP over InfiniBand. */
static bool make_ipoib(void)
{
	struct ifreq r = {.ifr_flags = IFF_TUN | IFF_NO_PI, .ifr_name = "ib0"};
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);

	return fd >= 0 && !ioctl(fd, TUNSETIFF, &r) &&
	       !ioctl(fd, TUNSETLINK, ARPHRD_INFINIBAND) &&
	       addresses("ip link set lo up && ip link set ib0 up && "
			 "ip addr add 192.0.2.1/32 dev ib0 && ip addr add 192.0.2.2/32 dev lo");
}

static bool is_ipoib_by_its_interface(void)
{
	if (!make_ipoib())
		_exit(NOT_HERE);
	return has_source("192.0.2.1") && !has_source("192.0.2.2");
}

TEST(test_gid_table__ip_over_infiniband__needs_no_entry)
{
	in_a_child(is_ipoib_by_its_interface, CLONE_NEWNET);
}

TEST(test_gid_table__remembered__keeps_nothing_open)
{
	world_gid(&world, 1, "127.0.0.1", "lo");
	in_a_child(nothing_stays_open, 0);
}

TEST(test_gid_table__descriptors_closed_by_others__harm_nobody)
{
	world_gid(&world, 1, "127.0.0.1", "lo");
	in_a_child(what_others_open_is_theirs, 0);
}

TEST(test_gid_table__changed__is_read_anew)
{
	world_gid(&world, 1, "127.0.0.1", "lo");
	in_a_child(is_read_anew, 0);
}
