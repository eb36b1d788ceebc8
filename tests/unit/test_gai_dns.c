/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/resolve/dns.c lib/resolve/resolvconf.c lib/base/loop.c */
#include "cmocka_all.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "lib/resolve/dns.h"
#include "gai_help.h"
#include "lib/resolve/getaddrinfo.h"
#include "lib/base/loop.h"
#include "lib/resolve/resolvconf.h"
#include "resolver-setup.h"

static struct world world;
static bool served;

static int start(void **state)
{
	(void)state;
	world_open(&world);
	served = world_serve(&world);
	return 0;
}

static int finish(void **state)
{
	(void)state;
	world_close(&world);
	return 0;
}

static int start_lying(void **state)
{
	(void)state;
	world_open(&world);
	world_serve_wrong(&world, 0);
	return 0;
}

static int ask(const char *node, int family, char *out, size_t room)
{
	struct rdma_addrinfo h = {.ai_family = family}, *res = (void *)1;
	int ret = vbm_gai_translate(&world.cfg, node, "7471", &h, &res);

	check_list(ret ? NULL : res);
	snprintf(out, room, "%s", ret ? "" : show_list(res));
	vbm_freeaddrinfo(res);
	return ret;
}

static void expect(const char *node, int family, const char *want)
{
	char got[8192];
	int ret = ask(node, family, got, sizeof(got));

	if (ret || strcmp(got, want))
		fail_msg("%s: %d \"%s\", not \"%s\"", node, ret, got, want);
}

static void refuse(const char *node, int family, int want)
{
	char got[8192];
	int ret = ask(node, family, got, sizeof(got));

	if (ret != want)
		fail_msg("%s: %d \"%s\", not %d", node, ret, got, want);
}

TEST_BETWEEN(test_dns__addresses, start, finish)
{
	char list[256];

	if (!served)
		skip();
	expect("a.test", 0, "192.0.2.1:7471");
	expect("A.TEST.", AF_INET, "192.0.2.1:7471");
	expect("aaaa.test", 0, "[2001:db8::1]:7471");
	expect("both.test", AF_INET6, "[2001:db8::2]:7471");
	expect("both.test", AF_INET, "192.0.2.2:7471");
	assert_int_equal(ask("multi.test", 0, list, sizeof(list)), 0);
	assert_non_null(strstr(list, "192.0.2.1:7471"));
	assert_non_null(strstr(list, "192.0.2.2:7471"));
	assert_non_null(strstr(list, "192.0.2.3:7471"));
}

TEST_BETWEEN(test_dns__both_families_in_one_list, start, finish)
{
	struct rdma_addrinfo *res;

	if (!served)
		skip();
	assert_int_equal(vbm_gai_translate(&world.cfg, "both.test", "1", NULL, &res), 0);
	assert_non_null(res->ai_next);
	assert_null(res->ai_next->ai_next);
	assert_int_not_equal(res->ai_family, res->ai_next->ai_family);
	assert_string_equal(res->ai_dst_canonname, "both.test");
	assert_string_equal(res->ai_next->ai_dst_canonname, "both.test");
	vbm_freeaddrinfo(res);
}

TEST_BETWEEN(test_dns__codes, start, finish)
{
	if (!served)
		skip();
	refuse("nope.test", 0, EAI_NONAME);
	refuse("empty.test", 0, EAI_NODATA);
	refuse("empty.test", AF_INET6, EAI_NODATA);
	refuse("a.test", AF_INET6, EAI_ADDRFAMILY);
	refuse("aaaa.test", AF_INET, EAI_ADDRFAMILY);
	refuse("refused.test", 0, EAI_AGAIN);
	refuse("fails.test", 0, EAI_AGAIN);
}

TEST_BETWEEN(test_dns__aliases, start, finish)
{
	struct rdma_addrinfo h = {.ai_flags = RAI_PASSIVE}, *res;

	if (!served)
		skip();
	assert_int_equal(vbm_gai_translate(&world.cfg, "alias.cn.zone", "1", NULL, &res), 0);
	assert_string_equal(res->ai_dst_canonname, "a.cn.zone");
	assert_null(res->ai_src_canonname);
	vbm_freeaddrinfo(res);
	assert_int_equal(vbm_gai_translate(&world.cfg, "alias.cn.zone", "1", &h, &res), 0);
	assert_string_equal(res->ai_src_canonname, "a.cn.zone");
	assert_null(res->ai_dst_canonname);
	vbm_freeaddrinfo(res);
	refuse("dangling.cn.zone", 0, EAI_NODATA);
}

TEST_BETWEEN(test_dns__answer_too_large_for_a_datagram, start, finish)
{
	struct rdma_addrinfo *res, *r;
	int count = 0;

	if (!served)
		skip();
	assert_int_equal(vbm_gai_translate(&world.cfg, "large.test", "1", NULL, &res), 0);
	for (r = res; r; r = r->ai_next)
		count++;
	assert_int_equal(count, 100);
	vbm_freeaddrinfo(res);
}

TEST_BETWEEN(test_dns__silence_ends_in_time, start, finish)
{
	int64_t begin = clock_now_ns();

	if (!served)
		skip();
	world_patience(&world, 2);
	refuse("silent.test", 0, EAI_AGAIN);
	assert_true((clock_now_ns() - begin) / 1000000 >= 1900);
}

TEST_BETWEEN(test_dns__search_list, start, finish)
{
	if (!served)
		skip();
	world_file(&world, "resolv.conf", "nameserver 127.0.0.1\n"
		   "search nowhere.test sub.test test\noptions timeout:30 attempts:1\n");
	expect("deep", 0, "192.0.2.77:7471");
	expect("a", 0, "192.0.2.1:7471");
	expect("a.test", 0, "192.0.2.1:7471");
	refuse("a.", 0, EAI_NONAME);
	refuse("empty", AF_INET, EAI_NODATA);
	refuse("a", AF_INET6, EAI_ADDRFAMILY);
}

TEST_BETWEEN(test_dns__hosts_file_goes_first, start, finish)
{
	if (!served)
		skip();
	world_file(&world, "hosts", "192.0.2.66 a.test\n");
	expect("a.test", 0, "192.0.2.66:7471");
	/* The hosts file has the name with the other family only, so DNS is asked as well. */
	world_file(&world, "hosts", "192.0.2.66 aaaa.test nope.test\n");
	expect("aaaa.test", AF_INET6, "[2001:db8::1]:7471");
	refuse("nope.test", AF_INET6, EAI_ADDRFAMILY);
}

TEST(test_dns__nobody_there)
{
	world_open(&world);
	world.cfg.dns_port = free_port();
	world_patience(&world, 2);
	refuse("a.test", 0, EAI_AGAIN);
	world_close(&world);
}

TEST(test_dns__unreadable_configuration)
{
	world_open(&world);
	world.cfg.resolv = world.dir;	/* a directory */
	errno = 0;
	refuse("a.test", 0, EAI_SYSTEM);
	assert_int_equal(errno, EISDIR);
	world_close(&world);
}

TEST_BETWEEN(test_dns__response_codes, start_lying, finish)
{
	char name[32];

	for (int rcode = 1; rcode < 16; rcode++) {
		int want = rcode == 2 || rcode == 4 || rcode == 5 ? EAI_AGAIN :
			rcode == 3 ? EAI_NONAME : EAI_FAIL;

		snprintf(name, sizeof(name), "rc%d.test", rcode);
		refuse(name, 0, want);
	}
}

TEST_BETWEEN(test_dns__answers_that_disagree, start_lying, finish)
{
	refuse("half.test", 0, EAI_AGAIN);
	expect("lean.test", 0, "192.0.2.1:7471");
	refuse("junk.test", AF_INET, EAI_FAIL);
	world_patience(&world, 2);
	refuse("drop.test", 0, EAI_AGAIN);
}

/*
 * It is proven that the host has no address of the wanted family. A failure of the
 * question about the other family does not change that.
 */
TEST_BETWEEN(test_dns__the_other_family_is_not_known, start_lying, finish)
{
	world_patience(&world, 2);
	refuse("half.test", 0, EAI_AGAIN);
	refuse("hush.test", 0, EAI_AGAIN);
	refuse("half.test", AF_INET, EAI_NODATA);
	refuse("hush.test", AF_INET, EAI_NODATA);
	world_file(&world, "resolv.conf", "nameserver 127.0.0.1\nsearch nowhere.test test\n"
		   "options timeout:2 attempts:1\n");
	refuse("half", AF_INET, EAI_NODATA);
	refuse("hush", AF_INET, EAI_NODATA);
}

enum { ANSWERED = 10, NOT_ANSWERED, NOT_HERE, NO_ROUTE };

/* Whether one of the messages announces a route to @addr. */
static bool has_route_to(void *buf, size_t len, const struct in6_addr *addr)
{
	struct nlmsghdr *h;
	struct rtattr *a;
	size_t n;

	for (h = buf; NLMSG_OK(h, len); h = NLMSG_NEXT(h, len)) {
		n = RTM_PAYLOAD(h);
		for (a = RTM_RTA(NLMSG_DATA(h)); h->nlmsg_type == RTM_NEWROUTE && RTA_OK(a, n);
		     a = RTA_NEXT(a, n))
			if (a->rta_type == RTA_DST && !memcmp(RTA_DATA(a), addr, sizeof(*addr)))
				return true;
	}
	return false;
}

/* The kernel makes the route of a new address after ip(8) is done. */
static bool wait_for_route(int fd, const struct in6_addr *addr)
{
	int64_t deadline = clock_deadline_ms(10000);
	struct pollfd p = {.fd = fd, .events = POLLIN};
	_Alignas(struct nlmsghdr) char buf[8192];
	ssize_t n;

	while (poll(&p, 1, clock_left_ms(deadline)) > 0) {
		n = recv(fd, buf, sizeof(buf), 0);
		if (n > 0 && has_route_to(buf, (size_t)n, addr))
			return true;
	}
	return false;
}

/* Two interfaces, with a name server at fe80::1 of the second one only. */
static int ask_link_local(const char *servers)
{
	const struct sockaddr_nl routes = {.nl_family = AF_NETLINK, .nl_groups = RTMGRP_IPV6_ROUTE};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
	char got[256];
	int fd;

	if (unshare(CLONE_NEWNET) && unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return NOT_HERE;
	inet_pton(AF_INET6, "fe80::1", &in6.sin6_addr);
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (bind(fd, (const void *)&routes, sizeof(routes)) ||
	    system("ip link set lo up && ip tuntap add t0 mode tun && ip link set t0 up && "
		   "ip tuntap add t1 mode tun && ip link set t1 up && "
		   "ip addr add fe80::2/64 dev t0 nodad && ip addr add fe80::1/64 dev t1 nodad"))
		return NOT_HERE;
	if (!wait_for_route(fd, &in6.sin6_addr))
		return NO_ROUTE;
	close(fd);
	in6.sin6_scope_id = if_nametoindex("t1");
	world_file(&world, "resolv.conf", servers);
	world.wrong = wrong_dns_start_at((void *)&in6, sizeof(in6), 0);
	world.cfg.dns_port = wrong_dns_port(world.wrong);
	return ask("plain.test", AF_INET, got, sizeof(got)) ? NOT_ANSWERED : ANSWERED;
}

static void expect_link_local(const char *servers)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid)
		_exit(ask_link_local(servers));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == NOT_HERE)
		skip();
	assert_int_equal(WEXITSTATUS(status), ANSWERED);
}

TEST(test_dns__a_name_server_of_one_link)
{
	world_open(&world);
	expect_link_local("nameserver fe80::1%t1\noptions timeout:30 attempts:1\n");
	/* The same address on two links means two servers. */
	expect_link_local("nameserver fe80::1%t0\nnameserver fe80::1%t1\n"
			  "options timeout:1 attempts:6\n");
	world_close(&world);
}

static void on_answer(void *arg, const struct dns_answer *answer)
{
	enum dns_status *status = arg;

	*status = answer->status;
}

/* Ask once and wait. Returns the port of the question. */
static unsigned int port_of_question(struct loop *loop, struct dns_client *client)
{
	enum dns_status status = DNS_SYSTEM;
	struct dns_question *q;

	vbm_dns_ask(client, "plain.test", AF_INET, on_answer, &status, &q);
	while (q) {
		vbm_loop_settle(loop);
		vbm_loop_wait(loop, -1);
		vbm_loop_dispatch(loop);
	}
	assert_int_equal(status, DNS_FOUND);
	return wrong_dns_last_port(world.wrong);
}

/* A forged answer has to guess the port, which is a new one for each question. */
TEST_BETWEEN(test_dns__each_lookup_from_a_port_of_its_own, start_lying, finish)
{
	static const char text[] = "nameserver 127.0.0.1\n";
	struct dns_client *client;
	struct resolv_conf conf;
	struct loop loop;
	unsigned int port[4], others = 0;

	vbm_resolv_parse(&conf, text, strlen(text));
	assert_int_equal(vbm_loop_init(&loop), 0);
	assert_int_equal(vbm_dns_client_new(&loop, &conf, wrong_dns_port(world.wrong), &client), 0);
	for (int i = 0; i < 4; i++)
		port[i] = port_of_question(&loop, client);
	vbm_dns_client_free(client);
	vbm_loop_fini(&loop);
	/* By chance the kernel may choose the same port twice. */
	for (int i = 1; i < 4; i++)
		others += port[i] != port[i - 1];
	assert_in_range(others, 2, 3);
}

TEST_BETWEEN(test_dns__again_may_succeed_later, start_lying, finish)
{
	refuse("once.test", 0, EAI_AGAIN);
	wrong_dns_recover(world.wrong);
	expect("once.test", 0, "192.0.2.1:7471");
}

TEST_BETWEEN(test_dns__numeric_asks_nobody, start_lying, finish)
{
	struct rdma_addrinfo h = {.ai_flags = RAI_NUMERICHOST}, *res;

	assert_int_equal(vbm_gai_translate(&world.cfg, "plain.test", "1", &h, &res), EAI_NONAME);
	refuse("256.1.1.1", 0, EAI_NONAME);
	refuse("127.1", 0, EAI_NONAME);
	expect("192.0.2.7", 0, "192.0.2.7:7471");
	refuse("plain.test", AF_IB, EAI_ADDRFAMILY);
	assert_int_equal(wrong_dns_questions(world.wrong), 0);
	expect("plain.test", AF_INET, "192.0.2.1:7471");
	assert_int_equal(wrong_dns_questions(world.wrong), 1);
}
