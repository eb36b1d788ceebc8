/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUN_TRACKER_H
#define VBM_RUN_TRACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

#include "event/event.h"

struct value;
struct variant;

/*
 * The events of one runner about its current variant, and the verdicts that can follow
 * from them. A runner gives PASS, FAIL, SKIP and ERROR; the front end makes the others
 * from these. Pure.
 */
struct account {
	const struct variant *v;	/* borrowed; NULL: its steps are not judged */
	size_t steps;			/* carried out */
	size_t next;			/* the item after the last one that was */
	size_t fails, not_ok;
	struct value *complaints;	/* owned: the kernel's complaints since the last verdict; or NULL */
	bool complained;		/* the kernel has ever complained */
};

void account_fini(struct account *a);

/* Variant @v begins. Complaints of the kernel since the last verdict count for it. */
void account_begin(struct account *a, const struct variant *v);

/* Each of these returns -EPROTO if the event contradicts the plan or earlier events. */
int account_step(struct account *a, const struct value *event, struct vbm_error *err);
int account_fail(struct account *a, const struct value *event, struct vbm_error *err);
int account_kernel(struct account *a, const struct value *event, struct vbm_error *err);
int account_verdict(struct account *a, const struct value *event, struct vbm_error *err);

/*
 * The progress of a run: the variants to run, and the state of each according to the
 * events. Pure. It outlives streams, so that a run can go on in a fresh guest with the
 * remaining variants.
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
	char *kernel, *layout;	/* owned; from the last event that had them, or NULL */
	bool complaint;		/* the kernel complained while no variant was running */
	bool part;		/* other shards run the rest: this one may have only skips, or nothing */
	bool error;		/* an event said that something went wrong outside all variants */
};

/* The state of one runner according to its events. */
struct track_runner {
	size_t running;		/* the variant that runs there, or TRACK_NONE */
	struct account account;
	bool ended;		/* it said "end" */
};

#define TRACK_RUNNER_NEW {.running = TRACK_NONE}
void track_runner_fini(struct track_runner *r);

void tracker_init(struct tracker *t);
void tracker_fini(struct tracker *t);

/*
 * Adds the next variant of the plan; call this in the order of their numbers. @plan may
 * be NULL.
 */
void tracker_expect(struct tracker *t, const char *name, const struct variant *plan);

/*
 * Takes one event of runner @r. Returns -EPROTO if the event is impossible: a verdict for
 * a variant that does not run, or that does not follow from earlier events; a scenario
 * that was not asked for; two scenarios at once; an end before the verdict. Then the
 * stream can no longer be trusted.
 */
int tracker_event(struct tracker *t, struct track_runner *r, const struct value *event,
		  struct vbm_error *err);

/*
 * Counts an event that is a verdict, a complaint of the kernel or an error. Call it with
 * the event that the reports get, which known findings may have changed.
 */
void tracker_count(struct tracker *t, const struct value *event);

/* The number of variants that wait for their turn. */
size_t tracker_remaining(const struct tracker *t);

/*
 * Gives a verdict of the front end to the variant that runs at @r. Returns the "verdict"
 * event, which the caller owns and passes on to the reports; NULL if no variant runs
 * there.
 */
struct value *tracker_settle(struct tracker *t, struct track_runner *r, enum verdict verdict,
			     const char *reason);

/*
 * Whether all is as expected: every variant has a verdict that is, no error happened
 * outside of them, and at least one variant really ran, because a run without any must
 * not look like a success. One shard of several may have run none.
 */
bool tracker_all_expected(const struct tracker *t);

/* A "summary" event with the members that are known here; the front end adds the others. */
struct value *tracker_summary(const struct tracker *t);

#endif
