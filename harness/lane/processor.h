/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LANE_PROCESSOR_H
#define VBM_LANE_PROCESSOR_H

#include <sched.h>

/*
 * A processor that this process may use and that no other place of a run on this
 * machine has taken, as long as there is one; else the @n'th after the one that
 * this process is on, and so round. @one is empty when they cannot be told.
 * Returns a descriptor that keeps others off, for the caller to close, or -1.
 */
int processor_take(int n, cpu_set_t *one);

/* Pure: the @n'th of the processors of @all from @here on, which is one of them. */
void processor_nth(const cpu_set_t *all, int here, int n, cpu_set_t *one);

#endif
