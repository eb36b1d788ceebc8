/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: page/page.c page/page-explain.c page/page-variant.c */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/event.h"
#include "page/page.h"

#define SCENARIO \
	"{\"event\":\"scenario\",\"variant\":0,\"name\":\"x\",\"id\":\"x\",\"title\":\"t\",\"path\":\"p\",\"clauses\":[]}"
#define VERDICT(verdict, ms) \
	"{\"event\":\"verdict\",\"variant\":0,\"name\":\"x\",\"verdict\":\"" verdict "\",\"reason\":null,\"took_ms\":" ms ",\"own_us\":1}"
#define PLACE "\"lane\":\"uml\",\"accelerator\":\"none\",\"kernel\":\"7.3\",\"rdma_core\":\"44.0\",\"target\":\"system\""
#define SUMMARY(counts, total, more) \
	"{\"event\":\"summary\"," PLACE ",\"counts\":{" counts "},\"total\":" total ",\"took_ms\":1,\"exit\":0" more "}"
#define BEGIN "<script type=\"application/json\" id=\"data\">\n"

static char *write_page(struct page *p)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(page_write(p, f), 0);
	fclose(f);
	return text;
}

/* The JSON in a page. */
static struct value *data_of(const char *html)
{
	const char *begin = strstr(html, BEGIN), *end;
	struct vbm_error err;
	struct value *v;

	assert_non_null(begin);
	begin += strlen(BEGIN);
	end = strstr(begin, "</script>");
	assert_non_null(end);
	v = json_read(begin, (size_t)(end - begin), &err);
	if (!v)
		fail_msg("%s", err.msg);
	return v;
}

static void play_line(struct page *p, const char *text)
{
	auto_value struct value *event = json_read(text, strlen(text), NULL);

	assert_non_null(event);
	page_event(p, event);
}

static void play(struct page *p, const char *name)
{
	auto_file FILE *f = fopen(test_data(name), "r");
	auto_free char *line = NULL;
	size_t room = 0;

	assert_non_null(f);
	while (getline(&line, &room, f) > 0)
		play_line(p, line);
}

/* The value in a block. */
static struct value *unpack(const char *block)
{
	size_t len;
	uLongf n = 1 << 20;
	auto_free char *packed = base64_decode(block, &len), *text = xcalloc(1, n);
	struct value *v;

	assert_non_null(packed);
	assert_int_equal(uncompress((Bytef *)text, &n, (const Bytef *)packed, len), Z_OK);
	v = json_read(text, n, NULL);
	assert_non_null(v);
	return v;
}

static const struct value *row_of(const struct value *data, const char *name, size_t *at)
{
	const struct value *rows = value_get(data, "rows");

	for (*at = 0; *at < rows->list.count; (*at)++)
		if (!strcmp(value_get_string(rows->list.item[*at], "name", ""), name))
			return rows->list.item[*at];
	fail_msg("no row for %s", name);
	return NULL;
}

TEST(test_page__a_run)
{
	struct page *p = page_new(test_data("coverage/scenarios"));
	auto_free char *html = NULL;
	auto_value struct value *data = NULL, *block = NULL;
	const struct value *row, *counts, *evidence;
	int sums[VERDICT_COUNT] = {0};
	enum verdict verdict;
	size_t i;

	play(p, "events/all.jsonl");
	html = write_page(p);
	page_free(p);
	data = data_of(html);
	/* The sums of the rows are those of the stream. */
	for (i = 0; i < value_get(data, "rows")->list.count; i++) {
		row = value_get(data, "rows")->list.item[i];
		assert_int_equal(verdict_parse(value_get_string(row, "verdict", ""), &verdict), 0);
		sums[verdict]++;
	}
	counts = value_get(value_get(data, "summary"), "counts");
	for (i = 0; i < VERDICT_COUNT; i++)
		assert_int_equal(sums[i], value_get_int(counts, verdict_name(i), 0));
	row = row_of(data, "resolve/ud-with-tcp", &i);
	assert_string_equal(value_get_string(row, "verdict", ""), "FAIL");
	block = unpack(value_get(data, "blocks")->list.item[0]->s);
	assert_int_equal(block->list.count, value_get(data, "rows")->list.count);
	evidence = block->list.item[i];
	assert_true(value_get(evidence, "steps")->list.count > 0);
	assert_true(value_get(evidence, "fails")->list.count > 0);
}

/* Texts of a scenario cannot become a part of the page. */
TEST(test_page__hostile_texts)
{
	static const char evil[] = "</script><script>alert(1)</script><!--";
	struct page *p = page_new("/proc/none");
	auto_free char *line = NULL, *html = NULL;
	auto_value struct value *data = NULL;
	const char *at;
	size_t scripts = 0, i;

	line = xasprintf("{\"event\":\"scenario\",\"variant\":0,\"name\":\"%s\",\"id\":\"x\",\"title\":\"%s\","
			 "\"path\":\"%s\",\"clauses\":[\"%s\"]}", evil, evil, evil, evil);
	play_line(p, line);
	html = write_page(p);
	page_free(p);
	for (at = html; (at = strstr(at, "</script>")); at++)
		scripts++;
	assert_int_equal(scripts, 2);
	assert_null(strstr(html, "<script>alert"));
	data = data_of(html);
	/* Such a variant did not end, and neither did the run. */
	assert_null(value_get(row_of(data, evil, &i), "verdict"));
	assert_int_equal(value_get(data, "summary")->type, VALUE_NULL);
	assert_non_null(strstr(value_get_string(data, "no_texts", ""), "/proc/none"));
}

TEST(test_page__long_texts_are_cut)
{
	struct page *p = page_new(NULL);
	auto_free char *line = NULL, *html = NULL, *longest = xcalloc(1, 50001);
	auto_value struct value *data = NULL, *block = NULL;
	const struct value *step;

	memset(longest, 'x', 50000);
	play_line(p, "{\"event\":\"scenario\",\"variant\":0,\"name\":\"x\",\"id\":\"x\",\"title\":\"t\","
		     "\"path\":\"p\",\"clauses\":[]}");
	line = xasprintf("{\"event\":\"step\",\"variant\":0,\"name\":\"x\",\"line\":1,\"col\":1,\"host\":\"a\","
			 "\"call\":\"c\",\"index\":0,\"args\":{},\"result\":{\"a\":\"%s\"},\"us\":1,\"ok\":true}",
			 longest);
	play_line(p, line);
	html = write_page(p);
	page_free(p);
	data = data_of(html);
	block = unpack(value_get(data, "blocks")->list.item[0]->s);
	step = value_get(block->list.item[0], "steps")->list.item[0];
	assert_in_range(strlen(step->list.item[5]->s), 600, 700);
	assert_non_null(strstr(step->list.item[5]->s, "bytes)"));
}

/* How a variant ended is apart from its verdict. */
TEST(test_page__how_it_ended)
{
	static const struct {
		const char *event, *ended;
	} rows[] = {
		{"{\"event\":\"kernel\",\"variant\":0,\"name\":\"x\",\"level\":4,\"text\":\"WARNING\",\"bad\":true}", "complaint"},
		{"{\"event\":\"kernel\",\"variant\":0,\"name\":\"x\",\"level\":4,\"text\":\"WARNING\",\"bad\":true,"
		 "\"known\":\"some-finding\"}", "known"},
		{"{\"event\":\"verdict\",\"variant\":0,\"name\":\"x\",\"verdict\":\"ERROR\",\"reason\":\"r\",\"took_ms\":1,"
		 "\"own_us\":1,\"complaints\":[\"Oops\"]}", "complaint"},
		{"{\"event\":\"verdict\",\"variant\":0,\"name\":\"x\",\"verdict\":\"XFAIL\",\"reason\":\"r\",\"took_ms\":1,"
		 "\"own_us\":1,\"complaints\":[\"Oops\"]}", "known"},
		{"{\"event\":\"verdict\",\"variant\":0,\"name\":\"x\",\"verdict\":\"FAIL\",\"reason\":\"r\",\"took_ms\":1,"
		 "\"own_us\":1}", ""},
		{"{\"event\":\"verdict\",\"variant\":0,\"name\":\"x\",\"verdict\":\"PASS\",\"reason\":null,\"took_ms\":1,"
		 "\"own_us\":1,\"left\":[\"host a still has 1 queue pair on vb_1_a\"]}", "leaked"},
		{"{\"event\":\"verdict\",\"variant\":0,\"name\":\"x\",\"verdict\":\"ERROR\",\"reason\":\"r\",\"took_ms\":1,"
		 "\"own_us\":1,\"complaints\":[\"Oops\"],\"left\":[\"host a has an additional interface: br5\"]}", "complaint"},
		{"{\"event\":\"verdict\",\"variant\":0,\"name\":\"x\",\"verdict\":\"XFAIL\",\"reason\":\"r\",\"took_ms\":1,"
		 "\"own_us\":1,\"complaints\":[\"Oops\"],\"left\":[\"host a has an additional interface: br5\"]}", "leaked"},
		{"{\"event\":\"kernel\",\"variant\":0,\"name\":\"x\",\"level\":6,\"text\":\"eth0: up\",\"bad\":false}", ""},
		{"{\"event\":\"fail\",\"variant\":0,\"name\":\"x\",\"line\":1,\"col\":1,\"host\":\"a\",\"call\":\"c\","
		 "\"index\":0,\"field\":\"death\",\"expected\":\"-\",\"actual\":\"killed\"}", "death"},
	};
	size_t i, at;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct page *p = page_new(NULL);
		auto_free char *html = NULL;
		auto_value struct value *data = NULL;

		play_line(p, "{\"event\":\"scenario\",\"variant\":0,\"name\":\"x\",\"id\":\"x\",\"title\":\"t\","
			     "\"path\":\"p\",\"clauses\":[]}");
		play_line(p, rows[i].event);
		html = write_page(p);
		page_free(p);
		data = data_of(html);
		assert_string_equal(value_get_string(row_of(data, "x", &at), "ended", ""), rows[i].ended);
	}
}

/* A complaint that findings describe hides no other, whichever comes first. */
TEST(test_page__known_complaints_hide_no_other)
{
	static const char *const events[] = {
		"{\"event\":\"kernel\",\"variant\":0,\"name\":\"x\",\"level\":4,\"text\":\"A\",\"bad\":true,\"known\":\"f\"}",
		"{\"event\":\"kernel\",\"variant\":0,\"name\":\"x\",\"level\":4,\"text\":\"B\",\"bad\":true}",
	};
	size_t i, at;

	for (i = 0; i < 2; i++) {
		struct page *p = page_new(NULL);
		auto_free char *html = NULL;
		auto_value struct value *data = NULL;

		play_line(p, SCENARIO);
		play_line(p, events[i]);
		play_line(p, events[1 - i]);
		html = write_page(p);
		page_free(p);
		data = data_of(html);
		assert_string_equal(value_get_string(row_of(data, "x", &at), "ended", ""), "complaint");
	}
}

/* While no variant runs, the kernel says much when it makes devices; only a complaint matters. */
TEST(test_page__kernel_between_variants)
{
	struct page *p = page_new(NULL);
	auto_free char *html = NULL;
	auto_value struct value *data = NULL;
	const struct value *kernel;

	play_line(p, "{\"event\":\"kernel\",\"name\":null,\"level\":6,\"text\":\"rxe: added\",\"bad\":false}");
	play_line(p, "{\"event\":\"kernel\",\"name\":null,\"level\":4,\"text\":\"WARNING\",\"bad\":true}");
	play_line(p, "{\"event\":\"kernel\",\"name\":null,\"level\":4,\"text\":\"BUG\",\"bad\":true,\"known\":\"rxe-late-packet\"}");
	html = write_page(p);
	page_free(p);
	data = data_of(html);
	kernel = value_get(data, "kernel");
	assert_int_equal(kernel->list.count, 2);
	assert_string_equal(kernel->list.item[0]->list.item[0]->s, "WARNING");
	assert_string_equal(kernel->list.item[0]->list.item[1]->s, "");
	/* A complaint that a finding describes names it, so that the page does not call it an alarm. */
	assert_string_equal(kernel->list.item[1]->list.item[0]->s, "BUG");
	assert_string_equal(kernel->list.item[1]->list.item[1]->s, "rxe-late-packet");
}

/* No browser shows a million steps. The first ones and the last ones stay, with a note where others were. */
TEST(test_page__steps_of_the_middle_are_left_out)
{
	struct page *p = page_new(NULL);
	auto_free char *html = NULL;
	auto_value struct value *data = NULL, *block = NULL;
	const struct value *steps, *note, *kernel;
	size_t i;

	play_line(p, SCENARIO);
	for (i = 0; i < 12345; i++) {
		auto_free char *line = xasprintf("{\"event\":\"step\",\"variant\":0,\"name\":\"x\",\"line\":1,\"col\":1,"
						 "\"host\":\"a\",\"call\":\"c\",\"index\":%zu,\"args\":{},\"result\":{},"
						 "\"us\":1,\"ok\":true}", i);

		if (i == 1500 || i == 12300)
			play_line(p, "{\"event\":\"kernel\",\"variant\":0,\"name\":\"x\",\"level\":6,\"text\":\"t\",\"bad\":false}");
		play_line(p, line);
	}
	html = write_page(p);
	page_free(p);
	data = data_of(html);
	block = unpack(value_get(data, "blocks")->list.item[0]->s);
	steps = value_get(block->list.item[0], "steps");
	note = value_get(block->list.item[0], "left_out");
	kernel = value_get(block->list.item[0], "kernel");
	assert_non_null(note);
	assert_int_equal(note->list.item[1]->i + (int64_t)steps->list.count, 12345);
	assert_in_range(steps->list.count, 2000, 3000);
	assert_int_equal(steps->list.item[note->list.item[0]->i - 1]->list.item[0]->i, note->list.item[0]->i - 1);
	assert_int_equal(steps->list.item[steps->list.count - 1]->list.item[0]->i, 12344);
	/* Kernel lines stand before their steps, or where these were. */
	assert_int_equal(kernel->list.item[0]->list.item[0]->i, note->list.item[0]->i);
	assert_int_equal(steps->list.item[kernel->list.item[1]->list.item[0]->i]->list.item[0]->i, 12300);
}

/* Each code of a failure has the words of explain, and the name that explain takes. */
TEST(test_page__codes_are_explained)
{
#define FAIL_OF(call, field, expected, actual) \
	"{\"event\":\"fail\",\"variant\":0,\"name\":\"x\",\"line\":1,\"col\":1,\"host\":\"a\",\"call\":\"" call \
	"\",\"index\":0,\"field\":\"" field "\",\"expected\":\"" expected "\",\"actual\":\"" actual "\"}"
	static const struct {
		const char *event, *key, *name;	/* NULL: it is not explained */
	} rows[] = {
		{FAIL_OF("c", "return", "0", "EINVAL (22)"), "EINVAL (22)", "EINVAL"},
		{FAIL_OF("c", "return", "EINVAL (22)", "0"), "EINVAL (22)", "EINVAL"},
		{FAIL_OF("c", "return", "0", "EINVAL (5)"), "EINVAL (5)", NULL},
		{FAIL_OF("c", "return", "0", "EINVAL (22"), "EINVAL", "EINVAL"},
		{FAIL_OF("c", "status", "x", "(or RNR_RETRY_EXC_ERR (13))"), "RNR_RETRY_EXC_ERR (13)", "IBV_WC_RNR_RETRY_EXC_ERR"},
		{FAIL_OF("c", "event", "x", "REJECTED (8)"), "REJECTED (8)", "RDMA_CM_EVENT_REJECTED"},
		/* Nothing is wrong with it. */
		{FAIL_OF("c", "status", "FLUSH (5)", "SUCCESS (0)"), "SUCCESS (0)", NULL},
		{FAIL_OF("c", "status", "0", "RNR_RETRY_EXC_ERR"), "RNR_RETRY_EXC_ERR", NULL},
		{FAIL_OF("c", "status", "0", "IBV_WC_RNR_RETRY_EXC_ERR"), "IBV_WC_RNR_RETRY_EXC_ERR", "IBV_WC_RNR_RETRY_EXC_ERR"},
		{FAIL_OF("c", "death", "none", "killed"), "death", "death"},
		{FAIL_OF("create_qp", "return", "1", "2"), "create_qp", "create_qp"},
		{FAIL_OF("on", "status", "0", "1"), "on", NULL},
		{"{\"event\":\"log\",\"variant\":0,\"name\":\"x\",\"host\":\"a\",\"text\":\"x: EAI_NODATA.\"}", "EAI_NODATA",
		 "EAI_NODATA"},
		{"{\"event\":\"kernel\",\"variant\":0,\"name\":\"x\",\"level\":6,\"text\":\"EINVAL\",\"bad\":false}", "EINVAL", NULL},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct page *p = page_new(NULL);
		auto_free char *html = NULL;
		auto_value struct value *data = NULL;
		const struct value *one;

		play_line(p, SCENARIO);
		play_line(p, rows[i].event);
		html = write_page(p);
		page_free(p);
		data = data_of(html);
		one = value_get(value_get(data, "explained"), rows[i].key);
		if (!rows[i].name && one)
			fail_msg("%s is explained", rows[i].key);
		if (!rows[i].name)
			continue;
		if (!one)
			fail_msg("%s is not explained", rows[i].key);
		assert_string_equal(value_get_string(one, "name", ""), rows[i].name);
		assert_true(strlen(value_get_string(one, "text", "")) > 10);
	}
}

/* A page with @after beside a run in which variant x took @before ms. */
static struct value *after_a_run(int before, const char *after)
{
	struct page *p = page_new(NULL);
	auto_free char *html = NULL, *text = NULL;
	struct stored_run run;
	struct value *data;

	text = xasprintf(SUMMARY("\"PASS\":2", "2", ",\"scenarios\":[{\"name\":\"y\",\"verdict\":\"PASS\"},"
			 "{\"name\":\"x\",\"verdict\":\"PASS\",\"took_ms\":%d},{\"name\":\"x\",\"verdict\":\"PASS\",\"took_ms\":%d}]"), before,
			 before);
	assert_int_equal(stored_take(&run, json_read(text, strlen(text), NULL), NULL), 0);
	page_earlier(p, &run);
	page_earlier(p, &run);
	stored_fini(&run);
	play_line(p, SCENARIO);
	play_line(p, after);
	html = write_page(p);
	page_free(p);
	data = data_of(html);
	return data;
}

TEST(test_page__slower_than_in_the_run_before)
{
	static const struct {
		int before;
		const char *after;
		int64_t told;
	} rows[] = {
		{100, VERDICT("PASS", "199"), -1}, {100, VERDICT("PASS", "200"), 100}, {99, VERDICT("PASS", "198"), -1},
		{0, VERDICT("PASS", "100"), 0}, {-1, VERDICT("PASS", "1000"), -1}, {1000, VERDICT("PASS", "10"), -1},
		{100, VERDICT("FAIL", "1000"), -1},
	};
	size_t i, at;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		auto_value struct value *data = after_a_run(rows[i].before, rows[i].after);

		assert_int_equal(value_get_int(row_of(data, "x", &at), "before_ms", -1), rows[i].told);
	}
}

TEST(test_page__sums_that_disagree)
{
	static const struct {
		const char *verdict, *summary, *differ;
	} rows[] = {
		{VERDICT("PASS", "1"), SUMMARY("\"PASS\":1", "1", ""), NULL},
		{VERDICT("PASS", "1"), SUMMARY("\"PASS\":2", "2", ""),
		 "1 PASS, and 2 in the run's own sums; 1 variants, and 2 in the run's own sums"},
		{VERDICT("FAIL", "1"), SUMMARY("\"PASS\":1", "1", ""),
		 "0 PASS, and 1 in the run's own sums; 1 FAIL, and 0 in the run's own sums"},
		{"{\"event\":\"error\",\"code\":5,\"text\":\"t\"}", SUMMARY("\"PASS\":1", "1", ""), "0 PASS, and 1 in the run's own sums"},
		{VERDICT("PASS", "1"), NULL, NULL},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct page *p = page_new(NULL);
		auto_free char *differ = NULL, *html = NULL;

		play_line(p, SCENARIO);
		play_line(p, rows[i].verdict);
		if (rows[i].summary)
			play_line(p, rows[i].summary);
		html = write_page(p);
		differ = page_disagrees(p);
		if (rows[i].differ)
			assert_string_equal(differ, rows[i].differ);
		else
			assert_null(differ);
		page_free(p);
	}
}

/* The outputs of two scripts, about mutants and about code. */
TEST(test_page__coverage)
{
	static const char tap[] = "ok 1 - one: it is broken\nnot ok 2 - two-b: so is this\n# C is not looked at: why\n1..2\nok\nok 3\n";
	static const char code[] = "# Title\n\ntext | text\n## rxe\n\n| file | lines | functions |\n|---|---|---|\n"
				   "| rxe.c | 137 of 154 (88%) | 11 of 12 |\n| all | 1 of 2 (50%) | 1 of 1 |\n|\n| a | b\n";
	struct page *p = page_new(test_data("coverage/scenarios"));
	auto_free char *first = xstrdup(tap), *second = xstrdup(code), *html = NULL;
	auto_value struct value *data = NULL;
	const struct value *given, *rows;

	page_tried(p, first);
	page_code(p, second);
	html = write_page(p);
	page_free(p);
	data = data_of(html);
	given = value_get(data, "given");
	assert_int_equal(value_get(given, "tried")->map.count, 2);
	assert_true(value_get_bool(value_get(given, "tried"), "one", false));
	assert_false(value_get_bool(value_get(given, "tried"), "two-b", true));
	rows = value_get(given, "code");
	assert_int_equal(rows->list.count, 2);
	assert_string_equal(rows->list.item[0]->list.item[0]->s, "rxe");
	assert_string_equal(rows->list.item[0]->list.item[1]->s, "rxe.c");
	assert_string_equal(rows->list.item[1]->list.item[2]->s, "1 of 2 (50%)");
	assert_true(value_get(data, "areas")->map.count > 0);
}
