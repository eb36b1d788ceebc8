/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LANE_PROCESSOR_H
#define VBM_LANE_PROCESSOR_H

#include <sched.h>

/*
 * Finds a processor that this process may use and that no other place on this machine has
 * taken. If all are taken, it is the @n-th after the current one, wrapping around. @one
 * is empty if the processors cannot be listed. Returns a descriptor that keeps other
 * places off, which the caller closes, or -1.
 */
int processor_take(int n, cpu_set_t *one);

/* The @n-th processor of @all after @here, which is one of them, wrapping around. Pure. */
void processor_nth(const cpu_set_t *all, int here, int n, cpu_set_t *one);

#endif
