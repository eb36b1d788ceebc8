/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: fabric/fabric.c fabric/clean.c fabric/sweep.c fabric/ready.c net/nl*.c */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/value.h"
#include "fabric/fabric-priv.h"
#include "net/netns.h"

#define ALL_PARTS (FABRIC_OBJECTS | FABRIC_INTERFACES | FABRIC_NAMESPACES)

/*
 * Real interfaces in a namespace of the test's own, without RDMA devices, because some
 * kernels have none. Guest tests cover the parts that need rxe.
 */
static char rundir[] = "/tmp/verbatim-test-XXXXXX";

static int setup(void **state)
{
	struct netlink *nl;
	struct vbm_error err;

	(void)state;
	if (geteuid() != 0 || unshare(CLONE_NEWNET) < 0)
		return 0;	/* each test says why it is skipped */
	if (!mkdtemp(rundir))
		return -1;
	setenv("VERBATIM_RUNDIR", rundir, 1);
	if (netlink_open(&nl, -1, &err) < 0 || netlink_link_up(nl, "lo", &err) < 0) {
		fprintf(stderr, "# %s\n", err.msg);
		return -1;
	}
	netlink_close(nl);
	return 0;
}

static int cleanup(void **state)
{
	auto_free char *command = NULL;

	(void)state;
	if (!getenv("VERBATIM_RUNDIR"))
		return 0;
	return asprintf(&command, "rm -rf %s", rundir) > 0 ? system(command) : -1;
}

UNIT(.all = {setup, cleanup});

static void need_root(void)
{
	if (!getenv("VERBATIM_RUNDIR")) {
		printf("# skipped: making network namespaces needs root\n");
		skip();
	}
}

static bool want_routed;	/* with a router between the hosts */
static uint64_t want_scripted;	/* hosts without a device */

static struct fabric *build(enum layout layout, int hosts)
{
	struct fabric_options opts = {.layout = layout, .hosts = hosts, .routed = want_routed,
				      .scripted = want_scripted};
	struct fabric *fabric = NULL;
	struct vbm_error err = {0};
	int64_t t = clock_now_ns();

	if (fabric_build(&fabric, &opts, false, &err) < 0)
		fail_msg("%s", err.msg);
	print_message("# %s, %d hosts: %.1f ms\n", layout_name(layout), hosts,
		      (double)(clock_now_ns() - t) / 1e6);
	return fabric;
}

static void count_link(const struct link *link, void *arg)
{
	*(int *)arg += fabric_run_of_netdev(link->name) >= 0;
}

static void count_rule(const struct rule *rule, void *arg)
{
	*(int *)arg += rule->proto == NETLINK_PROTO;
}

static void count_default(const struct rule *rule, void *arg)
{
	*(int *)arg += rule->pref == 0 && rule->table == 255 && rule->proto != NETLINK_PROTO;
}

struct census {
	int links, rules, defaults;
};

static struct census take_census(void)
{
	struct census c = {0};
	struct netlink *nl = NULL;

	assert_int_equal(netlink_open(&nl, -1, NULL), 0);
	assert_int_equal(netlink_link_each(nl, count_link, &c.links, NULL), 0);
	assert_int_equal(netlink_rule_each(nl, count_rule, &c.rules, NULL), 0);
	assert_int_equal(netlink_rule_each(nl, count_default, &c.defaults, NULL), 0);
	netlink_close(nl);
	return c;
}

static void assert_nothing_left(void)
{
	struct census c = take_census();

	assert_int_equal(c.links, 0);
	assert_int_equal(c.rules, 0);
	assert_int_equal(c.defaults, 2);
}

static void build_and_free(enum layout layout, int hosts)
{
	struct fabric *fabric;
	auto_value struct value *left = value_list();
	int i;

	need_root();
	fabric = build(layout, hosts);
	assert_int_equal(fabric_host_count(fabric), hosts);
	for (i = 0; i < hosts; i++)
		assert_int_equal(fabric_netns_fd(fabric, i) >= 0, layout == LAYOUT_NETNS);
	if (!fabric_is_clean(fabric, ALL_PARTS, left))
		fail_msg("%s", left->list.item[0]->s);
	fabric_free(fabric);
	assert_nothing_left();
}

TEST(test_fabric__netns_pair__carries_packets)
{
	build_and_free(LAYOUT_NETNS, 2);
}

/* There is no second host, but the host and its cable to the switch are ready. */
TEST(test_fabric__one_host__is_ready)
{
	static const enum layout layouts[] = {LAYOUT_NETNS, LAYOUT_SHARED};
	struct fabric *fabric;
	struct link link;
	size_t i;

	need_root();
	for (i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		build_and_free(layouts[i], 1);
		fabric = build(layouts[i], 1);
		assert_int_equal(netlink_link_get(fabric->wire_nl, "port-a", &link, NULL), 0);
		assert_true(link.ready);
		fabric_free(fabric);
	}
}

TEST(test_fabric__netns_mesh__carries_packets)
{
	build_and_free(LAYOUT_NETNS, 5);
	build_and_free(LAYOUT_NETNS, 32);
}

TEST(test_fabric__shared_pair__carries_packets)
{
	build_and_free(LAYOUT_SHARED, 2);
}

TEST(test_fabric__shared_mesh__carries_packets)
{
	build_and_free(LAYOUT_SHARED, 5);
	build_and_free(LAYOUT_SHARED, 32);
}


/* Packets of each host reach its neighbours, which are in other networks. */
TEST(test_fabric__routed__carries_packets)
{
	static const enum layout layouts[] = {LAYOUT_NETNS, LAYOUT_SHARED};
	struct fabric *fabric;
	size_t i;

	need_root();
	want_routed = true;
	for (i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		build_and_free(layouts[i], 2);
		build_and_free(layouts[i], 16);
		fabric = build(layouts[i], 2);
		assert_true(fabric_is_routed(fabric));
		assert_false(ip_overlap(&fabric->host[0].net4, &fabric->host[1].net4));
		assert_false(ip_overlap(&fabric->host[0].net6, &fabric->host[1].net6));
		fabric_free(fabric);
	}
	want_routed = false;
}

/* A router that forwards nothing: the hosts do not reach each other. */
TEST(test_fabric__routed_without_forwarding__is_not_ready)
{
	static const enum layout layouts[] = {LAYOUT_NETNS, LAYOUT_SHARED};
	static const char *const setting[] = {"ipv4/ip_forward", "ipv6/conf/all/forwarding"};
	static const char *const what[] = {"no IPv4 packet from host", "no IPv6 packet from host"};
	struct fabric *fabric;
	struct vbm_error err;
	size_t i, k;

	need_root();
	want_routed = true;
	for (i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		for (k = 0; k < sizeof(setting) / sizeof(setting[0]); k++) {
			fabric = build(layouts[i], 2);
			assert_int_equal(netns_sysctl_set(fabric->wire_netns, setting[k], "0", &err), 0);
			assert_int_equal(ready_check(fabric, &err), -EHOSTUNREACH);
			assert_non_null(strstr(err.msg, what[k]));
			fabric_free(fabric);
		}
	want_routed = false;
	assert_nothing_left();
}

/* Whether a datagram from host a to the port of host b is answered by "nobody has it". */
static bool is_refused(struct fabric *fabric, int port)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	struct pollfd pfd = {.events = POLLIN};
	struct vbm_error err;
	bool refused;

	memcpy(&to.sin_addr, fabric->host[1].ip4.addr, sizeof(to.sin_addr));
	assert_int_equal(netns_socket(fabric->host[0].netns, AF_INET, SOCK_DGRAM, &pfd.fd, &err), 0);
	assert_int_equal(connect(pfd.fd, (struct sockaddr *)&to, sizeof(to)), 0);
	assert_int_equal(send(pfd.fd, "x", 1, 0), 1);
	refused = poll(&pfd, 1, 50) == 1 && pfd.revents & POLLERR;
	close(pfd.fd);
	return refused;
}

/* The kernel of a host without a device does not answer packets for the RDMA port. */
TEST(test_fabric__without_a_device__says_nothing)
{
	struct fabric *fabric;

	need_root();
	want_scripted = 2;
	fabric = build(LAYOUT_NETNS, 2);
	assert_int_equal(fabric_scripted(fabric), 2);
	assert_string_equal(fabric->host[1].info.gid6, fabric->host[1].info.ip6);
	assert_true(is_refused(fabric, 4792));
	assert_false(is_refused(fabric, 4791));
	fabric_free(fabric);
	want_scripted = 0;
	assert_nothing_left();
}

static void remove_ours(const struct rule *rule, void *arg)
{
	struct rule *rules = arg;

	if (rule->proto == NETLINK_PROTO && rule->pref == 0 && !rules[0].family)
		rules[0] = *rule;
}

/* Without its rules the kernel delivers packets directly, and the check must notice. */
TEST(test_fabric__shared_without_rules__is_not_ready)
{
	struct fabric *fabric;
	struct vbm_error err;
	struct rule rule;

	need_root();
	fabric = build(LAYOUT_SHARED, 2);
	do {
		memset(&rule, 0, sizeof(rule));
		assert_int_equal(netlink_rule_each(fabric->nl, remove_ours, &rule, &err), 0);
	} while (rule.family && netlink_rule_del(fabric->nl, &rule, &err) == 0);
	assert_int_equal(ready_check(fabric, &err), -EHOSTUNREACH);
	assert_non_null(strstr(err.msg, "they took another way"));
	fabric_free(fabric);
	assert_nothing_left();
}

TEST(test_fabric__changed_addresses__are_not_clean)
{
	struct ip_prefix more = {AF_INET, 32, {192, 0, 2, 1}};
	auto_value struct value *left = value_list();
	struct fabric *fabric;

	need_root();
	fabric = build(LAYOUT_NETNS, 2);
	assert_true(fabric_is_clean(fabric, ALL_PARTS, left));
	netlink_addr_add(fabric->host[1].nl, fabric->host[1].ifindex, &more, false, NULL);
	assert_true(fabric_is_clean(fabric, FABRIC_OBJECTS | FABRIC_NAMESPACES, left));
	assert_int_equal(left->list.count, 0);
	assert_false(fabric_is_clean(fabric, ALL_PARTS, NULL));
	assert_false(fabric_is_clean(fabric, ALL_PARTS, left));
	assert_int_equal(left->list.count, 1);
	assert_string_equal(left->list.item[0]->s, "host b has an additional address: 192.0.2.1");
	fabric_free(fabric);
}

/* Another interface in a host's namespace is no matter of the host's own interface. */
TEST(test_fabric__another_interface__is_not_clean)
{
	auto_value struct value *left = value_list();
	struct fabric *fabric;

	need_root();
	fabric = build(LAYOUT_NETNS, 2);
	assert_int_equal(netlink_bridge_add(fabric->host[0].nl, "br5", 1500, NULL), 0);
	assert_true(fabric_is_clean(fabric, FABRIC_INTERFACES, left));
	assert_false(fabric_is_clean(fabric, ALL_PARTS, left));
	assert_int_equal(left->list.count, 1);
	assert_string_equal(left->list.item[0]->s, "host a has an additional interface: br5");
	fabric_free(fabric);
}

TEST(test_fabric__two_at_once__do_not_meet)
{
	struct fabric *one, *two, *three;
	struct vbm_error err;

	need_root();
	one = build(LAYOUT_SHARED, 2);
	two = build(LAYOUT_SHARED, 3);
	assert_string_not_equal(fabric_host(one, 0)->ip4, fabric_host(two, 0)->ip4);
	assert_int_equal(ready_check(one, &err), 0);
	fabric_free(one);
	assert_int_equal(ready_check(two, &err), 0);
	three = build(LAYOUT_SHARED, 2);
	assert_int_equal(ready_check(two, &err), 0);
	fabric_free(two);
	if (ready_check(three, &err) < 0)
		fail_msg("%s", err.msg);
	fabric_free(three);
	assert_nothing_left();
}

static void write_file(const char *path, const char *text)
{
	auto_close int fd = open(path, O_WRONLY | O_CLOEXEC);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

/* The machine's settings stay as they are. */
TEST(test_fabric__shared_under_strict_filters__carries_packets)
{
	static const char *const strict[] = {"1", "2", "0"};
	size_t i;

	need_root();
	for (i = 0; i < sizeof(strict) / sizeof(strict[0]); i++) {
		write_file("/proc/sys/net/ipv4/conf/all/rp_filter", strict[i]);
		build_and_free(LAYOUT_SHARED, 2);
		build_and_free(LAYOUT_SHARED, 3);
	}
}

TEST(test_fabric__ip6_turned_off__is_on_for_hosts)
{
	need_root();
	write_file("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
	build_and_free(LAYOUT_SHARED, 2);
	build_and_free(LAYOUT_NETNS, 2);
	write_file("/proc/sys/net/ipv6/conf/default/disable_ipv6", "0");
}

/* A child makes a fabric, and is killed before it can undo it. */
static void make_and_die(enum layout layout, int hosts)
{
	int ready[2], status;
	char byte;
	pid_t pid;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		struct fabric_options opts = {.layout = layout, .hosts = hosts};
		struct fabric *fabric;
		struct vbm_error err;

		if (fabric_build(&fabric, &opts, false, &err) < 0 || write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	close(ready[0]);
}

static void count_line(const char *line, void *arg)
{
	(void)line;
	++*(int *)arg;
}

TEST(test_sweep__after_a_kill__leaves_nothing)
{
	static const struct {
		enum layout layout;
		int hosts;
	} cases[] = {{LAYOUT_SHARED, 2}, {LAYOUT_SHARED, 4}, {LAYOUT_NETNS, 3}};
	struct vbm_error err;
	size_t i;
	int told;

	need_root();
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		make_and_die(cases[i].layout, cases[i].hosts);
		if (cases[i].layout == LAYOUT_SHARED)
			assert_int_not_equal(take_census().rules, 0);
		told = 0;
		assert_true(fabric_sweep(true, count_line, &told, &err) > 0);
		assert_true(told > 0);
		if (cases[i].layout == LAYOUT_SHARED)
			assert_int_not_equal(take_census().rules, 0);
		if (fabric_sweep(false, NULL, NULL, &err) < 0)
			fail_msg("%s", err.msg);
		assert_nothing_left();
		assert_int_equal(fabric_sweep(false, NULL, NULL, &err), 0);
	}
}

/* A thing that a fabric cannot undo must stay in the journal for a later sweep. */
static void build_and_fail_to_undo(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct caps[2];
	struct fabric_options opts = {.layout = LAYOUT_SHARED, .hosts = 2};
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct fabric *fabric;
	struct vbm_error err;

	if (fabric_build(&fabric, &opts, false, &err) < 0) {
		fprintf(stderr, "# %s\n", err.msg);
		_exit(3);
	}
	if (syscall(SYS_capget, &head, caps) < 0)
		_exit(1);
	caps[0].effective &= ~(1u << CAP_NET_ADMIN);
	if (syscall(SYS_capset, &head, caps) < 0)
		_exit(2);
	dup2(null, STDERR_FILENO);
	fabric_free(fabric);
	_exit(0);
}

TEST(test_fabric__undo_that_fails__is_left_to_a_sweep)
{
	auto_free char *command = NULL;
	struct vbm_error err;
	int status;
	pid_t pid;

	need_root();
	pid = fork();
	if (pid == 0)
		build_and_fail_to_undo();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_not_equal(take_census().links, 0);
	assert_true(asprintf(&command, "test -f %s/*.undo", rundir) > 0);
	assert_int_equal(system(command), 0);
	if (fabric_sweep(false, NULL, NULL, &err) < 0)
		fail_msg("%s", err.msg);
	assert_nothing_left();
	assert_int_not_equal(system(command), 0);
}

TEST(test_sweep__without_the_journal__goes_by_names_and_marks)
{
	auto_free char *command = NULL;
	struct vbm_error err;

	need_root();
	make_and_die(LAYOUT_SHARED, 2);
	assert_true(asprintf(&command, "rm -f %s/*.undo", rundir) > 0);
	assert_int_equal(system(command), 0);
	if (fabric_sweep(false, NULL, NULL, &err) < 0)
		fail_msg("%s", err.msg);
	assert_nothing_left();
}

TEST(test_sweep__a_run_that_lives__stays)
{
	static char elsewhere[] = "/tmp/verbatim-test-XXXXXX";
	struct fabric *fabric;
	struct vbm_error err;
	struct census before;

	need_root();
	assert_non_null(mkdtemp(elsewhere));
	fabric = build(LAYOUT_SHARED, 3);
	before = take_census();
	assert_int_equal(fabric_sweep(false, NULL, NULL, &err), 0);
	assert_int_equal(take_census().rules, before.rules);
	assert_int_equal(take_census().links, before.links);
	/* nor does a process that looks for journals in another folder */
	setenv("VERBATIM_RUNDIR", elsewhere, 1);
	assert_int_equal(fabric_sweep(false, NULL, NULL, &err), 0);
	setenv("VERBATIM_RUNDIR", rundir, 1);
	rmdir(elsewhere);
	assert_int_equal(take_census().rules, before.rules);
	assert_int_equal(ready_check(fabric, &err), 0);
	fabric_free(fabric);
}

TEST(test_fabric__bad_options__are_refused)
{
	static const struct {
		struct fabric_options opts;
		const char *says;
	} bad[] = {
		{{.hosts = 0}, ""}, {{.hosts = FABRIC_HOSTS_MAX + 1}, ""}, {{.hosts = 2, .roce_mtu = 8192}, ""},
		{{.hosts = 2, .scripted = 1}, ""}, {{.hosts = 2, .scripted = 4}, ""},
		{{.hosts = 1, .routed = true}, "a router connects 2 to 16 hosts"},
		{{.hosts = 17, .routed = true}, "a router connects 2 to 16 hosts"},
	};
	struct fabric_options opts;
	struct fabric *fabric;
	struct vbm_error err;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		opts = bad[i].opts;
		opts.layout = LAYOUT_NETNS;
		assert_int_equal(fabric_build(&fabric, &opts, false, &err), -EINVAL);
		assert_non_null(strstr(err.msg, bad[i].says));
	}
}
