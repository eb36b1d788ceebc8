/* SPDX-License-Identifier: BSD-2-Clause */
#include "wire/tap.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "fabric/fabric.h"
#include "lib/base/fail.h"
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
