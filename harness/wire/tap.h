/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_WIRE_TAP_H
#define VBM_WIRE_TAP_H

#include <stdbool.h>
#include <stdint.h>

#include <verbatim/error.h>

struct fabric;
struct sock_fprog;

/* The port of RoCE v2. */
#define TAP_ROCE_PORT 4791

/*
 * A packet socket on the interface of a host, which sees what the kernel sends and
 * receives there; all of it, or what @filter lets pass of what comes in. @room: how
 * many bytes of packets wait there for their reader. Needs CAP_NET_RAW.
 */
struct tap_options {
	const struct sock_fprog *filter;	/* NULL: none; it sees the IP header first */
	bool incoming;				/* only what the interface receives */
	int room;
};

int tap_open(int *fd, const struct fabric *fabric, int host, const struct tap_options *opts,
	     struct vbm_error *err);

/* Since the last call: packets that it saw, and how many of them had no room. */
struct tap_counts {
	uint64_t seen, lost;
};

/* Added to @counts. */
void tap_count(int fd, struct tap_counts *counts);

#endif
