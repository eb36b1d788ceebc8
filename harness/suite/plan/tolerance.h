/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PLAN_TOLERANCE_H
#define VBM_PLAN_TOLERANCE_H

#include <stdbool.h>
#include <stdint.h>

#include <verbatim/error.h>

/*
 * How long a call takes that fails after timers of the protocol ran out, computed
 * from the protocol's codes. Pure.
 *
 * ACK timeout: the timer of code N is T = 4.096 us * 2^N. A device may wait
 * between T and 4 T each time. Code 0 turns the timer off: the wait does not end.
 * RNR timer: a sender waits at least as long as the code says.
 */
enum tolerance_timer {
	TOLERANCE_ACK_TIMEOUT,	/* "ack_timeout" */
	TOLERANCE_RNR_TIMER,	/* "rnr_timer" */
};

/* False when no timer has that name. */
bool tolerance_find(const char *name, enum tolerance_timer *timer);
const char *tolerance_name(enum tolerance_timer timer);

#define TOLERANCE_CODE_MAX 31
#define TOLERANCE_TRIES_MAX 1000
#define TOLERANCE_SLACK_MS 5000	/* added to the upper limit, because a busy machine stands still for seconds */
#define TOLERANCE_TICK_MS 40	/* taken from the lower limit on a slow machine, but at most a tenth of that limit */

struct tolerance {
	int64_t min_ms, max_ms;	/* limits of an elapsed time that is rounded down */
};

/*
 * Computes the limits for @tries waits with the timer of @code (a request that is
 * sent again 7 times waits 8 times). @factor is clock_factor(): the upper limit
 * and its slack are multiplied by it. If it is above 1, the lower limit is lower, too:
 * a kernel sets its timers by its last tick, and in a guest whose tick is late the
 * timer ends earlier than the clock says. -ERANGE with @err for a code or a number
 * that is out of range, and for a wait that does not end.
 */
int tolerance_range(enum tolerance_timer timer, int64_t code, int64_t tries, int factor,
		    struct tolerance *out, struct vbm_error *err);

struct value;

/* Does the same for {ack_timeout: CODE, tries: N} or {rnr_timer: CODE, tries: N}. */
int tolerance_read(const struct value *v, int factor, struct tolerance *out,
		   struct vbm_error *err);

#endif
