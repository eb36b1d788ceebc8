/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_WIRE_TAP_H
#define VBM_WIRE_TAP_H

#include <stdbool.h>
#include <stdint.h>

#include <verbatim/error.h>

#include "names/host.h"

#define TAP_FRAME_MAX 66000	/* a packet that the kernel will segment later */

struct fabric;
struct host_info;
struct sock_fprog;

/*
 * A packet socket on the interface of a host. It receives all packets that the kernel
 * sends and receives there, or the received ones that pass @filter. @room: the bytes of
 * packets that the socket holds until they are read. Needs CAP_NET_RAW.
 */
struct tap_options {
	const struct sock_fprog *filter;	/* starts at the IP header; NULL: no filter */
	bool incoming;				/* only what the interface receives */
	int room;
};

int tap_open(int *fd, const struct fabric *fabric, int host, const struct tap_options *opts,
	     struct vbm_error *err);

/* The same for a caller in the namespace @netns (-1: the present one). */
int tap_open_at(int *fd, int netns, const struct host_info *host, const struct tap_options *opts,
		struct vbm_error *err);

/* Packets since the last call, including the @lost ones for which there was no room. */
struct tap_counts {
	uint64_t seen, lost;
};

/* Add the numbers since the last call to @counts. */
void tap_count(int fd, struct tap_counts *counts);

struct msghdr;

/* CLOCK_REALTIME in nanoseconds: the time of packets. */
uint64_t stamp_now_ns(void);

struct stamp {
	uint64_t ns;		/* since 1970 */
	int64_t at_ns;		/* in the time of clock_now_ns() */
};

/* When the kernel saw the packet @msg of a packet socket (tap.h); now, if it does not say so. */
struct stamp stamp_of(struct msghdr *msg);

#endif
