/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_WIRE_TAP_LOG_H
#define VBM_WIRE_TAP_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

#include "names/host.h"

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

#endif
