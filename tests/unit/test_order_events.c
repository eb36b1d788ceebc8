/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: run/order.c */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/value.h"
#include "run/places.h"

/* Each event that is passed on, as "KIND" or "KIND NUMBER"; "+": another one follows at once. */
static void hear_out(void *arg, const struct value *event, bool more)
{
	int64_t n = value_get_int(event, "variant", -1);
	struct text *heard = arg;

	text_addf(heard, "%s%s", heard->len ? ", " : "", value_get_string(event, "event", "?"));
	if (n >= 0)
		text_addf(heard, " %d", (int)n);
	if (more)
		text_add(heard, "+");
}

static void say(struct order *o, size_t runner, const char *kind, int number)
{
	auto_value struct value *e = value_map();

	value_set_string(e, "event", kind);
	if (number >= 0)
		value_set_int(e, "variant", number);
	order_event(o, runner, e);
}

TEST(test_order__one_runner__leaves_at_once)
{
	struct text heard auto_text = {0};
	struct order *o = order_new(2, 1, hear_out, &heard);

	say(o, 0, "hello", -1);
	say(o, 0, "scenario", 0);
	assert_string_equal(heard.s, "hello+, scenario 0");
	say(o, 0, "verdict", 0);
	say(o, 0, "fabric", -1);
	say(o, 0, "scenario", 1);
	say(o, 0, "verdict", 1);
	assert_string_equal(heard.s, "hello+, scenario 0, verdict 0, fabric+, scenario 1, verdict 1");
	assert_int_equal(order_done(o), 2);
	say(o, 0, "end", -1);
	order_runner_ended(o, 0);
	order_free(o);
	assert_string_equal(heard.s, "hello+, scenario 0, verdict 0, fabric+, scenario 1, "
				     "verdict 1, end");
}

TEST(test_order__two_runners__leave_in_the_plans_order)
{
	struct text heard auto_text = {0};
	struct order *o = order_new(3, 2, hear_out, &heard);

	say(o, 0, "scenario", 0);
	say(o, 1, "fabric", -1);
	say(o, 1, "scenario", 1);
	say(o, 1, "step", 1);
	say(o, 0, "step", 0);
	assert_string_equal(heard.s, "scenario 0, step 0");
	say(o, 1, "verdict", 1);
	say(o, 1, "scenario", 2);
	assert_int_equal(order_done(o), 0);
	say(o, 0, "verdict", 0);
	assert_string_equal(heard.s, "scenario 0, step 0, verdict 0, fabric+, scenario 1+, step 1+, "
				     "verdict 1, scenario 2");
	say(o, 1, "verdict", 2);
	assert_int_equal(order_done(o), 3);
	order_free(o);
}

/* Between a scenario and its steps, a fabric is made and the kernel writes a message. */
TEST(test_order__what_comes_within_a_variant__stays_there)
{
	struct text heard auto_text = {0};
	struct order *o = order_new(2, 2, hear_out, &heard);

	say(o, 0, "scenario", 0);
	say(o, 0, "fabric", -1);
	assert_string_equal(heard.s, "scenario 0, fabric");
	say(o, 1, "scenario", 1);
	say(o, 1, "kernel", -1);
	say(o, 1, "verdict", 1);
	say(o, 0, "verdict", 0);
	order_free(o);
	assert_string_equal(heard.s, "scenario 0, fabric, verdict 0, scenario 1+, kernel+, verdict 1");
}

/* A runner that has ended gets no further variant; another runner runs the rest. */
TEST(test_order__a_runner_that_ended__leaves_its_last_words)
{
	struct text heard auto_text = {0};
	struct order *o = order_new(2, 2, hear_out, &heard);

	say(o, 1, "scenario", 1);
	say(o, 0, "error", -1);
	order_runner_ended(o, 0);
	say(o, 1, "verdict", 1);
	say(o, 1, "scenario", 0);
	say(o, 1, "verdict", 0);
	assert_string_equal(heard.s, "scenario 0, verdict 0, scenario 1+, verdict 1");
	order_free(o);
	assert_string_equal(heard.s, "scenario 0, verdict 0, scenario 1+, verdict 1, error");
}

TEST(test_order__what_has_no_verdict__leaves_at_the_end)
{
	struct text heard auto_text = {0};
	struct order *o = order_new(3, 1, hear_out, &heard);

	say(o, 0, "scenario", 2);
	say(o, 0, "scenario", 1);
	order_free(o);
	assert_string_equal(heard.s, "scenario 1, scenario 2");
}
