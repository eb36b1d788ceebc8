/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LANE_STARVED_H
#define VBM_LANE_STARVED_H

#include "process/task.h"

/*
 * How long a process waited for a processor. The kernel counts such a wait only when
 * the wait is over, and a wait can last for seconds. So the caller looks at the process
 * again and again, and the open wait is counted here: where the process is ready, it is
 * the time since the last look without what the process had of a processor, and without
 * the waits that the kernel counted.
 */
struct starved {
	struct process_times last;	/* what the last look found */
	int64_t open_ns;	/* the wait that was open then */
	int64_t told_ns;	/* the sum of what starved_more() returned */
};

/* Since now; the process has just been started. */
void starved_begin(struct starved *s);

/* How much later a deadline has to be since the last call: waits do not use it up. */
int64_t starved_more(struct starved *s, const struct process_times *now);

#endif
