/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXECUTE_SUMS_H
#define VBM_EXECUTE_SUMS_H

#include <stdint.h>

/*
 * The packets for one host. Pure. The interface of the sender has sent @sent, rules of the receiver have taken @taken of
 * them away and have put @again back, and the receiver's interface has shown @received. The faults of the cable
 * (--loss, --delay, --rate) act before the sender's interface shows a packet, so they change no sum.
 */
struct packet_sums {
	uint64_t sent, received;
	int64_t taken, again;
};

/* The sentence about the host @name if the numbers do not add up; NULL if they do. The caller frees it. */
char *sums_mistake(const struct packet_sums *s, const char *name);

#endif
