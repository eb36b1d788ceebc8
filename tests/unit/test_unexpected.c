/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: report/unexpected.c report/report-github.c report/report-markdown.c */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/event.h"
#include "report/report.h"
#include "runs/stored.h"

#define SUMMARY_WITH(more)                                                                                            \
	"{\"event\":\"summary\",\"lane\":\"uml\",\"accelerator\":\"none\",\"kernel\":\"7.3\",\"rdma_core\":\"44.0\"," \
	"\"target\":\"system\",\"counts\":{\"FAIL\":5000},\"total\":5000,\"took_ms\":10,\"exit\":1" more "}\n"
#define SUMMARY SUMMARY_WITH("")

static void give(struct report *r, const char *events)
{
	auto_free char *copy = xstrdup(events);
	char *line, *save = NULL;

	for (line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		struct vbm_error err = {0};
		auto_value struct value *event = json_read(line, strlen(line), &err);

		if (!event || event_check_any(event, &err) < 0)
			fail_msg("%s: %s", err.msg, line);
		assert_int_equal(report_event(r, event), 0);
	}
}

/* The report @format of events. The caller frees it. */
static char *report_of(const char *format, const char *events, const struct stored_run *earlier)
{
	char *text = NULL;
	size_t len = 0;
	FILE *mem = open_memstream(&text, &len);
	const struct report_options opts = {
		.out = mem, .earlier = earlier ? stored_verdict_of : NULL, .earlier_run = earlier,
	};
	struct report *r = report_open(report_find(format), &opts);

	give(r, events);
	assert_int_equal(report_close(r), 0);
	fclose(mem);
	return text;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

static void add_failure(struct text *t, int n, const char *log)
{
	text_addf(t, "{\"event\":\"scenario\",\"variant\":%d,\"id\":\"x/y\",\"name\":\"x/y[n=%d]\",\"title\":\"t\","
		  "\"path\":\"x/y.yaml\",\"clauses\":[]}\n", n, n);
	text_addf(t, "{\"event\":\"fail\",\"variant\":%d,\"name\":\"x/y[n=%d]\",\"line\":9,\"col\":3,\"host\":\"a\",\"call\":"
		  "\"post_send\",\"index\":0,\"field\":\"return\",\"expected\":\"0\",\"actual\":\"%s\"}\n", n, n, log);
	text_addf(t, "{\"event\":\"log\",\"variant\":%d,\"name\":\"x/y[n=%d]\",\"host\":\"a\",\"text\":\"%s\"}\n", n, n, log);
	text_addf(t, "{\"event\":\"verdict\",\"variant\":%d,\"name\":\"x/y[n=%d]\",\"verdict\":\"FAIL\",\"reason\":\"r\","
		  "\"took_ms\":1,\"own_us\":1}\n", n, n);
}

/* GitHub drops what is beyond its limits: annotations without a word, a summary as a whole. */
static void limits(const char *log)
{
	auto_free char *github = NULL, *markdown = NULL;
	struct text events auto_text = {0};
	int i;

	for (i = 0; i < 5000; i++)
		add_failure(&events, i, log);
	text_add(&events, SUMMARY);
	github = report_of("github", events.s, NULL);
	assert_int_equal(count(github, "\n"), 10);
	assert_int_equal(count(github, "::error "), 10);
	assert_int_equal(count(github, "::error file=x/y.yaml,line=9,col=3,title=FAIL x/y[n="), 9);
	assert_non_null(strstr(github, "::error title=4991 more::4991 more are not as expected"));
	markdown = report_of("markdown", events.s, NULL);
	assert_in_range(strlen(markdown), 100000, 900 * 1024 - 1);
	assert_non_null(strstr(markdown, "5000 variants are not as expected\n"));
	assert_int_equal(count(markdown, "<details>"), count(markdown, "</pre>\n\n</details>\n"));
}

TEST(test_unexpected__five_thousand_failures__stay_below_the_limits)
{
	struct text log auto_text = {0};
	int i;

	limits("EINVAL");
	for (i = 0; i < 40; i++)
		text_add(&log, "<&| \xe2\x82\xac");
	limits(log.s);
}

TEST(test_unexpected__the_summary__counts_what_it_leaves_out)
{
	struct text log auto_text = {0}, events auto_text = {0};
	auto_free char *markdown = NULL;
	size_t rows;
	char *left;
	int i;

	for (i = 0; i < 100; i++)
		text_add(&log, "|");
	for (i = 0; i < 5000; i++)
		add_failure(&events, i, log.s);
	text_add(&events, SUMMARY);
	markdown = report_of("markdown", events.s, NULL);
	rows = count(markdown, "| FAIL | ");
	assert_in_range(rows, 30, 4000);
	left = xasprintf("\n%zu more are not as expected and are left out here", 5000 - rows);
	assert_non_null(strstr(markdown, left));
	free(left);
}

/* Two errors of the run; n=0 failed before, n=1 passed, n=2 did not run. */
TEST(test_unexpected__new_failures__come_first)
{
	static const char before[] = SUMMARY_WITH(",\"scenarios\":[{\"name\":\"x/y[n=0]\",\"verdict\":\"FAIL\"},"
						  "{\"name\":\"x/y[n=1]\",\"verdict\":\"PASS\"}]");
	struct text events auto_text = {0};
	auto_free char *github = NULL, *markdown = NULL, *alone = NULL;
	struct vbm_error err = {0};
	struct stored_run run;
	const char *place[5];
	size_t i;

	if (stored_take(&run, json_read(before, strlen(before), &err), &err) < 0)
		fail_msg("%s", err.msg);
	for (i = 0; i < 3; i++)
		add_failure(&events, (int)i, "EINVAL");
	text_add(&events, "{\"event\":\"error\",\"code\":5,\"text\":\"one\"}\n"
			  "{\"event\":\"error\",\"code\":5,\"text\":\"two\"}\n" SUMMARY);
	github = report_of("github", events.s, &run);
	place[0] = strstr(github, "title=error of the run::one\n");
	place[1] = strstr(github, "title=new FAIL x/y[n=1]::");
	place[2] = strstr(github, "title=new FAIL x/y[n=2]::");
	place[3] = strstr(github, "title=error of the run::two\n");
	place[4] = strstr(github, "title=FAIL x/y[n=0]::");
	for (i = 0; i < ARRAY_SIZE(place); i++)
		if (!place[i] || (i && place[i] < place[i - 1]))
			fail_msg("number %zu is not in its place:\n%s", i, github);
	markdown = report_of("markdown", events.s, &run);
	assert_non_null(strstr(markdown, "3 variants are not as expected, 2 of them new\n"));
	assert_int_equal(count(markdown, "| new FAIL | "), 2);
	alone = report_of("github", events.s, NULL);
	assert_null(strstr(alone, "new FAIL"));
	stored_fini(&run);
}

#define ODD                                                                                                          \
	"{\"event\":\"scenario\",\"variant\":0,\"id\":\"x\",\"name\":\"x[a=::1,b=%]\",\"title\":\"t\\r\\n::warning::w\"," \
	"\"path\":\"a,b:c%d.yaml\",\"clauses\":[]}\n"                                                                  \
	"{\"event\":\"verdict\",\"variant\":0,\"name\":\"x[a=::1,b=%]\",\"verdict\":\"ERROR\","                            \
	"\"reason\":\"50%\\n::error::false | <b>@all</b> [l](http://HOST) `c` #1\",\"took_ms\":1,\"own_us\":1}\n"

TEST(test_unexpected__texts_of_programs__stay_texts)
{
	auto_free char *github = report_of("github", ODD SUMMARY, NULL), *markdown = report_of("markdown", ODD SUMMARY, NULL);

	assert_string_equal(github, "::error file=a%2Cb%3Ac%25d.yaml,title=ERROR x[a=%3A%3A1%2Cb=%25]::50%25%0A::error::false | "
				    "<b>@all</b> [l](http://HOST) `c` #1%0At\\x0d%0A::warning::w\n");
	assert_non_null(strstr(markdown, "| ERROR | x&#91;a=&#58;&#58;1,b=&#37;&#93; | 50&#37;<br>&#58;&#58;error&#58;&#58;false "
					 "&#124; &#60;b&#62;&#64;all&#60;/b&#62; &#91;l&#93;(http&#58;//HOST) &#96;c&#96; &#35;1 |\n"));
	assert_non_null(strstr(markdown, "<pre>\n50%\n::error::false | &#60;b&#62;@all&#60;/b&#62;"));
}

TEST(test_unexpected__a_run_that_stopped__is_an_error)
{
	auto_free char *github = report_of("github", "", NULL), *markdown = report_of("markdown", "", NULL);

	assert_string_equal(github, "::error title=error of the run::the run stopped before its end\n");
	assert_non_null(strstr(markdown, "## verbatim: 1 error of the run\n"));
}

/* The folder of --output has no complaints of the kernel that belong to no variant. */
TEST(test_unexpected__a_status_without_a_reason__is_an_error)
{
	static const char *const formats[] = {"github", "markdown", "junit", "tap"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		auto_free char *text = report_of(formats[i], SUMMARY, NULL);

		assert_non_null(strstr(text, "the run did not end with status 0, and no scenario says why"));
	}
}
