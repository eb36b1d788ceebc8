/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/read.h"
#include "worker/follow.h"
#include "worker/worker.h"
#include "lib/base/fail.h"

/*
 * A runner has the next variants at hand when it is done with one. In virtual time the
 * clock of a place that waits for a line jumps on and on, which takes a whole processor.
 */
#define SENT_AHEAD 8
#define SENT_AHEAD_LEAST 2

struct run_place {
	struct track_runner runner;
	struct value *said;		/* owned: list of the kernel's complaints that events told */
	size_t last;			/* the variant that ended there last, or TRACK_NONE */
	bool ready, broken;
	size_t sent[SENT_AHEAD];	/* variants without a verdict yet, the oldest first */
	size_t sent_count;
	bool told_end;			/* it was told that there are no more */
	bool over;
};

struct spread {
	const struct places *p;
	struct worker **worker;		/* owned; as many as places */
	struct run_place *place;		/* owned */
	size_t count;
	bool *sent;			/* owned; by variant: some place has it */
	struct order *order;		/* owned */
	size_t left;			/* number of variants that waited when these places began */
};

static size_t place_of(const struct spread *s, const struct worker *w)
{
	size_t i;

	for (i = 0; i + 1 < s->count && s->worker[i] != w; i++)
		;
	return i;
}

static bool is_enough(const struct places *p)
{
	return p->enough && p->enough(p->arg);
}

static size_t next_variant(const struct spread *s)
{
	const struct tracker *t = s->p->tracker;
	size_t i, n;

	for (i = 0; i < t->count && !is_enough(s->p); i++) {
		n = s->p->turn ? s->p->turn[i] : i;
		if (t->item[n].state == TRACK_WAITING && !s->sent[n])
			return n;
	}
	return TRACK_NONE;
}

/*
 * Whether a place that has variants may have one more: towards the end it waits, so that all
 * places end together, and each other place that waits for one gets one.
 */
static bool may_send_ahead(const struct spread *s, size_t at)
{
	const struct tracker *t = s->p->tracker;
	size_t i, has = s->place[at].sent_count, unsent = 0, idle = 0;

	/* A runner runs all that it was sent, even if the run has enough meanwhile. */
	if (s->p->enough)
		return false;
	for (i = 0; i < t->count; i++)
		unsent += t->item[i].state == TRACK_WAITING && !s->sent[i];
	for (i = 0; i < s->count; i++)
		idle += i != at && !s->place[i].over && !s->place[i].told_end &&
			!s->place[i].sent_count;
	return unsent > idle && (has < SENT_AHEAD_LEAST || has < unsent / (2 * s->count));
}

static void send_variants(struct spread *s, size_t at)
{
	struct run_place *place = &s->place[at];
	auto_value struct value *end = NULL;
	size_t n = TRACK_NONE;

	while (place->sent_count < SENT_AHEAD && (n = next_variant(s)) != TRACK_NONE &&
	       (!place->sent_count || may_send_ahead(s, at))) {
		auto_value struct value *v = variant_to_value(&s->p->plan->item[n]);

		s->p->describe(s->p->arg, n, v);
		worker_send(s->worker[at], v);
		s->sent[n] = true;
		place->sent[place->sent_count++] = n;
	}
	if (n != TRACK_NONE || place->sent_count || place->told_end)
		return;
	end = value_map();
	value_set_bool(end, "end", true);
	worker_send(s->worker[at], end);
	place->told_end = true;
}

/* Other places may take the variants that this place has not begun. */
static void give_back(struct spread *s, size_t at)
{
	struct run_place *place = &s->place[at];
	size_t i;

	for (i = 0; i < place->sent_count; i++)
		if (s->p->tracker->item[place->sent[i]].state == TRACK_WAITING)
			s->sent[place->sent[i]] = false;
	place->sent_count = 0;
	place->over = true;
	order_runner_ended(s->order, at);
	/* Places that waited may now have nothing left to do. */
	for (i = 0; i < s->count; i++)
		if (!s->place[i].over && worker_lane(s->worker[i])->ready &&
		    !s->place[i].told_end)
			send_variants(s, i);
}

static bool others_live(const struct spread *s, size_t at)
{
	size_t i;

	for (i = 0; i < s->count; i++)
		if (i != at && !s->place[i].over)
			return true;
	return false;
}

static struct value *list_of_one(const char *text)
{
	struct value *list = value_list();

	value_append(list, value_string(text));
	return list;
}

/*
 * Gives a verdict to the variant of a place that is lost. @crash: what ended its kernel,
 * or NULL.
 */
static void give_verdict(struct spread *s, size_t at, enum verdict verdict, const char *reason,
			 const char *crash)
{
	auto_value struct value *event = tracker_settle(s->p->tracker, &s->place[at].runner,
							verdict, reason);

	if (crash)
		value_set(event, "complaints", list_of_one(crash));
	order_event(s->order, at, event);
}

/* Reports an error of a place while no variant ran there. */
static void tell_error(struct spread *s, size_t at, const char *what)
{
	const struct run_place *place = &s->place[at];
	auto_value struct value *event = value_map();
	auto_free char *text = NULL;

	if (place->last != TRACK_NONE)
		text = xasprintf("after %s: %s", s->p->tracker->item[place->last].name, what);
	else
		text = xasprintf("a place %s: %s", place->ready ? "was lost before its first scenario" :
								  "did not start", what);
	value_set_string(event, "event", "error");
	value_set_int(event, "code", EIO);
	value_set_string(event, "text", text);
	event_made(event);
	order_event(s->order, at, event);
}

/* The kernel's complaints that are on the console, but were in no event. */
static char *untold(const struct spread *s, size_t at)
{
	auto_free char *console = lane_console_later(worker_lane(s->worker[at]));

	return console ? lane_untold(console, s->place[at].said) : NULL;
}

static int on_ready(void *arg, struct worker *w, struct vbm_error *err)
{
	struct spread *s = arg;
	struct run_place *place = &s->place[place_of(s, w)];
	auto_value struct value *job = s->p->job(s->p->arg);

	(void)err;
	place->ready = true;
	s->p->ready(s->p->arg, worker_lane(w));
	worker_send_job(w, job);
	send_variants(s, place_of(s, w));
	return 0;
}

/* Ends a lost place; returns 1 if it was the last one. */
static int drop_place(struct spread *s, size_t at)
{
	bool more = others_live(s, at);

	worker_close(s->worker[at]);
	s->worker[at] = NULL;
	give_back(s, at);
	return more ? 0 : 1;
}

/*
 * The running variant gets @verdict; if none ran, the run gets an error. Variants that
 * the place had not begun run in other places, or in a fresh one, unless none of these
 * places ever ran a variant.
 */
static int lose(struct spread *s, size_t at, enum verdict verdict, const char *why,
		const char *crash, struct vbm_error *err)
{
	const struct run_place *place = &s->place[at];

	if (place->runner.running != TRACK_NONE)
		give_verdict(s, at, verdict, why, crash);
	else if (tracker_remaining(s->p->tracker) == s->left && !others_live(s, at))
		return vbm_fail(err, EIO, "%s", why);
	else
		tell_error(s, at, why);
	return drop_place(s, at);
}

/* A step may be silent until its deadline, so the limit depends on the variant that runs. */
static void limit_silence(const struct spread *s, size_t at)
{
	size_t n = s->place[at].runner.running;

	worker_allow_silence(s->worker[at], s->p->silence_ms +
			     (n == TRACK_NONE ? 0 : variant_longest_ms(&s->p->plan->item[n])));
}

static void note_event(struct run_place *place, const struct value *event)
{
	if (event_is(event, "kernel") && lane_is_trouble(event_string(event, "text")))
		value_append(place->said, value_string(event_string(event, "text")));
	if (event_is(event, "end"))
		place->broken = event_flag(event, "broken");
}

static int on_event(void *arg, struct worker *w, struct value *event, struct vbm_error *err)
{
	struct spread *s = arg;
	size_t at = place_of(s, w);
	struct run_place *place = &s->place[at];
	struct vbm_error why = {0};

	if (tracker_event(s->p->tracker, &place->runner, event, &why) < 0) {
		auto_free char *reason = xasprintf("the event stream contradicts itself: %s",
						   why.msg);

		return lose(s, at, VERDICT_INVALID, reason, NULL, err);
	}
	if (event_is(event, "scenario") || event_is(event, "verdict"))
		limit_silence(s, at);
	note_event(place, event);
	order_event(s->order, at, event);
	if (event_is(event, "error"))
		return vbm_fail(err, ENODEV, "%s", event_string(event, "text"));
	if (event_is(event, "verdict")) {
		place->last = (size_t)event_variant(event);
		if (place->sent_count)
			memmove(place->sent, place->sent + 1,
				--place->sent_count * sizeof(place->sent[0]));
		send_variants(s, at);
	}
	return 0;
}

/* The place has ended in order. Its kernel may still have complained or died afterwards. */
static int on_end(void *arg, struct worker *w, struct vbm_error *err)
{
	struct spread *s = arg;
	size_t at = place_of(s, w);
	auto_free char *trouble = untold(s, at), *what = NULL;

	(void)err;
	if (trouble)
		what = xasprintf("the kernel complained, and no event told of it:\n%s", trouble);
	else if (!s->place[at].told_end && !s->place[at].broken)
		what = xstrdup("the runner ended before it was told to");
	if (what)
		tell_error(s, at, what);
	give_back(s, at);
	return 0;
}

/* The kernel ended itself, or it complained and fell silent. */
static int on_lost(void *arg, struct worker *w, enum worker_news news, const char *why,
		   struct vbm_error *err)
{
	struct spread *s = arg;
	size_t at = place_of(s, w);
	auto_free char *crash = news == WORKER_DIED ? lane_crash(worker_lane(w)) : NULL;
	auto_free char *trouble = crash ? NULL : untold(s, at);
	auto_free char *all = trouble ? xasprintf("%s\n%s", why, trouble) : xstrdup(why);

	return lose(s, at, news == WORKER_GARBLED ? VERDICT_INVALID : VERDICT_ERROR, all, crash,
		    err);
}

static const struct follow_ops spread_ops = {
	.ready = on_ready,
	.event = on_event,
	.end = on_end,
	.lost = on_lost,
};

static int open_workers(struct spread *s, struct vbm_error *err)
{
	size_t i;
	int rc;

	for (i = 0; i < s->count; i++) {
		s->place[i] = (struct run_place){
			.runner = TRACK_RUNNER_NEW,
			.last = TRACK_NONE,
			.said = value_list(),
		};
		rc = worker_open(&s->worker[i], s->p->lanes, err);
		if (rc < 0)
			return rc;
		worker_allow_silence(s->worker[i], s->p->silence_ms);
	}
	return 0;
}

/* Runs one set of places until all of them are over. */
static int attempt(const struct places *p, size_t jobs, struct order *order, bool *sent,
		   struct vbm_error *err)
{
	struct spread s = {
		.p = p, .count = jobs, .sent = sent, .order = order,
		.left = tracker_remaining(p->tracker),
	};
	size_t i;
	int rc;

	s.worker = xcalloc(jobs, sizeof(struct worker *));
	s.place = xcalloc(jobs, sizeof(*s.place));
	rc = open_workers(&s, err);
	if (rc == 0)
		rc = follow(&(struct follow){
			.workers = s.worker,
			.count = jobs,
			.signals = p->signals,
			.ops = &spread_ops,
			.arg = &s,
		}, err);
	/* A run that was interrupted before it began still gets its first event. */
	if (rc == -EINTR && s.worker[0])
		p->ready(p->arg, worker_lane(s.worker[0]));
	for (i = 0; i < jobs; i++) {
		worker_close(s.worker[i]);
		track_runner_fini(&s.place[i].runner);
		value_free(s.place[i].said);
	}
	free(s.worker);
	free(s.place);
	return rc;
}

int places_run(const struct places *p, struct vbm_error *err)
{
	size_t jobs = p->jobs > 1 ? (size_t)p->jobs : 1, left;
	struct order *order = order_new(p->tracker->count, jobs, p->event, p->arg);
	int rc = 0;

	while (rc == 0 && !is_enough(p) && (left = tracker_remaining(p->tracker)) > 0) {
		auto_free bool *sent = xcalloc(p->tracker->count + 1, sizeof(*sent));

		rc = attempt(p, left < jobs ? left : jobs, order, sent, err);
		if (rc == 0 && tracker_remaining(p->tracker) == left)
			rc = vbm_fail(err, EIO, "the runner ended without running anything");
	}
	order_free(order);
	return rc;
}
