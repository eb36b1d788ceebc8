/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: plan/tolerance.c */
#include "cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "base/value.h"
#include "base/xalloc.h"
#include "diag-help.h"
#include "plan/tolerance.h"

TEST(test_tolerance__codes__become_milliseconds)
{
	static const struct {
		enum tolerance_timer timer;
		int code, tries, factor;
		int64_t min, max;
	} row[] = {
		/* 4.096 us * 2^14 = 67.1 ms; at most four times that. */
		{TOLERANCE_ACK_TIMEOUT, 14, 1, 1, 67, 5268},
		{TOLERANCE_ACK_TIMEOUT, 14, 8, 1, 536, 7147},
		/* A slow machine: the lower limit is 40 ms lower, or a tenth. */
		{TOLERANCE_ACK_TIMEOUT, 14, 8, 8, 496, 57176},
		{TOLERANCE_RNR_TIMER, 0, 1, 8, 615, 45240},
		{TOLERANCE_ACK_TIMEOUT, 1, 1, 1, 0, 5000},
		{TOLERANCE_ACK_TIMEOUT, 31, 1, 1, 8796093, 35189372},
		{TOLERANCE_RNR_TIMER, 0, 1, 1, 655, 5655},
		{TOLERANCE_RNR_TIMER, 1, 100, 1, 1, 5001},
		{TOLERANCE_RNR_TIMER, 12, 3, 1, 1, 5001},
		{TOLERANCE_RNR_TIMER, 14, 10, 2, 11, 10024},
		{TOLERANCE_RNR_TIMER, 24, 1, 1, 40, 5040},
		{TOLERANCE_RNR_TIMER, 31, 7, 1, 3440, 8440},
	};
	struct tolerance t;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		assert_int_equal(tolerance_range(row[i].timer, row[i].code, row[i].tries,
						 row[i].factor, &t, NULL), 0);
		assert_int_equal(t.min_ms, row[i].min);
		assert_int_equal(t.max_ms, row[i].max);
	}
}

TEST(test_tolerance__the_rnr_table__doubles_every_other_code)
{
	struct tolerance a, b;
	int code;

	for (code = 7; code + 2 <= TOLERANCE_CODE_MAX; code++) {
		tolerance_range(TOLERANCE_RNR_TIMER, code, 100, 1, &a, NULL);
		tolerance_range(TOLERANCE_RNR_TIMER, code + 2, 100, 1, &b, NULL);
		assert_int_equal(b.min_ms, 2 * a.min_ms);
	}
}

TEST(test_tolerance__what_has_no_end__is_refused)
{
	static const struct {
		enum tolerance_timer timer;
		int64_t code, tries;
		const char *why;
	} row[] = {
		{TOLERANCE_ACK_TIMEOUT, 0, 1, "ack_timeout: code 0 turns the timer off"},
		{TOLERANCE_ACK_TIMEOUT, 32, 1, "ack_timeout: 32 is not a code; codes are 1 to 31"},
		{TOLERANCE_ACK_TIMEOUT, -1, 1, "not a code"},
		{TOLERANCE_RNR_TIMER, 32, 1, "rnr_timer: 32 is not a code; codes are 0 to 31"},
		{TOLERANCE_RNR_TIMER, 1, 0, "tries: 0"},
		{TOLERANCE_RNR_TIMER, 1, 1001, "within 1 and 1000"},
	};
	struct vbm_error err;
	struct tolerance t;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		assert_int_equal(tolerance_range(row[i].timer, row[i].code, row[i].tries, 1, &t,
						 &err), -ERANGE);
		assert_non_null(strstr(err.msg, row[i].why));
	}
}

TEST(test_tolerance__names__are_found)
{
	enum tolerance_timer timer;

	assert_true(tolerance_find("rnr_timer", &timer));
	assert_int_equal(timer, TOLERANCE_RNR_TIMER);
	assert_string_equal(tolerance_name(timer), "rnr_timer");
	assert_false(tolerance_find("rnr", &timer));
}

TEST(test_tolerance__a_map__has_one_timer_and_its_tries)
{
	static const struct {
		const char *yaml;
		int64_t max;	/* 0: the map is refused */
	} row[] = {
		{"{ack_timeout: 14, tries: 1}", 5268},
		{"{tries: 8, rnr_timer: 0}", 10242},
		{"{ack_timeout: 14, rnr_timer: 1}", 0},
		{"{ack_timeout: 14, rnr_timer: 1, tries: 1}", 0},
		{"{ack_timeout: 14, more: 1, tries: 1}", 0},
		{"{ack_timeout: 14, more: 1}", 0},
		{"{more: 1, tries: 1}", 0},
		{"{ack_timeout: 14}", 0},
		{"{tries: 1}", 0},
		{"{}", 0},
		{"14", 0},
		{"[14, 1]", 0},
	};
	struct vbm_error err;
	struct tolerance t;
	size_t i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		auto_value struct value *v = must_read_yaml(row[i].yaml);

		ret = tolerance_read(v, 1, &t, &err);
		assert_int_equal(ret, row[i].max ? 0 : -EINVAL);
		if (ret)
			assert_non_null(strstr(err.msg, "'timers' takes {ack_timeout: CODE, tries: N} or "));
		else
			assert_int_equal(t.max_ms, row[i].max);
	}
}
