/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: report/ */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/event.h"
#include "report/report.h"

/*
 * Golden tests: the events of tests/data/events/NAME.jsonl must make the text NAME.FORMAT.
 * After a wanted change, run the test once with VBM_GOLDEN_UPDATE=1 and read the
 * difference before you commit it.
 */
static char *slurp(const char *path)
{
	auto_file FILE *f = fopen(path, "r");
	size_t n = 0, got, room = 65536;
	char *buf = xcalloc(room, 1);

	if (!f) {
		free(buf);
		return NULL;
	}
	while ((got = fread(buf + n, 1, room - n - 1, f)) > 0) {
		n += got;
		if (room - n < 2)
			buf = xreallocarray(buf, room *= 2, 1);
	}
	buf[n] = '\0';
	return buf;
}

static void feed(struct report *r, char *text)
{
	char *line, *save = NULL;

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		struct vbm_error err = {0};
		auto_value struct value *event = json_read(line, strlen(line), &err);

		if (!event || (value_get(event, "seq") && event_check(event, &err) < 0))
			fail_msg("%s: %s", err.msg, line);
		assert_int_equal(report_event(r, event), 0);
	}
}

static void check_golden(const char *path, const char *text)
{
	auto_free char *expected = NULL;

	if (getenv("VBM_GOLDEN_UPDATE")) {
		FILE *f = fopen(path, "w");

		assert_non_null(f);
		fputs(text, f);
		assert_int_equal(fclose(f), 0);
	}
	expected = slurp(path);
	if (!expected)
		fail_msg("%s: %s", path, strerror(errno));
	if (strcmp(expected, text) != 0)
		fail_msg("%s is not what came out:\n%s", path, text);
}

struct variety {
	const char *format, *suffix;
	bool color, live, verbose;
};

static void golden(const char *name, const struct variety *v)
{
	auto_free char *in = xasprintf("events/%s.jsonl", name);
	auto_free char *out = xasprintf("events/%s.%s", name, v->suffix);
	auto_free char *path = xstrdup(test_data(out)), *events = slurp(test_data(in));
	auto_free char *text = NULL;
	size_t len = 0;
	FILE *mem = open_memstream(&text, &len);
	struct report_options opts = {mem, v->color, v->live, v->verbose};
	const struct report_ops *ops = report_find(v->format);
	struct report *r;

	assert_non_null(ops);
	assert_non_null(events);
	r = report_open(ops, &opts);
	feed(r, events);
	assert_int_equal(report_close(r), 0);
	fclose(mem);
	check_golden(path, text);
}

TEST(test_report__every_format__writes_what_is_expected)
{
	static const char *const names[] = {"all", "excused", "good", "no-fabric", "skipped"};
	size_t i, k;

	setenv("SOURCE_DATE_EPOCH", "1735689600", 1);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		for (k = 0; report_table[k]; k++) {
			const char *format = report_table[k]->name;
			struct variety v = {format, format, false, false, false};

			golden(names[i], &v);
		}
	}
	unsetenv("SOURCE_DATE_EPOCH");
}

TEST(test_report__pretty_on_a_terminal__has_color_and_progress)
{
	static const struct variety terminal = {"pretty", "terminal", true, true, false};
	static const struct variety verbose = {"pretty", "verbose", false, false, true};

	golden("all", &terminal);
	golden("all", &verbose);
}

TEST(test_report__many_findings__are_counted_and_named_when_asked)
{
	static const struct variety plain = {"pretty", "pretty", false, false, false};
	static const struct variety verbose = {"pretty", "verbose", false, false, true};

	golden("excused-many", &plain);
	golden("excused-many", &verbose);
}

TEST(test_report__full_disk__is_an_error)
{
	size_t k;

	for (k = 0; report_table[k]; k++) {
		auto_free char *events = slurp(test_data("events/good.jsonl"));
		auto_file FILE *full = fopen("/dev/full", "w");
		struct report_options opts = {.out = full};
		struct report *r;
		char *line, *save = NULL;
		int rc = 0, one;

		assert_non_null(full);
		r = report_open(report_table[k], &opts);
		for (line = strtok_r(events, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save)) {
			auto_value struct value *event = json_read(line, strlen(line), NULL);

			one = report_event(r, event);
			rc = rc ? rc : one;
		}
		one = report_close(r);
		rc = rc ? rc : one;
		if (rc != -ENOSPC)
			fail_msg("%s: %d", report_table[k]->name, rc);
	}
}

/* A line may wait for those that follow at once, and for nothing else. */
TEST(test_report__lines_that_follow__are_written_together)
{
	static const char error[] = "{\"event\":\"error\",\"code\":5,\"text\":\"x\"}";
	auto_value struct value *event = json_read(error, strlen(error), NULL);
	struct event_line line = {.event = event, .more = true};
	auto_file FILE *f = tmpfile();
	struct report_options opts = {.out = f};
	struct report *r = report_open(report_find("json"), &opts);
	long one;

	assert_non_null(f);
	assert_int_equal(report_line(r, &line), 0);
	assert_int_equal(ftell(f), 0);
	one = (long)line.text.len;
	line.more = false;
	assert_int_equal(report_line(r, &line), 0);
	assert_int_equal(ftell(f), 2 * one);
	assert_int_equal(report_close(r), 0);
	event_line_fini(&line);
}

TEST(test_report__unknown_name__is_not_found)
{
	assert_null(report_find("Pretty"));
	assert_null(report_find(""));
}

/* The golden files are the real output, see above. */
TEST(test_report__junit__is_well_formed)
{
	static const char *const names[] = {"all", "excused", "good", "no-fabric", "skipped"};
	size_t i;

	if (system("xmllint --version >/dev/null 2>&1") != 0)
		skip();
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		auto_free char *file = xasprintf("events/%s.junit", names[i]);
		auto_free char *cmd = xasprintf("xmllint --noout '%s'", test_data(file));

		if (system(cmd) != 0)
			fail_msg("%s", cmd);
	}
}

/* The report @name of events, which come from printf. The caller frees it. */
static char *report_of(const char *name, const char *events)
{
	auto_free char *copy = xstrdup(events);
	char *text = NULL;
	size_t len = 0;
	FILE *mem = open_memstream(&text, &len);
	struct report *r = report_open(report_find(name), &(struct report_options){.out = mem});

	feed(r, copy);
	assert_int_equal(report_close(r), 0);
	fclose(mem);
	return text;
}

static void add_case(struct text *t, int n, const char *log)
{
	text_addf(t, "{\"event\":\"scenario\",\"variant\":%d,\"id\":\"x/y\",\"name\":\"x/y[n=%d]\",\"title\":\"t\","
		  "\"path\":\"x/y.yaml\",\"clauses\":[]}\n", n, n);
	text_addf(t, "{\"event\":\"log\",\"variant\":%d,\"name\":\"x/y[n=%d]\",\"host\":\"a\",\"text\":\"%s\"}\n", n, n, log);
	text_addf(t, "{\"event\":\"verdict\",\"variant\":%d,\"name\":\"x/y[n=%d]\",\"verdict\":\"FAIL\",\"reason\":\"%s\","
		  "\"took_ms\":1,\"own_us\":1}\n", n, n, log);
}

/* GitLab reads less than 30 MB. Long output loses its middle; all cases stay. */
TEST(test_report__junit__has_a_limit)
{
	auto_free char *log = xcalloc(100001, 1), *text = NULL;
	struct text events auto_text = {0};
	size_t i, cases = 0;
	const char *p;

	for (i = 0; i < 99999; i += 3)
		memcpy(log + i, "\xe2\x82\xac", 3);	/* characters of three bytes */
	add_case(&events, 0, log);
	text = report_of("junit", events.s);
	assert_true(strlen(text) < 3 * 64 * 1024);
	assert_non_null(strstr(text, " bytes are left out here; --output has them)"));
	assert_null(strstr(text, UTF8_REPLACEMENT));
	free(steal(&text));
	for (i = 1; i < 400; i++)
		add_case(&events, (int)i, log);
	text = report_of("junit", events.s);
	assert_true(strlen(text) > 20000000 && strlen(text) < 30000000);
	for (p = text; (p = strstr(p, "<testcase ")); p++)
		cases++;
	assert_int_equal(cases, 401);
	assert_non_null(strstr(text, "bytes are left out, because the report would be too large; --output has them)"));
}

#define TWO_ERRORS                                                   \
	"{\"event\":\"error\",\"code\":5,\"text\":\"one\"}\n" \
	"{\"event\":\"error\",\"code\":5,\"text\":\"two\"}\n"

/* Of several tests with one name GitLab shows one. */
TEST(test_report__errors_of_the_run_have_their_names)
{
	auto_free char *junit = report_of("junit", TWO_ERRORS);

	assert_non_null(strstr(junit, "name=\"run\" time"));
	assert_non_null(strstr(junit, "name=\"run 2\" time"));
	assert_non_null(strstr(junit, "name=\"run 3\" time"));
}

/* The events of exec about commands name no file. */
TEST(test_report__commands__have_no_file)
{
	static const char *const formats[] = {"junit", "tap", "pretty", "github", "markdown"};
	static const char events[] =
		"{\"event\":\"scenario\",\"variant\":0,\"id\":\"x\",\"name\":\"x\",\"title\":\"t\",\"path\":\"\","
		"\"clauses\":[]}\n"
		"{\"event\":\"fail\",\"variant\":0,\"name\":\"x\",\"line\":2,\"col\":1,\"host\":\"b\",\"call\":\"on\","
		"\"index\":0,\"field\":\"status\",\"expected\":\"0\",\"actual\":\"4\"}\n"
		"{\"event\":\"verdict\",\"variant\":0,\"name\":\"x\",\"verdict\":\"FAIL\",\"reason\":\"no\",\"took_ms\":1,"
		"\"own_us\":1}\n";
	size_t i;

	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		auto_free char *text = report_of(formats[i], events);

		assert_null(strcasestr(text, "file"));
		assert_null(strstr(text, "line=\""));
		assert_null(strstr(text, "line: "));
		assert_null(strstr(text, "\"line\": "));
		if (i < 1)
			assert_non_null(strstr(text, "command 2: b.on: status: expected 0, got 4"));
	}
}
