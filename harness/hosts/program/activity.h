/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROGRAM_ACTIVITY_H
#define VBM_PROGRAM_ACTIVITY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Nothing announces that a program is ready. So its state is looked up, and a probe
 * command is run, this often:
 */
#define READY_CHECK_MS 25
#define READY_PROBE_PAUSE_MS 50	/* pause after a probe command that failed */

/*
 * Whether a started program has no more work, and so waits for its peers: all threads of
 * its session sleep, and none has run for a tenth of a second. A program that polls, or
 * sleeps and wakes again and again, counts as waiting after a second. Both times are
 * multiplied by the clock's factor.
 */
struct activity {
	uint64_t done;		/* the session's work at the last look */
	int64_t quiet_ns;	/* the end of the time without work; 0: no look yet */
	int64_t head_start_ns;	/* the program counts as waiting then */
};

void activity_begin(struct activity *a);

/* The kernel does not announce it, so the caller has to ask again and again. */
bool activity_is_over(struct activity *a, pid_t sid);

#endif
