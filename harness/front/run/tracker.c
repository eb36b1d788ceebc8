/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/tracker.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "base/xalloc.h"
#include "event/read.h"
#include "lib/base/fail.h"
#include "plan/plan.h"

void account_fini(struct account *a)
{
	value_free(a->complaints);
	*a = (struct account){0};
}

void account_begin(struct account *a, const struct variant *v)
{
	a->v = v;
	a->steps = a->next = a->fails = a->not_ok = 0;
}

static bool is_of_the_either_before(const struct variant *v, size_t i)
{
	return i > 0 && v->items[i].either && v->items[i - 1].either == v->items[i].either;
}

/* An either: may end early, when an outcome is reached. No other item may be left out. */
static bool may_jump_to(const struct account *a, size_t to)
{
	size_t i;

	for (i = a->next; i < to; i++)
		if (!is_of_the_either_before(a->v, i))
			return false;
	return to >= a->next;
}

static bool is_by(const struct variant *v, const struct item *item, const struct value *event)
{
	return !strcmp(event_string(event, "host"), v->actors[item->actor].name) &&
	       !strcmp(event_string(event, "call"), item->kind->name);
}

int account_step(struct account *a, const struct value *event, struct vbm_error *err)
{
	int64_t index = event_integer(event, "index");
	size_t at = (size_t)index;

	if (index < 0 || (a->v && (at >= a->v->item_count || !may_jump_to(a, at))))
		return vbm_fail(err, EPROTO, "step %" PRId64 " of '%s' comes out of order", index,
				event_name(event));
	if (a->v && !is_by(a->v, &a->v->items[at], event))
		return vbm_fail(err, EPROTO, "step %" PRId64 " of '%s' is another step in the plan",
				index, a->v->name);
	a->steps++;
	a->next = at + 1;
	a->not_ok += !event_flag(event, "ok");
	return 0;
}

int account_fail(struct account *a, const struct value *event, struct vbm_error *err)
{
	int64_t index = event_integer(event, "index");

	if (index < 0 || (size_t)index >= a->next)
		return vbm_fail(err, EPROTO, "a failure of step %" PRId64
				", which was not carried out", index);
	a->fails++;
	return 0;
}

int account_kernel(struct account *a, const struct value *event, struct vbm_error *err)
{
	/* Only the front end may mark a message as known, when a finding describes it. */
	if (event_has(event, "known"))
		return vbm_fail(err, EPROTO, "a message of the kernel that the runner calls known");
	if (!event_flag(event, "bad"))
		return 0;
	if (!a->complaints)
		a->complaints = value_list();
	value_append(a->complaints, value_string(event_string(event, "text")));
	a->complained = true;
	return 0;
}

#define PASS (1u << VERDICT_PASS)
#define FAIL (1u << VERDICT_FAIL)
#define SKIP (1u << VERDICT_SKIP)
#define ERROR (1u << VERDICT_ERROR)

int account_verdict(struct account *a, const struct value *event, struct vbm_error *err)
{
	const struct value *list = event_strings(event, "complaints");
	const bool lists = event_has(event, "complaints"), lacks_steps = a->v && !may_jump_to(a, a->v->item_count);
	/* The verdicts that a runner must not give, and when. */
	const struct {
		unsigned int verdicts;
		bool when;
		const char *says;
	} rules[] = {
		{~(PASS | FAIL | SKIP | ERROR), true, "is not a verdict that a runner gives"},
		{PASS, a->fails, "after a failure"},
		{PASS, a->not_ok, "after a step that was not as expected"},
		{PASS, lacks_steps, "without all of its steps"},
		{FAIL, !a->fails, "without a failure"},
		{SKIP, a->steps, "after a step"},
		{PASS | FAIL | SKIP, a->complaints, "after a complaint of the kernel"},
		{FAIL | SKIP | ERROR, !*event_string_or(event, "reason", ""), "without a reason"},
		{PASS | FAIL | SKIP, lists, "with complaints of the kernel"},
		/* A list of complaints may excuse the verdict, so it must be exactly the kernel's complaints. */
		{ERROR, list && !(a->complaints && value_equal(list, a->complaints)),
		 "with complaints that the kernel did not have"},
		/*
		 * Each failure needs its own finding. No finding describes a step that went wrong or
		 * is missing without a failure.
		 */
		{ERROR, lists && !a->fails && (a->not_ok || lacks_steps),
		 "for complaints of the kernel, beside steps that went wrong without a failure or are missing"},
	};
	enum verdict v = event_verdict(event);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rules); i++)
		if ((rules[i].verdicts & (1u << v)) && rules[i].when)
			return vbm_fail(err, EPROTO, "'%s' has the verdict %s: it %s%s",
					event_name(event), verdict_name(v),
					i ? "comes " : "", rules[i].says);
	value_free(a->complaints);
	a->complaints = NULL;
	return 0;
}

void tracker_init(struct tracker *t)
{
	*t = (struct tracker){0};
}

void tracker_fini(struct tracker *t)
{
	size_t i;

	for (i = 0; i < t->count; i++) {
		free(t->item[i].name);
		free(t->item[i].id);
		free(t->item[i].title);
		free(t->item[i].path);
	}
	free(t->item);
	free(t->kernel);
	free(t->layout);
	tracker_init(t);
}

void track_runner_fini(struct track_runner *r)
{
	account_fini(&r->account);
	r->running = TRACK_NONE;
}

void tracker_expect(struct tracker *t, const char *name, const struct variant *plan)
{
	GROW(t->item, t->count);
	t->item[t->count++] = (struct track){.name = xstrdup(name), .plan = plan};
}

/* The variant of @event; its name and its number have to belong together. */
static size_t find_variant(const struct tracker *t, const struct value *event)
{
	int64_t number = event_variant(event);
	const char *name = event_name(event);

	if (number < 0 || number >= (int64_t)t->count || !name ||
	    strcmp(t->item[number].name, name) != 0)
		return TRACK_NONE;
	return (size_t)number;
}

static void replace_string(char **s, const char *with)
{
	free(*s);
	*s = xstrdup(with);
}

static int on_scenario(struct tracker *t, struct track_runner *r, const struct value *event,
		       struct vbm_error *err)
{
	const char *name = event_name(event);
	size_t i = find_variant(t, event);
	struct track *track;

	if (i == TRACK_NONE)
		return vbm_fail(err, EPROTO, "scenario '%s' was not asked for", name);
	track = &t->item[i];
	if (r->running != TRACK_NONE)
		return vbm_fail(err, EPROTO, "scenario '%s' begins before '%s' has a verdict", name,
				t->item[r->running].name);
	if (track->state != TRACK_WAITING)
		return vbm_fail(err, EPROTO, "scenario '%s' begins a second time", name);
	replace_string(&track->id, event_string(event, "id"));
	replace_string(&track->title, event_string(event, "title"));
	replace_string(&track->path, event_string(event, "path"));
	track->state = TRACK_RUNNING;
	r->running = i;
	account_begin(&r->account, track->plan);
	return 0;
}

static void record_verdict(struct tracker *t, struct track_runner *r, const struct value *event,
			   enum verdict verdict)
{
	struct track *track = &t->item[r->running];

	r->running = TRACK_NONE;
	track->state = TRACK_DONE;
	track->verdict = verdict;
	track->took_ms = event_integer(event, "took_ms");
	track->own_us = event_integer(event, "own_us");
}

static int on_verdict(struct tracker *t, struct track_runner *r, const struct value *event,
		      struct vbm_error *err)
{
	const char *name = event_name(event);
	int rc;

	if (r->running == TRACK_NONE || find_variant(t, event) != r->running)
		return vbm_fail(err, EPROTO, "a verdict for '%s', which is not running", name);
	rc = account_verdict(&r->account, event, err);
	if (rc < 0)
		return rc;
	record_verdict(t, r, event, event_verdict(event));
	return 0;
}

void tracker_count(struct tracker *t, const struct value *event)
{
	t->complaint |= event_is_complaint_of_none(event);
	t->error |= event_is(event, "error");
	if (event_is(event, "verdict"))
		t->verdicts[event_verdict(event)]++;
}

static int on_hello(struct tracker *t, struct track_runner *r, const struct value *event,
		    struct vbm_error *err)
{
	(void)r;
	(void)err;
	replace_string(&t->kernel, event_string(event, "kernel"));
	return 0;
}

static int on_layout(struct tracker *t, struct track_runner *r, const struct value *event,
		     struct vbm_error *err)
{
	(void)r;
	(void)err;
	replace_string(&t->layout, event_string(event, "layout"));
	return 0;
}

static int on_part(struct tracker *t, struct track_runner *r, const struct value *event,
		   struct vbm_error *err)
{
	if (r->running == TRACK_NONE || find_variant(t, event) != r->running)
		return vbm_fail(err, EPROTO, "'%s' for '%s', which is not running",
				event_kind(event), event_name(event));
	return 0;
}

static int on_step(struct tracker *t, struct track_runner *r, const struct value *event,
		   struct vbm_error *err)
{
	int rc = on_part(t, r, event, err);

	return rc < 0 ? rc : account_step(&r->account, event, err);
}

static int on_fail(struct tracker *t, struct track_runner *r, const struct value *event,
		   struct vbm_error *err)
{
	int rc = on_part(t, r, event, err);

	return rc < 0 ? rc : account_fail(&r->account, event, err);
}

/* Messages of the kernel also come between two variants. */
static int on_kernel(struct tracker *t, struct track_runner *r, const struct value *event,
		     struct vbm_error *err)
{
	int rc = event_name(event) ? on_part(t, r, event, err) : 0;

	return rc < 0 ? rc : account_kernel(&r->account, event, err);
}

static int on_end(struct tracker *t, struct track_runner *r, const struct value *event,
		  struct vbm_error *err)
{
	if (r->running != TRACK_NONE)
		return vbm_fail(err, EPROTO, "the end comes before '%s' has a verdict",
				t->item[r->running].name);
	if (event_flag(event, "broken") && !r->account.complained)
		return vbm_fail(err, EPROTO, "the kernel is marked as broken, although it never complained");
	r->ended = true;
	return 0;
}

static int on_foreign(struct tracker *t, struct track_runner *r, const struct value *event,
		      struct vbm_error *err)
{
	(void)t;
	(void)r;
	return vbm_fail(err, EPROTO, "'%s' is of another kind of job", event_kind(event));
}

static const struct {
	const char *kind;
	int (*fn)(struct tracker *t, struct track_runner *r, const struct value *event,
		  struct vbm_error *err);
} handlers[] = {
	{"hello", on_hello},	   {"layout", on_layout},     {"scenario", on_scenario},
	{"verdict", on_verdict},   {"step", on_step},	      {"fail", on_fail},
	{"last", on_part},	   {"log", on_part},	      {"kernel", on_kernel},
	{"end", on_end},	   {"output", on_foreign},    {"taken", on_foreign},
	{"terminal", on_foreign},  {"counters", on_foreign},  {"wire", on_foreign},
	{"capture", on_foreign},   {"stuck", on_foreign},     {"exit", on_foreign},
};

int tracker_event(struct tracker *t, struct track_runner *r, const struct value *event,
		  struct vbm_error *err)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(handlers); i++)
		if (event_is(event, handlers[i].kind))
			return handlers[i].fn(t, r, event, err);
	return 0;
}

size_t tracker_remaining(const struct tracker *t)
{
	size_t i, n = 0;

	for (i = 0; i < t->count; i++)
		n += t->item[i].state == TRACK_WAITING;
	return n;
}

struct value *tracker_settle(struct tracker *t, struct track_runner *r, enum verdict verdict,
			     const char *reason)
{
	struct value *event;

	if (r->running == TRACK_NONE)
		return NULL;
	event = value_map();
	value_set_string(event, "event", "verdict");
	value_set_int(event, "variant", (int64_t)r->running);
	value_set_string(event, "name", t->item[r->running].name);
	value_set_string(event, "verdict", verdict_name(verdict));
	value_set_string(event, "reason", reason);
	value_set_int(event, "took_ms", 0);
	value_set_int(event, "own_us", 0);
	event_made(event);
	record_verdict(t, r, event, verdict);
	return event;
}

bool tracker_all_expected(const struct tracker *t)
{
	size_t i, done = 0;

	for (i = 0; i < VERDICT_COUNT; i++) {
		if (t->verdicts[i] && !verdict_is_expected((enum verdict)i))
			return false;
		done += t->verdicts[i];
	}
	return done == t->count && (t->part || done > t->verdicts[VERDICT_SKIP]) &&
	       !t->complaint && !t->error;
}

struct value *tracker_summary(const struct tracker *t)
{
	struct value *event = value_map(), *counts = value_map();
	int i;

	value_set_string(event, "event", "summary");
	for (i = 0; i < VERDICT_COUNT; i++)
		value_set_int(counts, verdict_name((enum verdict)i), (int64_t)t->verdicts[i]);
	value_set(event, "counts", counts);
	value_set_int(event, "total", (int64_t)t->count);
	if (t->kernel)
		value_set_string(event, "kernel", t->kernel);
	if (t->layout)
		value_set_string(event, "layout", t->layout);
	value_set_int(event, "exit", tracker_all_expected(t) ? 0 : 1);
	return event;
}
