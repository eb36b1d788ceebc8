/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PLAN_TOLERANCE_H
#define VBM_PLAN_TOLERANCE_H

#include <stdbool.h>
#include <stdint.h>

#include <verbatim/error.h>

/*
 * How long something takes that ends after timers of the protocol ran out, in
 * the protocol's own codes. Pure.
 *
 * ACK timeout: the timer of code N is T = 4.096 us * 2^N. A device may wait
 * between T and 4 T each time. Code 0 is no timer: such a wait does not end.
 * RNR timer: a sender waits at least what the code says.
 */
enum tolerance_timer {
	TOLERANCE_ACK_TIMEOUT,	/* "ack_timeout" */
	TOLERANCE_RNR_TIMER,	/* "rnr_timer" */
};

/* False when no timer is called so. */
bool tolerance_find(const char *name, enum tolerance_timer *timer);
const char *tolerance_name(enum tolerance_timer timer);

#define TOLERANCE_CODE_MAX 31
#define TOLERANCE_TRIES_MAX 1000
#define TOLERANCE_SLACK_MS 100	/* for the machine, whatever the timer */

struct tolerance {
	int64_t min_ms, max_ms;	/* of an elapsed time that was rounded down */
};

/*
 * For @tries times the timer of @code (a request that is sent again 7 times
 * waits 8 times). @factor is clock_factor(): the upper limit and its slack are
 * multiplied by it. -ERANGE with @err when there is no such code or number, or
 * no end.
 */
int tolerance_range(enum tolerance_timer timer, int64_t code, int64_t tries, int factor,
		    struct tolerance *out, struct vbm_error *err);

struct value;

/* The same from {ack_timeout: CODE, tries: N} or {rnr_timer: CODE, tries: N}. */
int tolerance_read(const struct value *v, int factor, struct tolerance *out,
		   struct vbm_error *err);

#endif
