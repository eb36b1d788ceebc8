/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUN_PLACES_H
#define VBM_RUN_PLACES_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "lane/lane.h"
#include "plan/plan.h"
#include "run/tracker.h"

struct signals;
struct value;

/*
 * The places of a run: up to @jobs runners at a time, each of which gets the
 * next variant when it is done with one. A variant whose place dies gets its
 * verdict here; what that place had not begun runs elsewhere.
 */
struct places {
	const struct plan *plan;
	struct tracker *tracker;
	struct lanes *lanes;
	struct signals *signals;
	int jobs;
	int silence_ms;		/* how long a runner may say nothing; scaled by the lane */
	/* A place is up, the first of a run or a further one. */
	void (*ready)(void *arg, const struct lane *lane);
	struct value *(*job)(void *arg);	/* its first line; the caller frees it */
	struct value *(*known)(void *arg, size_t variant);	/* how it fails, or NULL; likewise */
	/* Every event of all runners, in the order of the plan's variants. */
	void (*event)(void *arg, const struct value *event);
	void *arg;
};

/*
 * Run all variants that wait. -ENODEV: there never was a fabric, and the report
 * has that error. -EINTR: a signal came. Other errors: places do not live.
 */
int places_run(const struct places *p, struct vbm_error *err);

#endif
