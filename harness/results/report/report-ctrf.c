/* SPDX-License-Identifier: BSD-2-Clause */
/* Common Test Report Format (ctrf.io), for the job summaries and comments of CI systems. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/read.h"
#include "report/facts.h"
#include "report/report.h"
#include "report/variant.h"

enum status { PASSED, FAILED, SKIPPED, PENDING, OTHER, STATUSES };

static const char *const status_names[STATUSES] = {"passed", "failed", "skipped", "pending", "other"};

/* This format has fewer verdicts; "rawStatus" keeps ours. */
static const enum status status_of[VERDICT_COUNT] = {
	[VERDICT_PASS] = PASSED,
	[VERDICT_FAIL] = FAILED,
	[VERDICT_XFAIL] = OTHER,
	[VERDICT_XPASS] = FAILED,
	[VERDICT_SKIP] = SKIPPED,
	[VERDICT_INVALID] = FAILED,
	[VERDICT_ERROR] = FAILED,
};

struct report_ctrf {
	struct report_variant now;
	struct value *tests;		/* owned */
	struct value *summary;		/* owned; NULL if the run ended without a summary */
	int64_t count[STATUSES];
	int errors;			/* outside all scenarios */
	int64_t start_ms;
};

/* Milliseconds since 1970. SOURCE_DATE_EPOCH makes reports that are equal byte for byte. */
static int64_t now_ms(void)
{
	const char *fixed = getenv("SOURCE_DATE_EPOCH");
	struct timespec ts;

	if (fixed)
		return (int64_t)strtoll(fixed, NULL, 10) * 1000;
	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void on_open(struct report *r)
{
	struct report_ctrf *c = r->priv;

	c->tests = value_list();
	c->start_ms = now_ms();
}

static struct value *add_test(struct report_ctrf *c, const char *name, enum status status, int64_t ms)
{
	struct value *test = value_map();

	value_set_string(test, "name", name);
	value_set_string(test, "status", status_names[status]);
	value_set_int(test, "duration", ms);
	value_append(c->tests, test);
	c->count[status]++;
	return test;
}

/* The position of the first failure; else only the file is known, and of commands not even that. */
static void put_place(struct value *test, const struct report_variant *v)
{
	if (!*report_variant_path(v))
		return;
	value_set_string(test, "filePath", report_variant_path(v));
	if (v->fails.count)
		value_set_int(test, "line", event_integer(v->fails.item[0], "line"));
}

/* This format has no such member, so "extra" has it. */
static void put_left(struct value *test, const struct report_variant *v)
{
	const struct value *left = event_strings(v->end, "left");
	struct value *extra;

	if (!left)
		return;
	extra = value_map();
	value_set(extra, "left", value_dup(left));
	value_set(test, "extra", extra);
}

static void on_variant(struct report_ctrf *c)
{
	const struct report_variant *v = &c->now;
	struct value *test = add_test(c, report_variant_name(v), status_of[v->verdict], report_variant_took_ms(v));
	auto_free char *area = xstrndup(report_variant_name(v), report_variant_area_length(v));
	struct text details auto_text = {0};
	struct value *suite = value_list();

	value_append(suite, value_string(*area ? area : "verbatim"));
	value_set(test, "suite", suite);
	value_set_string(test, "rawStatus", verdict_name(v->verdict));
	put_place(test, v);
	value_set(test, "tags", value_dup(event_strings(v->begin, "clauses")));
	if (*report_variant_reason(v))
		value_set_string(test, "message", report_variant_reason(v));
	put_left(test, v);
	if (!report_variant_is_bad(v))
		return;
	report_variant_details(v, "", 0, &details);
	if (details.len)
		value_set_string(test, "trace", details.s);
}

static void on_trouble(struct report_ctrf *c, const char *text)
{
	auto_free char *name = c->errors ? xasprintf("run %d", c->errors + 1) : xstrdup("run");
	struct value *test = add_test(c, name, FAILED, 0);

	c->errors++;
	value_set_string(test, "rawStatus", verdict_name(VERDICT_ERROR));
	value_set_string(test, "message", text);
}

static void on_event(struct report *r, const struct value *event)
{
	struct report_ctrf *c = r->priv;

	if (event_is(event, "error"))
		on_trouble(c, event_string(event, "text"));
	if (event_is_complaint_of_none(event))
		on_trouble(c, event_string(event, "text"));
	if (event_is(event, "summary")) {
		value_free(c->summary);
		c->summary = value_dup(event);
	}
	if (report_variant_event(&c->now, event))
		on_variant(c);
}

static struct value *summary_of(const struct report_ctrf *c)
{
	struct value *s = value_map();
	int64_t stop = now_ms();
	int i;

	value_set_int(s, "tests", (int64_t)c->tests->list.count);
	for (i = 0; i < STATUSES; i++)
		value_set_int(s, status_names[i], c->count[i]);
	value_set_int(s, "start", c->start_ms);
	value_set_int(s, "stop", stop);
	return s;
}

static struct value *environment_of(const struct report_ctrf *c)
{
	struct value *e = value_map(), *extra = value_map();
	const char *fact;
	size_t i;

	for (i = 0; c->summary && i < REPORT_FACTS - 1; i++) {
		fact = event_string_or(c->summary, report_facts[i], NULL);
		if (fact)
			value_set_string(extra, report_facts[i], fact);
	}
	value_set_string(e, "appName", "rdma");
	value_set(e, "extra", extra);
	return e;
}

static void on_close(struct report *r)
{
	struct report_ctrf *c = r->priv;
	auto_value struct value *all = value_map();
	struct value *tool = value_map(), *results = value_map();
	auto_free char *text = NULL;

	if (!c->summary)
		on_trouble(c, "the run stopped before its end");
	value_set_string(tool, "name", "verbatim");
	value_set_string(tool, "version", PACKAGE_VERSION);
	value_set(results, "tool", tool);
	value_set(results, "summary", summary_of(c));
	value_set(results, "tests", c->tests);
	value_set(results, "environment", environment_of(c));
	value_set_string(all, "reportFormat", "CTRF");
	value_set_string(all, "specVersion", "0.0.0");
	value_set(all, "results", results);
	text = json_write_pretty(all);
	text_addf(&r->text, "%s\n", text);
	value_free(c->summary);
	report_variant_fini(&c->now);
}

const struct report_ops report_ctrf = {
	.name = "ctrf",
	.doc = "CTRF, JSON for the summaries of CI systems; written when the run ends",
	.priv_size = sizeof(struct report_ctrf),
	.open = on_open,
	.event = on_event,
	.close = on_close,
};
