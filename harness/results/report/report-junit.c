/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "report/variant.h"
#include "event/read.h"
#include "report/report.h"
#include "report/unexpected.h"

/*
 * One test suite for each area. In the file the counts come before the cases, so
 * the text of the cases is kept until the end.
 */
enum count { TESTS, FAILURES, ERRORS, SKIPPED, COUNTS };

static const char *const count_names[COUNTS] = {"tests", "failures", "errors", "skipped"};

struct report_junit_suite {
	char *area;		/* owned */
	struct text cases;	/* XML */
	int64_t count[COUNTS];
	int64_t ms;
};

/*
 * GitLab reads no report of 30 MB or more. So the output of one variant is cut, and when
 * the report is nearly full, output is left out.
 */
#define OUTPUT_MAX (64 << 10)
#define REPORT_MAX (26 << 20)
#define MESSAGE_MAX 4096

struct junit {
	struct report_variant now;
	size_t size;		/* of all cases so far */
	int errors;		/* outside all scenarios */
	struct report_junit_suite *suite;	/* owned */
	size_t suites;
	struct value *summary;	/* owned; NULL if the run ended without a summary */
};

/* This format has fewer verdicts: how each of ours is written. */
static const struct {
	enum count count;	/* TESTS: counted only as a test */
	const char *element;	/* or NULL */
} marks[VERDICT_COUNT] = {
	[VERDICT_PASS] = {TESTS, NULL},
	[VERDICT_FAIL] = {FAILURES, "failure"},
	[VERDICT_XFAIL] = {SKIPPED, "skipped"},
	[VERDICT_XPASS] = {FAILURES, "failure"},
	[VERDICT_SKIP] = {SKIPPED, "skipped"},
	[VERDICT_INVALID] = {ERRORS, "error"},
	[VERDICT_ERROR] = {ERRORS, "error"},
};

/* In an attribute, a line end must be written as a reference. */
static void add_xml(struct text *t, const char *s, bool attribute)
{
	struct text visible auto_text = {0};

	text_add_visible(&visible, s);
	text_add_xml(t, visible.len ? visible.s : "", attribute ? "&<>\"\n\t" : "&<>\"");
}

static void add_attribute(struct text *t, const char *name, const char *s)
{
	text_addf(t, " %s=\"", name);
	add_xml(t, s, true);
	text_add(t, "\"");
}

static void add_message(struct text *t, const char *s)
{
	auto_free char *begin = xstrndup(s, MESSAGE_MAX);
	size_t end = strlen(begin);

	/* Not in the middle of a character. */
	while (s[end] && (s[end] & 0xc0) == 0x80)
		end--;
	begin[end] = '\0';
	add_attribute(t, "message", begin);
}

static void add_seconds(struct text *t, int64_t ms)
{
	text_addf(t, " time=\"%" PRId64 ".%03" PRId64 "\"", ms / 1000, ms % 1000);
}

static void add_property(struct text *t, const char *indent, const char *name, const char *s)
{
	text_addf(t, "%s<property", indent);
	add_attribute(t, "name", name);
	add_attribute(t, "value", s);
	text_add(t, "/>\n");
}

static struct report_junit_suite *find_suite(struct junit *j, const char *area, size_t len)
{
	size_t i;

	for (i = 0; i < j->suites; i++)
		if (strlen(j->suite[i].area) == len && !memcmp(j->suite[i].area, area, len))
			return &j->suite[i];
	GROW(j->suite, j->suites);
	j->suite[j->suites] = (struct report_junit_suite){.area = xstrndup(area, len)};
	return &j->suite[j->suites++];
}

/* Writes what the variant left behind, and the clauses and citations that it proves, as properties. */
static void add_case_properties(struct text *t, const struct report_variant *c)
{
	static const char *const keys[][2] = {{"clauses", "clause"}, {"specs", "spec"}};
	struct text all auto_text = {0}, left auto_text = {0};
	const struct value *list;
	size_t i, k;

	report_variant_left(c, &left);
	if (left.len)
		add_property(&all, "        ", "left", left.s);
	for (k = 0; k < ARRAY_SIZE(keys); k++) {
		list = event_strings(c->begin, keys[k][0]);
		for (i = 0; list && i < list->list.count; i++)
			add_property(&all, "        ", keys[k][1], list->list.item[i]->s);
	}
	if (all.len)
		text_addf(t, "      <properties>\n%s      </properties>\n", all.s);
}

/* Adds @s, or its two ends if it is too long, or only a note if there is no room. */
static void add_long(struct text *t, const char *s, bool room)
{
	size_t len = strlen(s), half = OUTPUT_MAX / 2, end = half;
	auto_free char *begin = NULL;

	if (!room) {
		text_addf(t, "(%zu bytes are left out, because the report would be too large; --output has them)", len);
		return;
	}
	if (len <= OUTPUT_MAX) {
		add_xml(t, s, false);
		return;
	}
	/* Not in the middle of a character. */
	while ((s[half] & 0xc0) == 0x80)
		half--;
	while ((s[len - end] & 0xc0) == 0x80)
		end--;
	begin = xstrndup(s, half);
	add_xml(t, begin, false);
	text_addf(t, "\n(%zu bytes are left out here; --output has them)\n", len - half - end);
	add_xml(t, s + len - end, false);
}

static void add_outcome(struct text *t, const struct report_variant *c, bool room)
{
	const char *element = marks[c->verdict].element;
	struct text line auto_text = {0}, details auto_text = {0};
	const char *message = report_variant_reason(c);

	if (!element)
		return;
	if (c->verdict == VERDICT_FAIL && c->fails.count) {
		report_variant_fail_line(c, c->fails.item[0], &line);
		message = line.s;
	}
	text_addf(t, "      <%s", element);
	add_message(t, message);
	if (strcmp(element, "skipped") == 0) {
		text_add(t, "/>\n");
		return;
	}
	add_attribute(t, "type", verdict_name(c->verdict));
	text_add(t, ">");
	report_variant_details(c, "", 0, &details);
	add_long(t, details.len ? details.s : "", room);
	text_addf(t, "</%s>\n", element);
}

static void add_output(struct text *t, const struct report_variant *c, bool room)
{
	struct text all auto_text = {0};
	size_t i;

	for (i = 0; i < c->kernel.count; i++)
		text_addf(&all, "kernel: %s\n",
			  event_string(c->kernel.item[i], "text"));
	for (i = 0; i < c->logs.count; i++)
		text_addf(&all, "log of %s:\n%s\n",
			  event_string(c->logs.item[i], "host"),
			  event_string(c->logs.item[i], "text"));
	if (!all.len)
		return;
	text_add(t, "      <system-out>");
	add_long(t, all.s, room);
	text_add(t, "</system-out>\n");
}

static void on_case(struct junit *j)
{
	const struct report_variant *c = &j->now;
	size_t area = report_variant_area_length(c);
	struct report_junit_suite *suite = find_suite(j, report_variant_name(c), area);
	struct text *t = &suite->cases;
	auto_free char *class = xasprintf("verbatim.%s", suite->area);
	size_t before = t->len;

	suite->count[TESTS]++;
	if (marks[c->verdict].count != TESTS)
		suite->count[marks[c->verdict].count]++;
	suite->ms += report_variant_took_ms(c);
	text_add(t, "    <testcase");
	add_attribute(t, "classname", area ? class : "verbatim");
	add_attribute(t, "name", report_variant_name(c) + (area ? area + 1 : 0));
	if (*report_variant_path(c))
		add_attribute(t, "file", report_variant_path(c));
	if (*report_variant_path(c) && c->fails.count)
		text_addf(t, " line=\"%" PRId64 "\"", event_integer(c->fails.item[0], "line"));
	add_seconds(t, report_variant_took_ms(c));
	text_add(t, ">\n");
	add_case_properties(t, c);
	add_outcome(t, c, j->size < REPORT_MAX);
	add_output(t, c, j->size < REPORT_MAX);
	text_add(t, "    </testcase>\n");
	j->size += t->len - before;
}

/* Adds an error outside all scenarios, so that nobody overlooks it. */
static void on_error(struct junit *j, const char *message)
{
	struct report_junit_suite *suite = find_suite(j, "", 0);
	struct text *t = &suite->cases;

	suite->count[TESTS]++;
	suite->count[ERRORS]++;
	text_add(t, "    <testcase classname=\"verbatim\" name=\"run");
	/* GitLab shows one of several that have the same name. */
	if (j->errors++)
		text_addf(t, " %d", j->errors);
	text_add(t, "\" time=\"0.000\">\n      <error type=\"ERROR\"");
	add_message(t, message);
	text_add(t, "/>\n    </testcase>\n");
}

static void add_properties(struct text *t, const struct value *summary)
{
	const char *fact;
	size_t i;

	text_add(t, "    <properties>\n");
	for (i = 0; summary && i < REPORT_FACTS; i++) {
		fact = event_string_or(summary, report_facts[i], NULL);
		if (fact)
			add_property(t, "      ", report_facts[i], fact);
	}
	text_add(t, "    </properties>\n");
}

static void add_counts(struct text *t, const struct report_junit_suite *s)
{
	int i;

	for (i = 0; i < COUNTS; i++)
		text_addf(t, " %s=\"%" PRId64 "\"", count_names[i], s->count[i]);
	add_seconds(t, s->ms);
	text_add(t, ">\n");
}

static bool shows_failure(const struct junit *j)
{
	size_t i;

	for (i = 0; i < j->suites; i++)
		if (j->suite[i].count[FAILURES] || j->suite[i].count[ERRORS])
			return true;
	return false;
}

static void write_all(struct report *r)
{
	struct junit *j = r->priv;
	struct report_junit_suite all = {0};
	size_t i;
	int k;

	if (!j->summary)
		on_error(j, "the run stopped before its end");
	else if (event_integer(j->summary, "exit") && !shows_failure(j))
		on_error(j, unexpected_unexplained(j->summary));
	for (i = 0; i < j->suites; i++) {
		for (k = 0; k < COUNTS; k++)
			all.count[k] += j->suite[i].count[k];
		all.ms += j->suite[i].ms;
	}
	if (j->summary)
		all.ms = event_integer(j->summary, "took_ms");
	text_add(&r->text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			   "<testsuites name=\"verbatim\"");
	add_counts(&r->text, &all);
	for (i = 0; i < j->suites; i++) {
		text_add(&r->text, "  <testsuite");
		add_attribute(&r->text, "name",
			      *j->suite[i].area ? j->suite[i].area : "verbatim");
		add_counts(&r->text, &j->suite[i]);
		add_properties(&r->text, j->summary);
		text_add(&r->text, j->suite[i].cases.s);
		text_add(&r->text, "  </testsuite>\n");
	}
	text_add(&r->text, "</testsuites>\n");
}

static void on_event(struct report *r, const struct value *event)
{
	auto_free char *trouble = report_trouble(event);
	struct junit *j = r->priv;

	if (trouble)
		on_error(j, trouble);
	if (event_is(event, "summary")) {
		value_free(j->summary);
		j->summary = value_dup(event);
	}
	if (report_variant_event(&j->now, event))
		on_case(j);
}

static void on_close(struct report *r)
{
	struct junit *j = r->priv;
	size_t i;

	write_all(r);
	for (i = 0; i < j->suites; i++) {
		free(j->suite[i].area);
		text_fini(&j->suite[i].cases);
	}
	free(j->suite);
	value_free(j->summary);
	report_variant_fini(&j->now);
}

const struct report_ops report_junit = {
	.name = "junit",
	.doc = "JUnit XML for CI systems; written when the run ends",
	.priv_size = sizeof(struct junit),
	.event = on_event,
	.close = on_close,
};
