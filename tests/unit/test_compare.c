/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: runs/compare.c */
#include "cmocka_all.h"

#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "runs/compare.h"

static void load(struct stored_run *run, const char *rows)
{
	struct text t auto_text = {0};
	struct vbm_error err;

	text_addf(&t, "{\"event\":\"summary\",\"lane\":\"uml\",\"accelerator\":\"none\",\"kernel\":\"7.3\","
		  "\"rdma_core\":\"44.0\",\"target\":\"system\",\"counts\":{},\"total\":1,\"took_ms\":1,"
		  "\"exit\":0,\"scenarios\":[%s]}", rows);
	assert_int_equal(stored_take(run, json_read(t.s, t.len, &err), &err), 0);
}

static void compare(struct comparison *c, struct stored_run *runs, const char *before, const char *after)
{
	load(&runs[0], before);
	load(&runs[1], after);
	compare_runs(c, &runs[0], &runs[1]);
}

static void finish(struct comparison *c, struct stored_run *runs)
{
	compare_fini(c);
	stored_fini(&runs[0]);
	stored_fini(&runs[1]);
}

/* One variant, with a verdict in each run; "" means that it did not run. */
TEST(test_compare__change_of_each_pair)
{
	static const struct {
		const char *before, *after;
		enum change change;
	} rows[] = {
		{"PASS", "PASS", CHANGE_NONE},	   {"FAIL", "FAIL", CHANGE_NONE},
		{"PASS", "FAIL", CHANGE_WORSE},	   {"PASS", "XFAIL", CHANGE_WORSE},
		{"PASS", "SKIP", CHANGE_WORSE},	   {"XFAIL", "FAIL", CHANGE_WORSE},
		{"XFAIL", "XPASS", CHANGE_WORSE},  {"SKIP", "ERROR", CHANGE_WORSE},
		{"", "FAIL", CHANGE_WORSE},	   {"", "INVALID", CHANGE_WORSE},
		{"FAIL", "PASS", CHANGE_BETTER},   {"XFAIL", "PASS", CHANGE_BETTER},
		{"SKIP", "PASS", CHANGE_BETTER},   {"FAIL", "XFAIL", CHANGE_BETTER},
		{"ERROR", "SKIP", CHANGE_BETTER},  {"XFAIL", "SKIP", CHANGE_OTHER},
		{"SKIP", "XFAIL", CHANGE_OTHER},   {"FAIL", "ERROR", CHANGE_OTHER},
		{"INVALID", "FAIL", CHANGE_OTHER}, {"PASS", "", CHANGE_GONE},
		{"FAIL", "", CHANGE_GONE},	   {"", "PASS", CHANGE_NEW},
		{"", "XFAIL", CHANGE_NEW},	   {"", "SKIP", CHANGE_NEW},
	};
	struct stored_run runs[2];
	struct comparison c;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct text a auto_text = {0}, b auto_text = {0};

		text_add(&a, "");
		text_add(&b, "");
		if (*rows[i].before)
			text_addf(&a, "{\"name\":\"x\",\"verdict\":\"%s\"}", rows[i].before);
		if (*rows[i].after)
			text_addf(&b, "{\"name\":\"x\",\"verdict\":\"%s\"}", rows[i].after);
		compare(&c, runs, a.s, b.s);
		assert_int_equal(c.rows, 1);
		assert_int_equal(c.row[0].change, rows[i].change);
		assert_int_equal(compare_is_worse(&c), rows[i].change == CHANGE_WORSE);
		finish(&c, runs);
	}
}

TEST(test_compare__slower_is_twice_and_100_ms)
{
	static const struct {
		int before, after;
		enum change change;
	} rows[] = {
		{100, 199, CHANGE_NONE}, {100, 200, CHANGE_SLOWER}, {10, 100, CHANGE_NONE},
		{10, 110, CHANGE_SLOWER}, {200, 100, CHANGE_NONE}, {0, 99, CHANGE_NONE}, {0, 100, CHANGE_SLOWER},
	};
	struct stored_run runs[2];
	struct comparison c;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct text a auto_text = {0}, b auto_text = {0};

		text_addf(&a, "{\"name\":\"x\",\"verdict\":\"PASS\",\"took_ms\":%d}", rows[i].before);
		text_addf(&b, "{\"name\":\"x\",\"verdict\":\"PASS\",\"took_ms\":%d}", rows[i].after);
		compare(&c, runs, a.s, b.s);
		assert_int_equal(c.row[0].change, rows[i].change);
		finish(&c, runs);
	}
}

/* The order of the variants in a run does not matter, and the rows are in the order of names. */
TEST(test_compare__pairs_by_name)
{
	struct stored_run runs[2];
	struct comparison c;

	compare(&c, runs,
		"{\"name\":\"c\",\"verdict\":\"PASS\"},{\"name\":\"a\",\"verdict\":\"PASS\"},"
		"{\"name\":\"b\",\"verdict\":\"FAIL\"}",
		"{\"name\":\"b\",\"verdict\":\"PASS\"},{\"name\":\"d\",\"verdict\":\"PASS\"},"
		"{\"name\":\"c\",\"verdict\":\"PASS\"}");
	assert_int_equal(c.rows, 4);
	assert_string_equal(c.row[0].before->name, "a");
	assert_int_equal(c.row[0].change, CHANGE_GONE);
	assert_string_equal(c.row[1].after->name, "b");
	assert_int_equal(c.row[1].change, CHANGE_BETTER);
	assert_int_equal(c.row[2].change, CHANGE_NONE);
	assert_int_equal(c.row[3].change, CHANGE_NEW);
	assert_int_equal(c.count[CHANGE_NONE], 1);
	finish(&c, runs);
}

TEST(test_compare__findings_that_came_and_went)
{
	struct stored_run runs[2];
	struct comparison c;

	compare(&c, runs,
		"{\"name\":\"a\",\"verdict\":\"XFAIL\",\"findings\":[\"both\",\"old\"]}",
		"{\"name\":\"a\",\"verdict\":\"XFAIL\",\"findings\":[\"both\",\"new\"]},"
		"{\"name\":\"b\",\"verdict\":\"XFAIL\",\"findings\":[\"new\"]}");
	assert_int_equal(c.findings, 2);
	assert_string_equal(c.finding[0].name, "old");
	assert_int_equal(c.finding[0].before, 1);
	assert_int_equal(c.finding[0].after, 0);
	assert_string_equal(c.finding[1].name, "new");
	assert_int_equal(c.finding[1].after, 2);
	finish(&c, runs);
}
