/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LANE_RELAY_H
#define VBM_LANE_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <verbatim/error.h>

/*
 * A process between a lane's descriptors and the lines of a user-mode kernel. It passes
 * bytes on in both directions. It never sends the kernel more than GUEST_WINDOW bytes
 * that init has not taken.
 */
struct relay_link {
	int inner;	/* owned; towards the user of the lane */
	int line;	/* owned; towards the kernel */
	int taken;	/* owned; a byte for each GUEST_WINDOW_STEP that init took */
	bool deflates;	/* bytes to the kernel are compressed */
};

#define RELAY_LINK_NONE {-1, -1, -1, false}

/* The process ends when all its links have ended, or when this process ends. */
int relay_start(pid_t *pid, const struct relay_link *link, size_t count, struct vbm_error *err);
void relay_close(struct relay_link *link, size_t count);

#endif
