/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/value.h"
#include "lib/base/fail.h"
#include "net/ip.h"
#include "net/nl.h"
#include "machine-station/station-priv.h"

/*
 * Whether datagrams as long as the MTU come from each of the other machines, and through the interface
 * of the device. They must not be fragmented.
 */
#define ROUND_MS 300
#define PEERS_MAX FABRIC_HOSTS_MAX

struct datagram {
	uint32_t run;
	uint32_t from;		/* the number of the sender's host */
	char padding[65536 - 8];
};

/* A text that is no address gives the family AF_UNSPEC, which each call refuses. */
static socklen_t fill_address(const char *ip, struct sockaddr_storage *ss)
{
	struct ip_prefix address = {0};

	ip_parse(ip, &address);
	return ip_sockaddr(&address, FABRIC_PROBE_PORT, ss);
}

static const char *own_ip(const struct station *s, int v6)
{
	const struct host_info *info = fabric_host(s->fabric, 0);

	return v6 ? info->ip6 : info->ip4;
}

static int open_one(struct station *s, int v6, struct vbm_error *err)
{
	const int whole = IP_PMTUDISC_DO;	/* the same number for both families */
	struct sockaddr_storage ss;
	socklen_t len = fill_address(own_ip(s, v6), &ss);
	int fd = socket(v6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return vbm_fail(err, errno, "cannot make a socket: %s", strerror(errno));
	s->path[v6] = fd;
	setsockopt(fd, v6 ? IPPROTO_IPV6 : IPPROTO_IP, v6 ? IPV6_MTU_DISCOVER : IP_MTU_DISCOVER, &whole, sizeof(whole));
	if (bind(fd, (struct sockaddr *)&ss, len) < 0)
		return vbm_fail(err, errno, "cannot use UDP port %d of %s: %s", FABRIC_PROBE_PORT, own_ip(s, v6), strerror(errno));
	return 0;
}

static int look_at_link(struct station *s, struct link *link, struct vbm_error *err)
{
	struct netlink *nl;
	int ret = netlink_open(&nl, -1, err);

	if (ret < 0)
		return ret;
	ret = netlink_link_get(nl, fabric_host(s->fabric, 0)->netdev, link, err);
	netlink_close(nl);
	return ret;
}

int path_listen(struct station *s, const struct value *q, struct value *answer, struct vbm_error *err)
{
	struct link link;
	int ret = look_at_link(s, &link, err);

	(void)q;
	(void)answer;
	if (ret == 0 && s->path[0] < 0)
		ret = open_one(s, 0, err);
	if (ret == 0 && s->path[1] < 0)
		ret = open_one(s, 1, err);
	s->rx_before = link.rx_bytes;
	return ret;
}

struct round {
	const struct value *peers;
	uint32_t run;
	size_t size;
	bool came[2][PEERS_MAX];
	int error[2][PEERS_MAX];	/* of the datagram to that machine; 0: it was sent */
};

static void send_all(struct station *s, struct round *r)
{
	static struct datagram d;
	struct sockaddr_storage ss;
	socklen_t len;
	size_t i;
	int v6;

	d.run = htonl(r->run);
	d.from = htonl((uint32_t)s->host);
	for (i = 0; i < r->peers->list.count; i++) {
		for (v6 = 0; v6 < 2 && (int)i != s->host; v6++) {
			len = fill_address(value_get_string(r->peers->list.item[i], v6 ? "ip6" : "ip4", ""), &ss);
			if (sendto(s->path[v6], &d, r->size, 0, (struct sockaddr *)&ss, len) < 0)
				r->error[v6][i] = errno;
		}
	}
}

static void receive_datagrams(struct station *s, struct round *r, int v6)
{
	static struct datagram d;
	ssize_t n;

	while ((n = recv(s->path[v6], &d, sizeof(d), 0)) >= 0 || errno == ECONNREFUSED)
		if (n == (ssize_t)r->size && ntohl(d.run) == r->run && ntohl(d.from) < PEERS_MAX)
			r->came[v6][ntohl(d.from)] = true;
}

/* The first machine and family from which nothing came; false: there is none. */
static bool first_missing(const struct station *s, const struct round *r, size_t *peer, int *v6)
{
	for (*peer = 0; *peer < r->peers->list.count; ++*peer)
		for (*v6 = 0; *v6 < 2; ++*v6)
			if ((int)*peer != s->host && !r->came[*v6][*peer])
				return true;
	return false;
}

static struct value *say_missing(const struct round *r, size_t peer, int v6)
{
	const char *name = value_get_string(r->peers->list.item[peer], "machine", "?");

	if (r->error[v6][peer])
		return value_format_string("no IPv%d packet of %zu bytes can be sent to machine %s: %s", v6 ? 6 : 4,
					   r->size + FABRIC_PROBE_HEADERS, name, strerror(r->error[v6][peer]));
	return value_format_string("no IPv%d packet of %zu bytes came from machine %s: is there a firewall, or a "
				   "switch with a smaller MTU, between them?", v6 ? 6 : 4, r->size + FABRIC_PROBE_HEADERS, name);
}

/* Packets from this machine itself do not cross a wire. */
static uint64_t wire_bytes(const struct station *s, const struct round *r)
{
	const char *here = value_get_string(r->peers->list.item[s->host], "place", "");
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < r->peers->list.count; i++)
		if ((int)i != s->host && strcmp(value_get_string(r->peers->list.item[i], "place", "?"), here) != 0)
			bytes += 2 * r->size;
	return bytes;
}

static int check_counter(struct station *s, const struct round *r, struct value *answer, struct vbm_error *err)
{
	struct link link;
	int ret = look_at_link(s, &link, err);

	if (ret == 0 && link.rx_bytes < s->rx_before + wire_bytes(s, r))
		value_set(answer, "missing",
			  value_format_string("packets to its addresses did not come in through %s; see 'ip route get' on "
					      "the other machines", link.name));
	return ret;
}

int path_try(struct station *s, const struct value *q, struct value *answer, struct vbm_error *err)
{
	struct round r = {.peers = value_get(q, "peers"), .run = (uint32_t)value_get_int(q, "run", 0)};
	int64_t deadline = clock_deadline_ms(ROUND_MS);
	struct pollfd p[2] = {{.fd = s->path[0], .events = POLLIN}, {.fd = s->path[1], .events = POLLIN}};
	struct link link;
	size_t peer;
	int v6, ret = look_at_link(s, &link, err);

	if (ret < 0)
		return ret;
	if (!r.peers || r.peers->type != VALUE_LIST || r.peers->list.count > PEERS_MAX ||
	    (size_t)s->host >= r.peers->list.count || s->path[0] < 0 || s->path[1] < 0)
		return vbm_fail(err, EPROTO, "the question 'path' names no machines");
	r.size = (size_t)link.mtu - FABRIC_PROBE_HEADERS;
	if (r.size > sizeof(struct datagram))
		r.size = sizeof(struct datagram);
	send_all(s, &r);
	while (first_missing(s, &r, &peer, &v6) && clock_left_ms(deadline) > 0) {
		poll(p, 2, clock_left_ms(deadline));
		receive_datagrams(s, &r, 0);
		receive_datagrams(s, &r, 1);
	}
	if (!first_missing(s, &r, &peer, &v6))
		return check_counter(s, &r, answer, err);
	value_set(answer, "missing", say_missing(&r, peer, v6));
	return 0;
}
