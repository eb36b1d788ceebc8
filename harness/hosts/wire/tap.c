/* SPDX-License-Identifier: BSD-2-Clause */
#include "wire/tap.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "codec/packet.h"
#include "fabric/fabric.h"
#include "lib/base/fail.h"
#include "names/host.h"
#include "net/netns.h"

static int set_options(int fd, const struct tap_options *opts)
{
	const int one = 1;

	if (opts->incoming &&
	    setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof(one)) < 0)
		return -1;
	if (opts->filter && setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, opts->filter,
				       sizeof(*opts->filter)) < 0)
		return -1;
	/* This sets a larger buffer than ordinary users may have, if the caller may. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &opts->room, sizeof(opts->room)) < 0 &&
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &opts->room, sizeof(opts->room)) < 0)
		return -1;
	return opts->filter ? 0 :
	       setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof(one));
}

/* The interface's index in the namespace of the socket. */
static int index_of(int fd, const char *netdev)
{
	struct ifreq ifr = {0};

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", netdev);
	return ioctl(fd, SIOCGIFINDEX, &ifr) < 0 ? -1 : ifr.ifr_ifindex;
}

int tap_open_at(int *fd, int netns, const struct host_info *h, const struct tap_options *opts,
		struct vbm_error *err)
{
	int type = (opts->filter ? SOCK_DGRAM : SOCK_RAW) | SOCK_NONBLOCK;
	struct sockaddr_ll sa = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
	auto_close int sock = -1;
	int rc;

	/* The socket receives nothing before bind(2). */
	rc = netns_socket(netns, AF_PACKET, type, &sock, err);
	if (rc < 0)
		return rc;
	sa.sll_ifindex = index_of(sock, h->netdev);
	if (sa.sll_ifindex < 0 || set_options(sock, opts) < 0 ||
	    bind(sock, (struct sockaddr *)&sa, sizeof(sa)) < 0)
		return vbm_fail(err, errno, "cannot listen to the packets of host %s on %s: %s",
				h->name, h->netdev, strerror(errno));
	*fd = steal_fd(&sock);
	return 0;
}

int tap_open(int *fd, const struct fabric *fabric, int host, const struct tap_options *opts,
	     struct vbm_error *err)
{
	return tap_open_at(fd, fabric_netns_fd(fabric, host), fabric_host(fabric, host), opts, err);
}

void tap_count(int fd, struct tap_counts *counts)
{
	struct tpacket_stats stats = {0};
	socklen_t len = sizeof(stats);

	if (getsockopt(fd, SOL_PACKET, PACKET_STATISTICS, &stats, &len) < 0)
		return;
	counts->seen += stats.tp_packets;
	counts->lost += stats.tp_drops;
}

static uint64_t ns_of(const struct timespec *ts)
{
	return (uint64_t)ts->tv_sec * 1000000000 + (uint64_t)ts->tv_nsec;
}

uint64_t stamp_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ns_of(&ts);
}

/*
 * rxe of Linux 7.3 stamps each packet that it makes with CLOCK_MONOTONIC. The packet keeps
 * that stamp if the receiver is in the same network namespace. Such a stamp is far from the
 * calendar: it counts from the start of the machine.
 */
struct stamp stamp_of(struct msghdr *msg)
{
	uint64_t calendar = stamp_now_ns(), now = (uint64_t)clock_now_ns(), ns = calendar;
	struct cmsghdr *c;
	struct timespec ts;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS)
			continue;
		memcpy(&ts, CMSG_DATA(c), sizeof(ts));
		ns = ns_of(&ts);
	}
	if (ns < calendar / 2)
		ns += calendar - now;
	return (struct stamp){.ns = ns, .at_ns = (int64_t)(ns - calendar + now)};
}

#define SOCKET_ROOM (8 << 20)
#define KEPT_MAX (64 << 20)

int tap_log_open(struct tap_log *log, const struct host_info *host, struct vbm_error *err)
{
	const struct tap_options opts = {.room = SOCKET_ROOM};

	*log = (struct tap_log){.fd = -1};
	log->room = xcalloc(1, TAP_FRAME_MAX);
	return tap_open_at(&log->fd, -1, host, &opts, err);
}

static void store_frame(struct tap_log *log, size_t len, bool out)
{
	struct packet p;

	packet_read(&p, PACKET_ETHERNET, log->room, len);
	if (!p.rdma)
		return;
	GROW(log->frame, log->count);
	log->frame[log->count] = (struct tap_frame){.bytes = xcalloc(1, len), .len = len, .out = out};
	memcpy(log->frame[log->count++].bytes, log->room, len);
	log->bytes += len;
}

static ssize_t read_frame(struct tap_log *log, bool *out)
{
	struct sockaddr_ll from = {0};
	socklen_t size = sizeof(from);
	ssize_t n;

	do {
		n = recvfrom(log->fd, log->room, TAP_FRAME_MAX, MSG_DONTWAIT, (struct sockaddr *)&from, &size);
	} while (n < 0 && errno == EINTR);
	*out = from.sll_pkttype == PACKET_OUTGOING;
	return n;
}

int tap_log_read(struct tap_log *log, struct vbm_error *err)
{
	struct tap_counts counts = {0};
	bool out;
	ssize_t n;

	while ((n = read_frame(log, &out)) >= 0) {
		store_frame(log, (size_t)n, out);
		if (log->bytes > KEPT_MAX)
			return vbm_fail(err, ENOBUFS, "more than %d MB of packets: watch a shorter part", KEPT_MAX >> 20);
	}
	if (errno != EAGAIN)
		return vbm_fail(err, errno, "cannot read packets: %s", strerror(errno));
	tap_count(log->fd, &counts);
	return !counts.lost ? 0 :
	       vbm_fail(err, ENOBUFS, "%llu packets came faster than they could be read",
			(unsigned long long)counts.lost);
}

int tap_log_send(const struct tap_log *log, const struct tap_frame *frame, struct vbm_error *err)
{
	auto_free uint8_t *copy = xcalloc(1, frame->len);
	ssize_t n;

	memcpy(copy, frame->bytes, frame->len);
	packet_udp_sum_remove(copy, frame->len);
	do {
		n = send(log->fd, copy, frame->len, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)frame->len ? 0 :
	       vbm_fail(err, n < 0 ? errno : EIO, "cannot send a packet again: %s", strerror(n < 0 ? errno : EIO));
}

void tap_log_close(struct tap_log *log)
{
	size_t i;

	for (i = 0; i < log->count; i++)
		free(log->frame[i].bytes);
	free(log->frame);
	free(log->room);
	if (log->fd >= 0)
		close(log->fd);
	*log = (struct tap_log){.fd = -1};
}

/*
 * The smallest buffer, because the packets are not read. The kernel also counts packets
 * that it drops.
 */
#define ROOM 1

#define RECEIVED "rcvd_pkts"	/* rxe's name of the counter */

struct wire_count {
	struct fabric *fabric;
	int hosts;
	int tap[FABRIC_HOSTS_MAX];	/* owned; or -1 */
	struct tap_counts counts[FABRIC_HOSTS_MAX];
	uint64_t before[FABRIC_HOSTS_MAX];
};

#define LD_PROTOCOL BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)SKF_AD_OFF + SKF_AD_PROTOCOL)
#define IF_NOT(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip)

/* UDP to RoCE's port. Of a datagram in fragments, only the first has a port. */
static struct sock_filter roce[] = {
	LD_PROTOCOL,
	IF_NOT(ETH_P_IP, 8),
	BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 9),
	IF_NOT(IPPROTO_UDP, 11),
	BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 6),
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x1fff, 9, 0),
	BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0),
	BPF_STMT(BPF_LD | BPF_H | BPF_IND, 2),
	IF_NOT(PACKET_UDP_PORT, 6),
	BPF_STMT(BPF_RET | BPF_K, 1),
	IF_NOT(ETH_P_IPV6, 4),
	BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 6),
	IF_NOT(IPPROTO_UDP, 2),
	BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 42),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PACKET_UDP_PORT, 1, 0),
	BPF_STMT(BPF_RET | BPF_K, 0),
	BPF_STMT(BPF_RET | BPF_K, 1),
};

static const struct sock_fprog filter = {ARRAY_SIZE(roce), roce};

int wire_count_begin(struct wire_count **out, struct fabric *fabric, struct vbm_error *err)
{
	const struct tap_options opts = {.filter = &filter, .incoming = true, .room = ROOM};
	struct wire_count *w = xcalloc(1, sizeof(*w));
	int i, rc = 0;

	w->fabric = fabric;
	w->hosts = fabric_host_count(fabric);
	for (i = 0; i < w->hosts; i++)
		w->tap[i] = -1;
	for (i = 0; rc == 0 && i < w->hosts; i++) {
		rc = tap_open(&w->tap[i], fabric, i, &opts, err) ?:
		     fabric_counter(fabric, i, RECEIVED, &w->before[i], err);
	}
	if (rc < 0)
		wire_count_end(w);
	else
		*out = w;
	return rc;
}

int wire_count_read(struct wire_count *w, int host, struct wire_counts *counts,
		    struct vbm_error *err)
{
	uint64_t now;
	int rc = fabric_counter(w->fabric, host, RECEIVED, &now, err);

	if (rc < 0)
		return rc;
	tap_count(w->tap[host], &w->counts[host]);
	counts->received = now - w->before[host];
	counts->arrived = w->counts[host].seen;
	return 0;
}

void wire_count_end(struct wire_count *w)
{
	int i;

	if (!w)
		return;
	for (i = 0; i < w->hosts; i++)
		if (w->tap[i] >= 0)
			close(w->tap[i]);
	free(w);
}
