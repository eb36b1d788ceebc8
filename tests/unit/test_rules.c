/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: wire/rules.c net/bpf.c */
#include "cmocka_all.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "../help/bare-fabric.h"
#include "net/netns.h"
#include "wire/rules.h"

#define FRAME 74	/* Ethernet, IPv4, UDP, the base transport header, 16 bytes, the invariant CRC */
#define WAIT_MS 10000

/*
 * Packets from host b to host a, until told to stop. At most this many are on their way: no ring and no queue becomes full, and
 * a packet that does not arrive was lost by a rule.
 */
#define ON_THEIR_WAY 32

struct traffic {
	const char *a, *b;	/* the interfaces of the cable */
	int from, to;		/* packet sockets on b and a */
	struct sockaddr_ll at;
	atomic_bool stop;
	int sent, arrived;
};

static void put16(uint8_t *at, unsigned value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static void make_frame(uint8_t frame[FRAME])
{
	memset(frame, 0, FRAME);
	memset(frame, 0xff, 6);
	frame[6] = 2;	/* the source */
	put16(frame + 12, ETHERTYPE_IP);
	frame[14] = 0x45;
	put16(frame + 16, FRAME - 14);
	frame[22] = 64;
	frame[23] = IPPROTO_UDP;
	put16(frame + 34, 49152);
	put16(frame + 36, 4791);
	put16(frame + 38, FRAME - 34);
	frame[42] = 100;	/* a send of a datagram */
}

/* A packet socket on an interface of the caller's namespace. */
static int open_socket(const char *netdev)
{
	struct sockaddr_ll at = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_IP),
				 .sll_ifindex = (int)if_nametoindex(netdev)};
	int size = 64 << 20, fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_IP));

	assert_true(fd >= 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)), 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	return fd;
}

static int open_sender(void *arg, struct vbm_error *err)
{
	struct traffic *t = arg;

	(void)err;
	t->from = open_socket(t->b);
	t->at = (struct sockaddr_ll){.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_IP), .sll_halen = 6,
				     .sll_ifindex = (int)if_nametoindex(t->b)};
	return 0;
}

static void receive_packets(struct traffic *t, int timeout_ms)
{
	struct pollfd p = {.fd = t->to, .events = POLLIN};
	struct sockaddr_ll from;
	uint8_t frame[2048];

	while (poll(&p, 1, timeout_ms) > 0) {
		socklen_t len = sizeof(from);

		if (recvfrom(t->to, frame, sizeof(frame), 0, (struct sockaddr *)&from, &len) == FRAME &&
		    from.sll_pkttype != PACKET_OUTGOING)
			t->arrived++;
		timeout_ms = 0;
	}
}

static void *make_traffic(void *arg)
{
	struct traffic *t = arg;
	uint8_t frame[FRAME];

	make_frame(frame);
	while (!t->stop) {
		put16(frame + 52, (unsigned)t->sent);
		if (t->sent - t->arrived < ON_THEIR_WAY &&
		    sendto(t->from, frame, FRAME, 0, (struct sockaddr *)&t->at, sizeof(t->at)) == FRAME)
			t->sent++;
		receive_packets(t, 0);
	}
	return NULL;
}

/* Whether the rule has acted on a packet; waits for that. */
static bool has_acted(struct packet_rules *rules, int number)
{
	int64_t deadline = clock_deadline_ms(WAIT_MS);
	struct rule_counts counts = {0};

	while (!counts.acted && clock_left_ms(deadline) > 0)
		assert_int_equal(rules_counts(rules, (size_t)number, &counts, NULL), 0);
	return counts.acted;
}

static void begin_and_end(struct packet_rules *rules)
{
	struct packet_rule rule = {.action = RULE_DELAY, .first = 1, .value = 1000};
	struct vbm_error err = {0};
	int number = rules_add(rules, &rule, 0, &err);

	if (number < 0)
		fail_msg("%s", err.msg);
	assert_true(has_acted(rules, number));
	assert_int_equal(rules_end(rules, (size_t)number, &err), 0);
}

/* In the namespace of host a. */
static int end_rules(void *arg, struct vbm_error *err)
{
	struct traffic *t = arg;
	struct packet_rules rules;
	pthread_t thread;
	int64_t deadline;
	int i;

	t->to = open_socket(t->a);
	assert_int_equal(rules_open(&rules, t->a, err), 0);
	assert_int_equal(pthread_create(&thread, NULL, make_traffic, t), 0);
	for (i = 0; i < RULES_MAX; i++)
		begin_and_end(&rules);
	t->stop = true;
	pthread_join(thread, NULL);
	deadline = clock_deadline_ms(WAIT_MS);
	while (t->arrived < t->sent && clock_left_ms(deadline) > 0)
		receive_packets(t, 100);
	rules_close(&rules);
	close(t->to);
	return 0;
}

/*
 * The old program acts on packets until the new one is in its place. A packet that it kept for a rule which ends in this
 * moment goes on like the others.
 */
TEST(test_rules__end_under_traffic__loses_no_packet)
{
	struct fabric *fabric = bare_fabric(LAYOUT_NETNS, 2);
	struct traffic t = {.a = fabric_host(fabric, 0)->netdev, .b = fabric_host(fabric, 1)->netdev};
	struct vbm_error err = {0};

	assert_int_equal(netns_call(fabric_netns_fd(fabric, 1), open_sender, &t, &err), 0);
	assert_int_equal(netns_call(fabric_netns_fd(fabric, 0), end_rules, &t, &err), 0);
	assert_int_equal(t.arrived, t.sent);
	close(t.from);
	fabric_free(fabric);
}

UNIT(.obstacle = bare_fabrics_obstacle, .all = {bare_fabrics_begin, bare_fabrics_end});
