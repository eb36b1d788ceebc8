/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "front/tracker.h"

static size_t running;

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
	int rc = tracker_event(t, &running, e, &err);

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
	return tell(t, e);
}

static void start(struct tracker *t)
{
	tracker_init(t);
	running = TRACK_NONE;
	tracker_expect(t, "x");
	tracker_expect(t, "y");
	tracker_expect(t, "z");
}

static void test_tracker__follows_a_run(void **state)
{
	struct tracker t;

	(void)state;
	start(&t);
	assert_true(running == TRACK_NONE);
	assert_int_equal(tracker_remaining(&t), 3);
	assert_int_equal(begin(&t, "x"), 0);
	assert_int_equal(running, 0);
	assert_int_equal(tracker_remaining(&t), 2);
	assert_int_equal(tell(&t, event("step", "x")), 0);
	assert_int_equal(end(&t, "x", "PASS"), 0);
	assert_true(running == TRACK_NONE);
	assert_false(tracker_all_expected(&t));
	assert_int_equal(begin(&t, "z"), 0);
	assert_int_equal(end(&t, "z", "XFAIL"), 0);
	assert_int_equal(begin(&t, "y"), 0);
	assert_false(tracker_all_expected(&t));
	assert_int_equal(end(&t, "y", "SKIP"), 0);
	assert_true(tracker_all_expected(&t));
	tracker_fini(&t);
}

static void test_tracker__what_cannot_be__is_refused(void **state)
{
	struct tracker t;

	(void)state;
	start(&t);
	assert_int_equal(end(&t, "x", "PASS"), -EPROTO);
	assert_int_equal(tell(&t, event("fail", "x")), -EPROTO);
	assert_int_equal(begin(&t, "nobody"), -EPROTO);
	assert_int_equal(begin(&t, "x"), 0);
	assert_int_equal(begin(&t, "y"), -EPROTO);
	assert_int_equal(begin(&t, "x"), -EPROTO);
	assert_int_equal(end(&t, "y", "PASS"), -EPROTO);
	assert_int_equal(end(&t, "x", "PASSED"), -EPROTO);
	assert_int_equal(tell(&t, event("log", "y")), -EPROTO);
	assert_int_equal(end(&t, "x", "PASS"), 0);
	assert_int_equal(begin(&t, "x"), -EPROTO);
	assert_int_equal(t.verdicts[VERDICT_PASS], 1);
	tracker_fini(&t);
}

/* Two runners: each has one that runs, and neither can take the other's. */
static void test_tracker__two_runners__do_not_meet(void **state)
{
	size_t other = TRACK_NONE;
	struct tracker t;
	struct value *e;

	(void)state;
	start(&t);
	assert_int_equal(begin(&t, "x"), 0);
	e = event("scenario", "y");
	assert_int_equal(tracker_event(&t, &other, e, NULL), 0);
	value_free(e);
	assert_int_equal(end(&t, "y", "PASS"), -EPROTO);
	e = event("scenario", "x");
	assert_int_equal(tracker_event(&t, &other, e, NULL), -EPROTO);
	value_free(e);
	assert_int_equal(end(&t, "x", "PASS"), 0);
	assert_int_equal(other, 1);
	tracker_fini(&t);
}

static void test_tracker__a_number_of_another_name__is_refused(void **state)
{
	struct value *e = event("scenario", "x");
	struct tracker t;

	(void)state;
	start(&t);
	value_set_int(e, "variant", 1);
	assert_int_equal(tell(&t, e), -EPROTO);
	e = event("scenario", "x");
	value_set_int(e, "variant", 99);
	assert_int_equal(tell(&t, e), -EPROTO);
	tracker_fini(&t);
}

static void test_tracker__a_dead_guest__leaves_what_remains(void **state)
{
	struct value *scenario, *verdict;
	struct tracker t;

	(void)state;
	start(&t);
	begin(&t, "x");
	end(&t, "x", "PASS");
	begin(&t, "y");
	tracker_settle(&t, running, VERDICT_ERROR, "kernel panic", &scenario, &verdict);
	assert_null(scenario);
	assert_string_equal(value_get_string(verdict, "reason", ""), "kernel panic");
	assert_int_equal(event_check(verdict, NULL), 0);
	assert_int_equal(tell(&t, verdict), 0);
	assert_int_equal(t.verdicts[VERDICT_ERROR], 1);
	assert_int_equal(tracker_remaining(&t), 1);
	assert_int_equal(t.item[2].state, TRACK_WAITING);
	tracker_settle(&t, 2, VERDICT_INVALID, "no guest starts", &scenario, &verdict);
	assert_int_equal(event_check(scenario, NULL), 0);
	assert_int_equal(tell(&t, scenario), 0);
	assert_int_equal(tell(&t, verdict), 0);
	assert_int_equal(tracker_remaining(&t), 0);
	assert_false(tracker_all_expected(&t));
	tracker_fini(&t);
}

static void test_tracker__nothing_shown__is_not_success(void **state)
{
	auto_value struct value *summary = NULL;
	struct tracker t;

	(void)state;
	tracker_init(&t);
	running = TRACK_NONE;
	assert_false(tracker_all_expected(&t));
	tracker_expect(&t, "x");
	begin(&t, "x");
	end(&t, "x", "SKIP");
	assert_false(tracker_all_expected(&t));
	summary = tracker_summary(&t);
	assert_int_equal(value_get_int(summary, "exit", -1), 1);
	assert_int_equal(value_get_int(value_get(summary, "counts"), "SKIP", -1), 1);
	tracker_fini(&t);
}

static void test_tracker__every_verdict__is_parsed_and_weighed(void **state)
{
	static const bool expected[VERDICT_COUNT] = {
		[VERDICT_PASS] = true, [VERDICT_XFAIL] = true, [VERDICT_SKIP] = true};
	enum verdict v;
	int i;

	(void)state;
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
	if (known)
		value_set_string(e, "known", known);
	return tell(t, e);
}

/* Between two scenarios, or when the last one is over: no verdict tells of it. */
static void test_tracker__a_complaint_of_no_variant__is_not_as_expected(void **state)
{
	static const char *const names[] = {"x", "y", "z"};
	struct tracker t;
	size_t i;

	(void)state;
	start(&t);
	for (i = 0; i < 3; i++) {
		assert_int_equal(begin(&t, names[i]), 0);
		assert_int_equal(complain(&t, names[i], true, NULL), 0);
		assert_int_equal(end(&t, names[i], "PASS"), 0);
	}
	assert_int_equal(complain(&t, NULL, false, NULL), 0);
	assert_int_equal(complain(&t, NULL, true, "a-finding"), 0);
	assert_true(tracker_all_expected(&t));
	assert_int_equal(complain(&t, NULL, true, NULL), 0);
	assert_false(tracker_all_expected(&t));
	tracker_fini(&t);
}

VBM_TESTS(cmocka_unit_test(test_tracker__a_complaint_of_no_variant__is_not_as_expected),
	  cmocka_unit_test(test_tracker__two_runners__do_not_meet),
	  cmocka_unit_test(test_tracker__a_number_of_another_name__is_refused),
	  cmocka_unit_test(test_tracker__follows_a_run),
	  cmocka_unit_test(test_tracker__what_cannot_be__is_refused),
	  cmocka_unit_test(test_tracker__a_dead_guest__leaves_what_remains),
	  cmocka_unit_test(test_tracker__nothing_shown__is_not_success),
	  cmocka_unit_test(test_tracker__every_verdict__is_parsed_and_weighed));
