/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUN_TRACKER_H
#define VBM_RUN_TRACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

#include "event/event.h"
#include "run/account.h"

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
	const struct variant *plan;	/* borrowed; NULL: its steps are not judged */
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
	bool error;		/* an event said that something went wrong outside all variants */
};

/* One runner, as far as it has told of itself. */
struct track_runner {
	size_t running;		/* the variant that runs there, or TRACK_NONE */
	struct account account;
	bool ended;		/* it said "end" */
};

#define TRACK_RUNNER_NEW {.running = TRACK_NONE}
void track_runner_fini(struct track_runner *r);

void tracker_init(struct tracker *t);
void tracker_fini(struct tracker *t);

/* The next variant of the plan, in the order of their numbers; @plan may be NULL. */
void tracker_expect(struct tracker *t, const char *name, const struct variant *plan);

/*
 * Follow one event of runner @r. -EPROTO: it cannot be (a verdict for what does
 * not run or that does not follow from what was told, a scenario nobody asked
 * for, two at once, an end before the verdict); the stream is then not to be
 * believed any more.
 */
int tracker_event(struct tracker *t, struct track_runner *r, const struct value *event,
		  struct vbm_error *err);

/*
 * Count an event that is a verdict, a complaint of the kernel or an error, as
 * reports have it: known findings may have changed it meanwhile.
 */
void tracker_count(struct tracker *t, const struct value *event);

/* Those that wait for their turn. */
size_t tracker_remaining(const struct tracker *t);

/*
 * The front end gives the variant that runs at @r a verdict itself. Returns the
 * "verdict" event, which the caller passes on to the sinks and owns; NULL when
 * none runs there.
 */
struct value *tracker_settle(struct tracker *t, struct track_runner *r, enum verdict verdict,
			     const char *reason);

/*
 * Whether all is as expected: every variant has a verdict that is, nothing went
 * wrong outside of them, and at least one really ran, for a run that shows nothing must not look like one
 * that does.
 */
bool tracker_all_expected(const struct tracker *t);

/* A "summary" event with what is known here; the front end adds the rest. */
struct value *tracker_summary(const struct tracker *t);

#endif
