/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LANE_FLOOD_H
#define VBM_LANE_FLOOD_H

#include <stdbool.h>

/*
 * A limit on the console of a machine. Its text is in memory or in the folder of
 * --output, and every program on a host may write to /dev/console.
 */
#define FLOOD_MB 32

struct flood {
	int watch_fd;	/* owned; readable when the console has grown; -1: nothing is watched */
	int console_fd;	/* borrowed */
};

#define FLOOD_NONE {-1, -1}

/* Watches @console_fd; does nothing if this machine has no watches left. */
void flood_begin(struct flood *f, int console_fd);

/* Call this when @watch_fd is readable: whether the console has more than FLOOD_MB. */
bool flood_look(const struct flood *f);

void flood_end(struct flood *f);

#endif
