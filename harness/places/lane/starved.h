/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LANE_STARVED_H
#define VBM_LANE_STARVED_H

#include "process/task.h"

/*
 * How long a process waited for a processor. The kernel counts a wait only when it is
 * over, and a wait can last for seconds. So the caller looks at the process again and
 * again, and this file counts the open wait: if the process is ready, that is the time
 * since the last look, without the processor time of the process and without the waits
 * that the kernel counted.
 */
struct starved {
	struct process_times last;	/* from the last look */
	int64_t open_ns;	/* the wait that was open then */
	int64_t told_ns;	/* the sum of what starved_more() returned */
};

/* Begins to count; the process has just been started. */
void starved_begin(struct starved *s);

/*
 * How much a deadline has to move since the last call, because waits for a processor do
 * not count.
 */
int64_t starved_more(struct starved *s, const struct process_times *now);

#endif
