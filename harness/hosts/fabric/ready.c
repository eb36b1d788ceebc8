/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/watch.h"
#include "base/xalloc.h"
#include "fabric/fabric-priv.h"
#include "net/netns.h"
#include "lib/base/fail.h"

/*
 * Each host sends a datagram to the next host and to the one before, over IPv4 and IPv6.
 * The datagram is as long as the links allow. No socket option tells the receiver whether
 * a packet came over the wire or the kernel delivered it directly. The byte counter of the
 * receiver's interface shows it, because other traffic is much shorter.
 */
#define READY_DEADLINE_MS 3000
#define RESEND_MS 200	/* a link that is just coming up loses packets */

struct probe {
	int from, to, family;
	bool arrived;
};

struct probe_station {
	struct check *check;
	int host;		/* its number */
	struct watch sock;	/* owned */
	uint64_t rx_before;	/* bytes */
};

struct check {
	struct fabric *fabric;
	struct probe *probes;		/* owned */
	int probe_count;
	struct probe_station *stations;	/* owned: [host * 2 + (family is IPv6)] */
	struct loop loop;
	size_t size;			/* of a datagram */
};

struct message {
	uint32_t run;
	uint32_t number;
	char padding[8192];
};

static const struct ip_prefix *ip_of(const struct host *host, int family)
{
	return family == AF_INET ? &host->ip4 : &host->ip6;
}

static int open_station(struct host *host, int family, struct probe_station *s, struct vbm_error *err)
{
	struct sockaddr_storage ss;
	socklen_t len;
	int ret;

	ret = netns_socket(host->netns, family, SOCK_DGRAM | SOCK_NONBLOCK, &s->sock.fd, err);
	if (ret < 0)
		return ret;
	len = ip_sockaddr(ip_of(host, family), FABRIC_PROBE_PORT, &ss);
	if (bind(s->sock.fd, (struct sockaddr *)&ss, len) < 0)
		return vbm_fail(err, errno, "cannot use %s: %s",
				family == AF_INET ? host->info.ip4 : host->info.ip6,
				strerror(errno));
	return 0;
}

static void receive_probes(struct watch *sock, uint32_t events)
{
	struct probe_station *s = OWNER_OF(sock, struct probe_station, sock);
	struct check *c = s->check;
	struct message msg;

	(void)events;
	while (recv(sock->fd, &msg, sizeof(msg), 0) == (ssize_t)c->size) {
		if (msg.run != c->fabric->run || msg.number >= (uint32_t)c->probe_count)
			continue;
		if (c->probes[msg.number].to == s->host)
			c->probes[msg.number].arrived = true;
	}
}

static int check_open(struct check *c, struct fabric *fabric, struct vbm_error *err)
{
	int i, v6, ret, n = fabric->count;
	struct link link;

	c->fabric = fabric;
	c->size = (size_t)fabric->mtu - FABRIC_PROBE_HEADERS;
	c->stations = xcalloc((size_t)n * 2, sizeof(*c->stations));
	for (i = 0; i < 2 * n; i++) {
		c->stations[i].check = c;
		c->stations[i].host = i / 2;
		watch_add(&c->loop, &c->stations[i].sock, -1, POLLIN, receive_probes);
	}
	for (i = 0; i < n; i++) {
		ret = netlink_link_get(fabric->host[i].nl, fabric->host[i].info.netdev, &link, err);
		if (ret < 0)
			return ret;
		for (v6 = 0; v6 < 2; v6++) {
			struct probe_station *s = &c->stations[2 * i + v6];

			ret = open_station(&fabric->host[i], v6 ? AF_INET6 : AF_INET, s, err);
			if (ret < 0)
				return ret;
			s->rx_before = link.rx_bytes;
		}
	}
	return 0;
}

static void check_close(struct check *c)
{
	int i;

	for (i = 0; c->stations && i < 2 * c->fabric->count; i++)
		watch_close(&c->stations[i].sock);
	vbm_loop_fini(&c->loop);
	free(c->stations);
	free(c->probes);
}

static void plan_probes(struct check *c)
{
	int i, k, step, n = c->fabric->count;
	static const int families[] = {AF_INET, AF_INET6};

	c->probes = xcalloc((size_t)n * 4, sizeof(*c->probes));
	for (i = 0; i < n; i++)
		for (step = 1; step < n; step += n > 2 ? n - 2 : 1)
			for (k = 0; k < 2; k++)
				c->probes[c->probe_count++] =
					(struct probe){i, (i + step) % n, families[k], false};
}

static void send_missing(struct check *c)
{
	struct message msg = {.run = c->fabric->run};
	struct sockaddr_storage ss;
	socklen_t len;
	int i;

	for (i = 0; i < c->probe_count; i++) {
		const struct probe *p = &c->probes[i];
		int v6 = p->family == AF_INET6;

		if (p->arrived)
			continue;
		msg.number = (uint32_t)i;
		len = ip_sockaddr(ip_of(&c->fabric->host[p->to], p->family), FABRIC_PROBE_PORT, &ss);
		/* A datagram that cannot be sent does not arrive, which is reported later. */
		if (sendto(c->stations[2 * p->from + v6].sock.fd, &msg, c->size, 0,
			   (struct sockaddr *)&ss, len) < 0)
			continue;
	}
}

static const struct probe *first_missing(const struct check *c)
{
	int i;

	for (i = 0; i < c->probe_count; i++)
		if (!c->probes[i].arrived)
			return &c->probes[i];
	return NULL;
}

static int run_probes(struct check *c, struct vbm_error *err)
{
	int64_t deadline_ns = clock_deadline_ms(READY_DEADLINE_MS), resend_ns = 0;
	const struct probe *p;

	while ((p = first_missing(c)) && clock_now_ns() < deadline_ns) {
		if (clock_now_ns() >= resend_ns) {
			send_missing(c);
			resend_ns = clock_deadline_ms(RESEND_MS);
		}
		vbm_loop_run(&c->loop, clock_left_ms(resend_ns < deadline_ns ? resend_ns :
									       deadline_ns));
	}
	if (!p)
		return 0;
	return vbm_fail(err, EHOSTUNREACH,
			"no IPv%d packet from host %s reached host %s at %s in %d ms (a firewall?)",
			p->family == AF_INET ? 4 : 6, c->fabric->host[p->from].info.name,
			c->fabric->host[p->to].info.name, c->fabric->host[p->to].info.netdev,
			READY_DEADLINE_MS * clock_factor());
}

static int compare_counters(struct check *c, struct vbm_error *err)
{
	int senders = c->fabric->count > 2 ? 2 : c->fabric->count - 1;
	uint64_t least = 2 * (uint64_t)senders * c->size;
	struct link link;
	int i, ret;

	for (i = 0; i < c->fabric->count; i++) {
		struct host *host = &c->fabric->host[i];

		ret = netlink_link_get(host->nl, host->info.netdev, &link, err);
		if (ret < 0)
			return ret;
		if (link.rx_bytes < c->stations[2 * i].rx_before + least)
			return vbm_fail(err, EHOSTUNREACH,
					"packets for host %s did not come in through %s: they took "
					"another way", host->info.name, host->info.netdev);
	}
	return 0;
}

int ready_check(struct fabric *fabric, struct vbm_error *err)
{
	struct check c = {.fabric = fabric};
	int ret;

	vbm_loop_init_plain(&c.loop);
	ret = check_open(&c, fabric, err);
	if (ret == 0) {
		plan_probes(&c);
		ret = run_probes(&c, err);
	}
	if (ret == 0)
		ret = compare_counters(&c, err);
	check_close(&c);
	return ret;
}
