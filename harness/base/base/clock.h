/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_CLOCK_H
#define VBM_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* CLOCK_MONOTONIC now, in nanoseconds. */
int64_t clock_now_ns(void);

/*
 * Every wait in the harness is multiplied by one factor: 1 on real CPUs and under KVM,
 * larger under TCG. A deadline is a time of clock_now_ns().
 */
void clock_set_factor(int factor);
int clock_factor(void);

/*
 * The factor for a place that needs at least @least. The user of a slow machine can set
 * VERBATIM_FACTOR in the environment to a larger factor.
 */
int clock_factor_for(int least);

/*
 * Whether VERBATIM_FACTOR is a number from 1 to CLOCK_FACTOR_MAX. True also if it is empty
 * or not set.
 */
#define CLOCK_FACTOR_MAX 1000
bool clock_factor_is_sound(void);

/* The length of a wait of @ms with the factor, and the deadline of one that begins now. */
int64_t clock_span_ns(int ms);
int64_t clock_deadline_ms(int ms);

/* The milliseconds until @deadline_ns, for poll(2); never negative. */
int clock_left_ms(int64_t deadline_ns);

/*
 * Ask this once after each wait without a result. True when the wait ended so late that
 * the machine must have paused, as an overloaded machine does for seconds. Then
 * *@deadline_ns is set a little later than now, because the processes that produce the
 * result must first get processor time.
 */
bool clock_stood_still(int64_t *deadline_ns);

#endif
