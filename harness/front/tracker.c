/* SPDX-License-Identifier: BSD-2-Clause */
#include "front/tracker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

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

void tracker_expect(struct tracker *t, const char *name)
{
	GROW(t->item, t->count);
	t->item[t->count++] = (struct track){.name = xstrdup(name)};
}

/* The variant that @event is about; its name has to fit its number. */
static size_t find(const struct tracker *t, const struct value *event)
{
	int64_t number = value_get_int(event, "variant", -1);

	if (number < 0 || number >= (int64_t)t->count ||
	    strcmp(t->item[number].name, value_get_string(event, "name", "")) != 0)
		return TRACK_NONE;
	return (size_t)number;
}

static void replace(char **s, const char *with)
{
	free(*s);
	*s = xstrdup(with);
}

static int on_scenario(struct tracker *t, size_t *running, const struct value *event,
		       struct vbm_error *err)
{
	const char *name = value_get_string(event, "name", "");
	size_t i = find(t, event);
	struct track *track;

	if (i == TRACK_NONE)
		return vbm_fail(err, EPROTO, "scenario '%s' was not asked for", name);
	track = &t->item[i];
	if (*running != TRACK_NONE)
		return vbm_fail(err, EPROTO, "scenario '%s' begins before '%s' has a verdict", name,
				t->item[*running].name);
	if (track->state != TRACK_WAITING)
		return vbm_fail(err, EPROTO, "scenario '%s' begins a second time", name);
	replace(&track->id, value_get_string(event, "id", name));
	replace(&track->title, value_get_string(event, "title", ""));
	replace(&track->path, value_get_string(event, "path", ""));
	track->state = TRACK_RUNNING;
	*running = i;
	return 0;
}

static int on_verdict(struct tracker *t, size_t *running, const struct value *event,
		      struct vbm_error *err)
{
	const char *name = value_get_string(event, "name", "");
	struct track *track;
	enum verdict v;

	if (*running == TRACK_NONE || find(t, event) != *running)
		return vbm_fail(err, EPROTO, "a verdict for '%s', which is not running", name);
	if (verdict_parse(value_get_string(event, "verdict", ""), &v) < 0)
		return vbm_fail(err, EPROTO, "'%s' has no verdict that is known", name);
	track = &t->item[*running];
	*running = TRACK_NONE;
	track->state = TRACK_DONE;
	track->verdict = v;
	track->took_ms = value_get_int(event, "took_ms", 0);
	track->own_us = value_get_int(event, "own_us", 0);
	return 0;
}

/* A complaint of the kernel that turns no verdict, as no variant was at work. */
static bool is_complaint_of_none(const struct value *event)
{
	return event_is(event, "kernel") && !value_get_string(event, "name", NULL) &&
	       value_get_bool(event, "bad", false) && !value_get_string(event, "known", NULL);
}

void tracker_count(struct tracker *t, const struct value *event)
{
	enum verdict v;

	t->complaint |= is_complaint_of_none(event);
	if (event_is(event, "verdict") &&
	    verdict_parse(value_get_string(event, "verdict", ""), &v) == 0)
		t->verdicts[v]++;
}

static int on_hello(struct tracker *t, size_t *running, const struct value *event,
		    struct vbm_error *err)
{
	(void)running;
	(void)err;
	replace(&t->kernel, value_get_string(event, "kernel", "?"));
	return 0;
}

static int on_layout(struct tracker *t, size_t *running, const struct value *event,
		     struct vbm_error *err)
{
	(void)running;
	(void)err;
	replace(&t->layout, value_get_string(event, "layout", "?"));
	return 0;
}

static int on_part(struct tracker *t, size_t *running, const struct value *event,
		   struct vbm_error *err)
{
	if (*running == TRACK_NONE || find(t, event) != *running)
		return vbm_fail(err, EPROTO, "'%s' for '%s', which is not running",
				event_kind(event), value_get_string(event, "name", ""));
	return 0;
}

static const struct {
	const char *kind;
	int (*fn)(struct tracker *t, size_t *running, const struct value *event,
		  struct vbm_error *err);
} handlers[] = {
	{"hello", on_hello},	   {"layout", on_layout}, {"scenario", on_scenario},
	{"verdict", on_verdict},   {"step", on_part},	  {"fail", on_part},
	{"last", on_part},	   {"log", on_part},
};

int tracker_event(struct tracker *t, size_t *running, const struct value *event,
		  struct vbm_error *err)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(handlers); i++)
		if (event_is(event, handlers[i].kind))
			return handlers[i].fn(t, running, event, err);
	return 0;
}

size_t tracker_remaining(const struct tracker *t)
{
	size_t i, n = 0;

	for (i = 0; i < t->count; i++)
		n += t->item[i].state == TRACK_WAITING;
	return n;
}

void tracker_settle(const struct tracker *t, size_t index, enum verdict verdict,
		    const char *reason, struct value **scenario, struct value **end)
{
	const struct track *track = &t->item[index];
	struct value *event;

	*scenario = NULL;
	if (track->state == TRACK_WAITING) {
		*scenario = event = value_map();
		value_set_string(event, "event", "scenario");
		value_set_int(event, "variant", (int64_t)index);
		value_set_string(event, "id", track->id ? track->id : track->name);
		value_set_string(event, "name", track->name);
		value_set_string(event, "title", track->title ? track->title : "");
		value_set_string(event, "path", track->path ? track->path : "");
		value_set(event, "clauses", value_list());
	}
	*end = event = value_map();
	value_set_string(event, "event", "verdict");
	value_set_int(event, "variant", (int64_t)index);
	value_set_string(event, "name", track->name);
	value_set_string(event, "verdict", verdict_name(verdict));
	value_set_string(event, "reason", reason);
	value_set_int(event, "took_ms", 0);
	value_set_int(event, "own_us", 0);
}

bool tracker_all_expected(const struct tracker *t)
{
	size_t i, done = 0;

	for (i = 0; i < VERDICT_COUNT; i++) {
		if (t->verdicts[i] && !verdict_is_expected((enum verdict)i))
			return false;
		done += t->verdicts[i];
	}
	return done == t->count && done > t->verdicts[VERDICT_SKIP] && !t->complaint;
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
