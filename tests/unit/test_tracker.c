/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: run/tracker.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "plan/plan.h"
#include "run/tracker.h"
#include "whole-event.h"

static struct track_runner runner;

/* x, y and z have the numbers 0, 1 and 2. */
static struct value *event(const char *kind, const char *name)
{
	struct value *e = value_map();

	value_set_string(e, "event", kind);
	value_set_int(e, "variant", *name - 'x');
	value_set_string(e, "name", name);
	return e;
}

static int tell(struct tracker *t, struct value *e)
{
	struct vbm_error err;
	int rc;

	make_whole(e);
	rc = tracker_event(t, &runner, e, &err);

	if (rc == 0)
		tracker_count(t, e);

	value_free(e);
	return rc;
}

static int begin(struct tracker *t, const char *name)
{
	return tell(t, event("scenario", name));
}

static int end(struct tracker *t, const char *name, const char *verdict)
{
	struct value *e = event("verdict", name);

	value_set_string(e, "verdict", verdict);
	value_set_string(e, "reason", "because");
	return tell(t, e);
}

static int failure(struct tracker *t, const char *name, int index)
{
	struct value *e = event("fail", name);

	value_set_int(e, "index", index);
	return tell(t, e);
}

static void start(struct tracker *t)
{
	tracker_init(t);
	track_runner_fini(&runner);
	runner = (struct track_runner)TRACK_RUNNER_NEW;
	tracker_expect(t, "x", NULL);
	tracker_expect(t, "y", NULL);
	tracker_expect(t, "z", NULL);
}

static void start_and_pass(struct tracker *t)
{
	static const char *const names[] = {"x", "y", "z"};
	size_t i;

	start(t);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		assert_int_equal(begin(t, names[i]), 0);
		assert_int_equal(end(t, names[i], "PASS"), 0);
	}
}

TEST(test_tracker__follows_a_run)
{
	struct tracker t;

	start(&t);
	assert_true(runner.running == TRACK_NONE);
	assert_int_equal(tracker_remaining(&t), 3);
	assert_int_equal(begin(&t, "x"), 0);
	assert_int_equal(runner.running, 0);
	assert_int_equal(tracker_remaining(&t), 2);
	assert_int_equal(tell(&t, event("log", "x")), 0);
	assert_int_equal(end(&t, "x", "PASS"), 0);
	assert_true(runner.running == TRACK_NONE);
	assert_false(tracker_all_expected(&t));
	assert_int_equal(begin(&t, "z"), 0);
	assert_int_equal(end(&t, "z", "PASS"), 0);
	assert_int_equal(begin(&t, "y"), 0);
	assert_false(tracker_all_expected(&t));
	assert_int_equal(end(&t, "y", "SKIP"), 0);
	assert_true(tracker_all_expected(&t));
	tracker_fini(&t);
}

TEST(test_tracker__what_cannot_be__is_refused)
{
	struct tracker t;

	start(&t);
	assert_int_equal(end(&t, "x", "PASS"), -EPROTO);
	assert_int_equal(tell(&t, event("fail", "x")), -EPROTO);
	assert_int_equal(begin(&t, "nobody"), -EPROTO);
	assert_int_equal(begin(&t, "x"), 0);
	assert_int_equal(begin(&t, "y"), -EPROTO);
	assert_int_equal(begin(&t, "x"), -EPROTO);
	assert_int_equal(end(&t, "y", "PASS"), -EPROTO);
	assert_int_equal(tell(&t, event("log", "y")), -EPROTO);
	assert_int_equal(end(&t, "x", "PASS"), 0);
	assert_int_equal(begin(&t, "x"), -EPROTO);
	assert_int_equal(t.verdicts[VERDICT_PASS], 1);
	tracker_fini(&t);
}

/* Two runners: each has a running variant, and neither can end the other's. */
TEST(test_tracker__two_runners__do_not_meet)
{
	struct track_runner other = TRACK_RUNNER_NEW;
	struct tracker t;
	struct value *e;

	start(&t);
	assert_int_equal(begin(&t, "x"), 0);
	e = event("scenario", "y");
	make_whole(e);
	assert_int_equal(tracker_event(&t, &other, e, NULL), 0);
	value_free(e);
	assert_int_equal(end(&t, "y", "PASS"), -EPROTO);
	e = event("scenario", "x");
	make_whole(e);
	assert_int_equal(tracker_event(&t, &other, e, NULL), -EPROTO);
	value_free(e);
	assert_int_equal(end(&t, "x", "PASS"), 0);
	assert_int_equal(other.running, 1);
	tracker_fini(&t);
}

TEST(test_tracker__a_number_of_another_name__is_refused)
{
	struct value *e = event("scenario", "x");
	struct tracker t;

	start(&t);
	value_set_int(e, "variant", 1);
	assert_int_equal(tell(&t, e), -EPROTO);
	e = event("scenario", "x");
	make_whole(e);
	value_set_int(e, "variant", 99);
	assert_int_equal(tell(&t, e), -EPROTO);
	tracker_fini(&t);
}

TEST(test_tracker__a_dead_guest__leaves_what_remains)
{
	auto_value struct value *verdict = NULL;
	struct tracker t;

	start(&t);
	assert_null(tracker_settle(&t, &runner, VERDICT_ERROR, "nothing runs"));
	begin(&t, "x");
	end(&t, "x", "PASS");
	begin(&t, "y");
	verdict = tracker_settle(&t, &runner, VERDICT_ERROR, "kernel panic");
	assert_string_equal(value_get_string(verdict, "reason", ""), "kernel panic");
	assert_int_equal(event_check(verdict, NULL), 0);
	assert_true(runner.running == TRACK_NONE);
	tracker_count(&t, verdict);
	assert_int_equal(t.verdicts[VERDICT_ERROR], 1);
	assert_int_equal(tracker_remaining(&t), 1);
	assert_int_equal(t.item[2].state, TRACK_WAITING);
	assert_false(tracker_all_expected(&t));
	tracker_fini(&t);
}

TEST(test_tracker__nothing_shown__is_not_success)
{
	auto_value struct value *summary = NULL;
	struct tracker t;

	tracker_init(&t);
	track_runner_fini(&runner);
	runner = (struct track_runner)TRACK_RUNNER_NEW;
	assert_false(tracker_all_expected(&t));
	tracker_expect(&t, "x", NULL);
	begin(&t, "x");
	end(&t, "x", "SKIP");
	assert_false(tracker_all_expected(&t));
	summary = tracker_summary(&t);
	assert_int_equal(value_get_int(summary, "exit", -1), 1);
	assert_int_equal(value_get_int(value_get(summary, "counts"), "SKIP", -1), 1);
	tracker_fini(&t);
}

TEST(test_tracker__every_verdict__is_parsed_and_weighed)
{
	static const bool expected[VERDICT_COUNT] = {
		[VERDICT_PASS] = true, [VERDICT_XFAIL] = true, [VERDICT_SKIP] = true};
	enum verdict v;
	int i;

	for (i = 0; i < VERDICT_COUNT; i++) {
		assert_int_equal(verdict_parse(verdict_name((enum verdict)i), &v), 0);
		assert_int_equal((int)v, i);
		assert_int_equal(verdict_is_expected(v), expected[i]);
	}
	assert_int_equal(verdict_parse("pass", &v), -EINVAL);
}

static int complain(struct tracker *t, const char *name, bool bad, const char *known)
{
	struct value *e = value_map();

	value_set_string(e, "event", "kernel");
	value_set(e, "name", name ? value_string(name) : value_null());
	value_set_bool(e, "bad", bad);
	if (!known)
		return tell(t, e);
	/* The findings add this after the tracker. */
	value_set_string(e, "known", known);
	make_whole(e);
	tracker_count(t, e);
	value_free(e);
	return 0;
}

/* Between two scenarios, or after the last one: no verdict reports the complaint. */
TEST(test_tracker__a_complaint_of_no_variant__is_not_as_expected)
{
	struct tracker t;

	start_and_pass(&t);
	assert_int_equal(complain(&t, NULL, false, NULL), 0);
	assert_int_equal(complain(&t, NULL, true, "a-finding"), 0);
	assert_true(tracker_all_expected(&t));
	assert_int_equal(complain(&t, NULL, true, NULL), 0);
	assert_false(tracker_all_expected(&t));
	tracker_fini(&t);
}

/* A new stream for each row. Each word is an event; the last one is invalid. */
static const struct step_kind one = {.name = "one"}, other = {.name = "other"};
static struct actor actor = {.name = "a"};

/* Two steps, then an either: of two. */
static struct item items[] = {
	{.kind = &one}, {.kind = &other}, {.kind = &one, .either = 1}, {.kind = &other, .either = 1},
};
static struct variant plan = {
	.actors = &actor, .actor_count = 1, .items = items, .item_count = 4,
};

static int tell_step(struct tracker *t, int index, bool ok)
{
	struct value *e = event("step", "x");

	value_set_int(e, "index", index);
	value_set_string(e, "host", "a");
	value_set_string(e, "call", index % 2 ? "other" : "one");
	value_set_bool(e, "ok", ok);
	return tell(t, e);
}

static int tell_verdict(struct tracker *t, const char *verdict, const char *complaint)
{
	struct value *e = event("verdict", "x"), *list;

	value_set_string(e, "verdict", verdict);
	value_set(e, "reason", !strcmp(verdict, "PASS") ? value_null() : value_string("because"));
	if (complaint) {
		list = value_list();
		value_append(list, value_string(complaint));
		value_set(e, "complaints", list);
	}
	return tell(t, e);
}

static int tell_kernel(struct tracker *t, const char *text)
{
	struct value *e = event("kernel", "x");

	value_set_string(e, "text", text);
	value_set_bool(e, "bad", true);
	return tell(t, e);
}

static int tell_end(struct tracker *t, bool broken)
{
	struct value *e = event("end", "x");

	value_set_bool(e, "broken", broken);
	return tell(t, e);
}

/* One letter for each event. */
static int tell_word(struct tracker *t, char c)
{
	struct value *e;

	switch (c) {
	case '0' ... '9':
		return tell_step(t, c - '0', true);
	case '!':
		return tell_step(t, 0, false);
	case 'w':	/* a step with another call than in the plan */
		e = event("step", "x");
		value_set_int(e, "index", 0);
		value_set_string(e, "host", "a");
		value_set_string(e, "call", "other");
		value_set_bool(e, "ok", true);
		return tell(t, e);
	case 'f':
		return failure(t, "x", 0);
	case 'k':
		return tell_kernel(t, "BUG: it");
	case 'n':	/* a complaint with the name of a finding */
		e = event("kernel", "x");
		value_set_bool(e, "bad", true);
		value_set_string(e, "known", "f");
		return tell(t, e);
	case 'o':
		return tell(t, event("output", "x"));
	case 'e':
		return tell_end(t, false);
	case 'b':
		return tell_end(t, true);
	case 'P':
		return tell_verdict(t, "PASS", NULL);
	case 'F':
		return tell_verdict(t, "FAIL", NULL);
	case 'S':
		return tell_verdict(t, "SKIP", NULL);
	case 'E':
		return tell_verdict(t, "ERROR", NULL);
	case 'C':
		return tell_verdict(t, "ERROR", "BUG: it");
	case 'D':
		return tell_verdict(t, "ERROR", "BUG: another");
	case 'X':
		return tell_verdict(t, "XFAIL", NULL);
	case 'Y':
		return tell_verdict(t, "XPASS", NULL);
	case 'I':
		return tell_verdict(t, "INVALID", NULL);
	}
	fail_msg("no event is called '%c'", c);
	return 0;
}

static const struct {
	const char *events;	/* after "scenario" */
	bool sound;		/* the last event is valid */
} streams[] = {
	{"0123P", true}, {"012P", true}, {"!fF", true}, {"S", true}, {"E", true},
	{"0123kE", true}, {"012kC", true}, {"!kE", true}, {"0kEb", true}, {"012Pe", true},
	{"!f12F", true}, {"!f12kC", true},
	/* PASS without all steps. */
	{"!f12P", false}, {"!12P", false}, {"0123kP", false}, {"P", false}, {"0P", false},
	{"01P", false},
	/* Verdicts that only the front end may make. */
	{"!f12X", false}, {"0123Y", false}, {"0123I", false},
	{"012F", false}, {"0S", false}, {"kS", false}, {"!fkF", false},
	/* Complaints that would excuse an error. */
	{"0123C", false}, {"0123kD", false}, {"0kC", false}, {"!kC", false}, {"n", false},
	/* Steps. */
	{"1", false}, {"00", false}, {"02", false}, {"013", false}, {"01234", false}, {"w", false},
	{"f", false},
	/* The end. */
	{"0e", false}, {"012Pb", false}, {"o", false},
};

TEST(test_tracker__what_was_told__says_which_verdicts_can_be)
{
	const char *p;
	struct tracker t;
	size_t i;
	int rc;

	for (i = 0; i < ARRAY_SIZE(streams); i++) {
		tracker_init(&t);
		track_runner_fini(&runner);
		runner = (struct track_runner)TRACK_RUNNER_NEW;
		tracker_expect(&t, "x", &plan);
		assert_int_equal(begin(&t, "x"), 0);
		for (p = streams[i].events; *p; p++) {
			rc = tell_word(&t, *p);
			if (rc != (p[1] || streams[i].sound ? 0 : -EPROTO))
				fail_msg("%s: '%c' is %s", streams[i].events, *p,
					 rc ? "refused" : "believed");
		}
		tracker_fini(&t);
	}
	track_runner_fini(&runner);
}

/* Errors outside all variants. */
TEST(test_tracker__an_error_of_no_variant__is_not_as_expected)
{
	struct tracker t;

	start_and_pass(&t);
	assert_true(tracker_all_expected(&t));
	assert_int_equal(tell(&t, event("error", "x")), 0);
	assert_false(tracker_all_expected(&t));
	tracker_fini(&t);
}
