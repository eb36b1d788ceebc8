/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_WIRE_COUNT_H
#define VBM_WIRE_COUNT_H

#include <stdint.h>

#include <verbatim/error.h>

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
