/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FRONT_TRACKER_H
#define VBM_FRONT_TRACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

#include "event/event.h"

/*
 * How far a run has come: the variants that shall be run, and what the events
 * say of each. Pure. It outlives streams, so that a run can go on in a fresh
 * guest with what remains.
 */
enum track_state {
	TRACK_WAITING,
	TRACK_RUNNING,
	TRACK_DONE,
};

struct track {
	char *name;		/* owned; with variant */
	char *id, *title, *path;	/* owned; NULL until known */
	enum track_state state;
	enum verdict verdict;	/* once done */
	int64_t took_ms, own_us;
};

#define TRACK_NONE ((size_t)-1)

struct tracker {
	struct track *item;	/* by the variant's number in the plan */
	size_t count;
	size_t verdicts[VERDICT_COUNT];
	char *kernel, *layout;	/* owned; as last heard, or NULL */
	bool complaint;		/* the kernel complained while no variant was at work */
};

void tracker_init(struct tracker *t);
void tracker_fini(struct tracker *t);

/* The next variant of the plan, in the order of their numbers. */
void tracker_expect(struct tracker *t, const char *name);

/*
 * Follow one event of a runner. *@running is the number of the variant that
 * runs there, or TRACK_NONE; each runner has one of its own. -EPROTO: it cannot
 * be (a verdict for what does not run, a scenario nobody asked for, two at
 * once); the stream is then not to be believed any more.
 */
int tracker_event(struct tracker *t, size_t *running, const struct value *event,
		  struct vbm_error *err);

/*
 * Count an event that is a verdict or a complaint of the kernel, as reports
 * have it: known findings may have changed it meanwhile.
 */
void tracker_count(struct tracker *t, const struct value *event);

/* Those that wait for their turn. */
size_t tracker_remaining(const struct tracker *t);

/*
 * Events by which the front end gives a verdict itself: a "scenario" event for
 * one that never began (NULL when it did) and its "verdict". The caller passes
 * both on to tracker_event() and to the sinks, and owns them.
 */
void tracker_settle(const struct tracker *t, size_t index, enum verdict verdict,
		    const char *reason, struct value **scenario, struct value **end);

/*
 * Whether all is as expected: every variant has a verdict that is, and at
 * least one really ran, for a run that shows nothing must not look like one
 * that does.
 */
bool tracker_all_expected(const struct tracker *t);

/* A "summary" event with what is known here; the front end adds the rest. */
struct value *tracker_summary(const struct tracker *t);

#endif
