/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_CLOCK_H
#define VBM_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* CLOCK_MONOTONIC now, in nanoseconds. */
int64_t clock_now_ns(void);

/*
 * Every wait in the harness is multiplied by one factor: 1 on real CPUs and
 * under KVM, larger under TCG. A deadline is a time as clock_now_ns() tells it.
 */
void clock_set_factor(int factor);
int clock_factor(void);

/*
 * The factor for a place that needs @least. The user of a slow machine can set
 * VERBATIM_FACTOR in the environment to a larger one.
 */
int clock_factor_for(int least);

/* Whether VERBATIM_FACTOR, where it is set and not empty, is a number from 1 to CLOCK_FACTOR_MAX. */
#define CLOCK_FACTOR_MAX 1000
bool clock_factor_is_sound(void);

/* How long a wait of @ms is with the factor, and when one that begins now ends. */
int64_t clock_span_ns(int ms);
int64_t clock_deadline_ms(int ms);

/* Milliseconds left until @deadline_ns for poll(2): never negative. */
int clock_left_ms(int64_t deadline_ns);

/*
 * After a wait in vain: true when it ended so late that the machine must have stood
 * still, as one with too much to do does for seconds. Then *@deadline_ns is a little
 * later than now: others that make what was awaited have to get their turn first.
 * To be asked once for each wait.
 */
bool clock_stood_still(int64_t *deadline_ns);

#endif
