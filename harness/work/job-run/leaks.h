/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_RUN_LEAKS_H
#define VBM_JOB_RUN_LEAKS_H

#include "event/emit.h"

/*
 * Memory that a kernel with leak detection (kmemleak) lost. It belongs to no scenario,
 * because any earlier scenario may have lost it.
 */

/* Earlier leaks do not count. */
void leaks_begin(void);

/*
 * Looks for leaks, and emits them as "kernel" events of no variant; the first line of
 * each is bad. The kernel does not report memory that is younger than five seconds.
 */
void leaks_tell(struct emitter *emit);

#endif
