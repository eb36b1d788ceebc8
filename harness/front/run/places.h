/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUN_PLACES_H
#define VBM_RUN_PLACES_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "lane/lane.h"
#include "plan/plan.h"
#include "run/tracker.h"

struct order;
struct signals;
struct value;

/*
 * Several runners work at the same time, but a report reads as if there were one: events
 * are handed out in the order of the plan's variants. Events of the variant whose turn it
 * is are handed out at once; the others are kept until their turn comes. Pure.
 */

/* @out gets every event once, and whether @more follow at once; @variants are numbered from 0. */
struct order *order_new(size_t variants, size_t runners,
			void (*out)(void *arg, const struct value *event, bool more), void *arg);

/* Hands out the events that are still kept, in order. NULL is fine. */
void order_free(struct order *o);

/*
 * Takes an event of runner @runner. An event without a variant goes with the runner's
 * current variant, and between two variants with the next one.
 */
void order_event(struct order *o, size_t runner, const struct value *event);

/*
 * The runner has ended: its last events belong to no variant, and are handed out at the
 * end.
 */
void order_runner_ended(struct order *o, size_t runner);

/* How many variants were handed out completely. */
size_t order_done(const struct order *o);

/*
 * The places of a run: up to @jobs runners at a time, each of which gets a new variant
 * when it has finished one. If a place dies, its variant gets its verdict here, and other
 * places run the variants that it had not begun.
 */
struct places {
	const struct plan *plan;
	struct tracker *tracker;
	struct lanes *lanes;
	struct signals *signals;
	int jobs;
	/*
	 * How long a runner may be silent. While a variant runs, the time of its longest item is added. The lane's
	 * factor multiplies the sum.
	 */
	int silence_ms;
	/* A place has started, the first of a run or another one. */
	void (*ready)(void *arg, const struct lane *lane);
	struct value *(*job)(void *arg);	/* its first line; the caller frees it */
	void (*describe)(void *arg, size_t variant, struct value *line);	/* adds what is known about @variant to its line */
	/* Every event of all runners, in the order of the plan's variants. */
	void (*event)(void *arg, const struct value *event, bool more);
	/* Whether no more variants shall begin, as after --fail-fast; NULL: never. */
	bool (*enough)(void *arg);
	const size_t *turn;	/* the variants in the order in which they begin; NULL: that of the plan */
	void *arg;
};

/*
 * Runs all variants that wait, unless it is enough. Returns -ENODEV if there never was a fabric (the report
 * has that error), -EINTR if a signal came, and other errors if places do not start.
 */
int places_run(const struct places *p, struct vbm_error *err);

#endif
