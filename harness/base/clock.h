/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_CLOCK_H
#define VBM_BASE_CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC now, in nanoseconds. */
int64_t clock_now_ns(void);

/*
 * Every wait in the harness is a multiple of one factor (1 on real CPUs and
 * under KVM, larger under TCG). Absolute deadline in clock_now_ns() terms.
 */
void clock_set_factor(int factor);
int clock_factor(void);

/*
 * The factor for a place that asks for @least: larger where VERBATIM_FACTOR in
 * the environment says so, as on a slow machine, or in a guest of our own.
 */
int clock_factor_for(int least);
int64_t clock_deadline_ms(int ms);

/* Milliseconds left until @deadline_ns for poll(2): never negative. */
int clock_left_ms(int64_t deadline_ns);

#endif
