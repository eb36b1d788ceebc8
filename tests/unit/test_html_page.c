/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: page/page.c page/page-block.c page/page-file.c page/page-texts.c page/page-variant.c */
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

/* What a block holds. */
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

static void test_page__a_run(void **state)
{
	struct page *p = page_new(test_data("coverage/scenarios"));
	auto_free char *html = NULL;
	auto_value struct value *data = NULL, *block = NULL;
	const struct value *row, *counts, *evidence;
	int sums[VERDICT_COUNT] = {0};
	enum verdict verdict;
	size_t i;

	(void)state;
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
static void test_page__hostile_texts(void **state)
{
	static const char evil[] = "</script><script>alert(1)</script><!--";
	struct page *p = page_new("/nonexistent");
	auto_free char *line = NULL, *html = NULL;
	auto_value struct value *data = NULL;
	const char *at;
	size_t scripts = 0, i;

	(void)state;
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
	assert_non_null(strstr(value_get_string(data, "no_texts", ""), "/nonexistent"));
}

static void test_page__long_texts_are_cut(void **state)
{
	struct page *p = page_new(NULL);
	auto_free char *line = NULL, *html = NULL, *longest = xcalloc(1, 50001);
	auto_value struct value *data = NULL, *block = NULL;
	const struct value *step;

	(void)state;
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
static void test_page__how_it_ended(void **state)
{
	static const struct {
		const char *event, *ended;
	} rows[] = {
		{"{\"event\":\"kernel\",\"variant\":0,\"name\":\"x\",\"level\":4,\"text\":\"WARNING\",\"bad\":true}", "complaint"},
		{"{\"event\":\"kernel\",\"variant\":0,\"name\":\"x\",\"level\":6,\"text\":\"eth0: up\",\"bad\":false}", ""},
		{"{\"event\":\"fail\",\"variant\":0,\"name\":\"x\",\"line\":1,\"col\":1,\"host\":\"a\",\"call\":\"c\","
		 "\"index\":0,\"field\":\"death\",\"expected\":\"-\",\"actual\":\"killed\"}", "death"},
	};
	size_t i, at;

	(void)state;
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

/* While no variant runs, the kernel says much when it makes devices; only a complaint matters. */
static void test_page__kernel_between_variants(void **state)
{
	struct page *p = page_new(NULL);
	auto_free char *html = NULL;
	auto_value struct value *data = NULL;
	const struct value *kernel;

	(void)state;
	play_line(p, "{\"event\":\"kernel\",\"name\":null,\"level\":6,\"text\":\"rxe: added\",\"bad\":false}");
	play_line(p, "{\"event\":\"kernel\",\"name\":null,\"level\":4,\"text\":\"WARNING\",\"bad\":true}");
	html = write_page(p);
	page_free(p);
	data = data_of(html);
	kernel = value_get(data, "kernel");
	assert_int_equal(kernel->list.count, 1);
	assert_string_equal(kernel->list.item[0]->s, "WARNING");
}

VBM_TESTS(cmocka_unit_test(test_page__a_run),
	  cmocka_unit_test(test_page__kernel_between_variants),
	  cmocka_unit_test(test_page__hostile_texts),
	  cmocka_unit_test(test_page__long_texts_are_cut),
	  cmocka_unit_test(test_page__how_it_ended));
