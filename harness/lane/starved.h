/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LANE_STARVED_H
#define VBM_LANE_STARVED_H

#include "base/task.h"

/*
 * How long a process waited for a processor, as looks at it tell. The kernel counts
 * such a wait only when the wait is over, and it can last for seconds. So the wait
 * that is still open is counted here: the time in which a process that is ready now
 * neither had a processor nor waited as far as the kernel counted.
 */
struct starved {
	struct process_times last;	/* as the last look found it */
	int64_t open_ns;	/* of a wait that the kernel had not counted then */
	int64_t told_ns;	/* what starved_more() returned, in all */
};

/* Since now; the process has just been started. */
void starved_begin(struct starved *s);

/* What is to be added to a deadline that no wait for a processor shall use up. */
int64_t starved_more(struct starved *s, const struct process_times *now);

#endif
