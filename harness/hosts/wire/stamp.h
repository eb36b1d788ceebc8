/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_WIRE_STAMP_H
#define VBM_WIRE_STAMP_H

#include <stdint.h>

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
