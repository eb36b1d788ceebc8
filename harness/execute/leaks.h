/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXECUTE_LEAKS_H
#define VBM_EXECUTE_LEAKS_H

#include "event/emit.h"

/*
 * Memory that a kernel with leak detection (kmemleak) lost. It belongs to no
 * scenario: what it finds now may have been lost by any before.
 */

/* What is lost already is none of this run's. */
void leaks_begin(void);

/*
 * Look, and emit what is found as "kernel" events of no variant; the first line of
 * each is bad. The kernel keeps silent about what is younger than five seconds.
 */
void leaks_tell(struct emitter *emit);

#endif
