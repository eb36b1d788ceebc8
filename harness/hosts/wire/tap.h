/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_WIRE_TAP_H
#define VBM_WIRE_TAP_H

#include <stdbool.h>
#include <stddef.h>
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

struct host_info;

/*
 * The RDMA packets that the interface of a host has sent and received since the log was opened,
 * in order. The log is on the host: it is opened in the host's network namespace. Only tap_log_read() reads
 * new packets, so the log does not change between two calls.
 */
struct tap_frame {
	uint8_t *bytes;		/* owned */
	size_t len;
	bool out;		/* the interface sent it */
};

struct tap_log {
	int fd;			/* owned; readable when there are new packets */
	struct tap_frame *frame;	/* owned */
	size_t count, bytes;
	uint8_t *room;		/* owned */
};

int tap_log_open(struct tap_log *log, const struct host_info *host, struct vbm_error *err);

/* -ENOBUFS: packets came faster than they were read, or there are too many to keep, so nothing can be said. */
int tap_log_read(struct tap_log *log, struct vbm_error *err);

/* Sends a frame from the interface, as it is, except that it has no checksum of UDP. */
int tap_log_send(const struct tap_log *log, const struct tap_frame *frame, struct vbm_error *err);
void tap_log_close(struct tap_log *log);

struct fabric;
struct wire_count;

/*
 * Where the RDMA packets of a host came from. rxe delivers a packet for a device of its
 * own machine directly: such a packet is on no interface and in no capture, but the device
 * counts it like any other.
 */
struct wire_counts {
	uint64_t received;	/* RDMA packets, by the host's device */
	uint64_t arrived;	/* RoCE packets, at the host's interface */
};

/* Start to count, for each host of the fabric. */
int wire_count_begin(struct wire_count **out, struct fabric *fabric, struct vbm_error *err);

/* Read the number of packets of host @host since wire_count_begin(). */
int wire_count_read(struct wire_count *w, int host, struct wire_counts *counts,
		    struct vbm_error *err);
void wire_count_end(struct wire_count *w);	/* NULL is fine */

#endif
