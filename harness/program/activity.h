/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROGRAM_ACTIVITY_H
#define VBM_PROGRAM_ACTIVITY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Nothing announces that a program is ready. How often it is looked up, and asked: */
#define READY_CHECK_MS 25
#define READY_PROBE_PAUSE_MS 50	/* from a command that failed to the next */

/*
 * Whether a program that was started has nothing to do any more, and so waits for
 * its peers: all threads of its session sleep, and none has run for a tenth of a
 * second. One that spins, or naps and wakes, is taken for that after a second.
 * Both times follow the clock's factor.
 */
struct activity {
	uint64_t done;		/* what its session had done when last looked at */
	int64_t quiet_ns;	/* until when it must do nothing; 0: not looked at yet */
	int64_t head_start_ns;	/* it is taken to be over then */
};

void activity_begin(struct activity *a);

/* The kernel announces it not: look again and again. */
bool activity_is_over(struct activity *a, pid_t sid);

#endif
