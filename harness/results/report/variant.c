/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/variant.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/read.h"
#include "names/device-types.h"

/* Only the last lines of an agent's log; they explain a failure. */
#define LOG_LINES 12

static void events_add(struct events *e, const struct value *event)
{
	GROW(e->item, e->count);
	e->item[e->count++] = value_dup(event);
}

static void events_fini(struct events *e)
{
	size_t i;

	for (i = 0; i < e->count; i++)
		value_free(e->item[i]);
	free(e->item);
	*e = (struct events){0};
}

void report_variant_fini(struct report_variant *c)
{
	value_free(c->begin);
	value_free(c->end);
	events_fini(&c->fails);
	events_fini(&c->lasts);
	events_fini(&c->logs);
	events_fini(&c->kernel);
	ladder_fini(&c->ladder);
	*c = (struct report_variant){0};
}

static bool is_of(const struct report_variant *c, const struct value *event)
{
	return c->begin && event_variant(event) == event_variant(c->begin);
}

bool report_variant_event(struct report_variant *c, const struct value *event)
{
	if (c->end)
		report_variant_fini(c);
	if (event_is(event, "scenario")) {
		report_variant_fini(c);
		c->begin = value_dup(event);
	}
	if (!is_of(c, event))
		return false;
	if (event_is(event, "fail"))
		events_add(&c->fails, event);
	if (event_is(event, "last"))
		events_add(&c->lasts, event);
	if (event_is(event, "log"))
		events_add(&c->logs, event);
	if (event_is(event, "kernel"))
		events_add(&c->kernel, event);
	ladder_event(&c->ladder, event);
	if (!event_is(event, "verdict"))
		return false;
	c->end = value_dup(event);
	c->verdict = event_verdict(event);
	return true;
}

const char *report_variant_name(const struct report_variant *c)
{
	return event_name(c->begin);
}

const char *report_variant_path(const struct report_variant *c)
{
	return event_string(c->begin, "path");
}

const char *report_variant_reason(const struct report_variant *c)
{
	return event_string_or(c->end, "reason", "");
}

int64_t report_variant_took_ms(const struct report_variant *c)
{
	return event_integer(c->end, "took_ms");
}

bool report_variant_is_bad(const struct report_variant *c)
{
	return !verdict_is_expected(c->verdict);
}

size_t report_variant_area_length(const struct report_variant *c)
{
	const char *name = report_variant_name(c);
	size_t n = strcspn(name, "/[");

	return name[n] == '/' ? n : 0;
}

void report_variant_fail_line(const struct report_variant *c, const struct value *fail, struct text *out)
{
	event_add_fail(out, fail, report_variant_path(c));
}

void report_variant_answer_line(const struct value *step, bool with_host, size_t width,
				struct text *out)
{
	const struct value *result = event_any(step, "result");
	const char *words = event_string_or(step, "text", NULL);
	auto_free char *shown = NULL;

	text_addf(out, "line %" PRId64, event_integer(step, "line"));
	event_add_origin(out, step);
	if (result->type == VALUE_NULL)
		words = "no answer";
	else if (!words)
		words = shown = value_show(result);
	text_addf(out, ": %s%s%s: ", with_host ? event_string(step, "host") : "",
		  with_host ? "." : "", event_string(step, "call"));
	report_cut(out, words, width);
}

static void add_joined(struct text *out, const struct value *list)
{
	size_t i;

	for (i = 0; list && i < list->list.count; i++)
		text_addf(out, "%s%s", i ? "; " : "", list->list.item[i]->s);
}

void report_variant_list(const struct report_variant *c, const char *key, struct text *out)
{
	add_joined(out, event_strings(c->begin, key));
}

void report_variant_left(const struct report_variant *c, struct text *out)
{
	add_joined(out, event_strings(c->end, "left"));
}

/* The start of the last LOG_LINES lines of @text. */
static const char *tail(const char *text)
{
	const char *p = text + strlen(text);
	int lines = 0;

	while (p > text) {
		if (p[-1] == '\n' && p[0] && ++lines == LOG_LINES)
			break;
		p--;
	}
	return p;
}

static void add_lines(struct text *out, const char *prefix, const char *label, const char *text)
{
	size_t n;

	while (*text) {
		n = strcspn(text, "\n");
		text_addf(out, "%s%s%.*s\n", prefix, label, (int)n, text);
		text += n + (text[n] == '\n');
	}
}

static void add_reason(const struct report_variant *c, const char *prefix, struct text *out)
{
	const char *reason = report_variant_reason(c);
	struct text line auto_text = {0};
	size_t i;

	for (i = 0; i < c->fails.count; i++) {
		text_clear(&line);
		report_variant_fail_line(c, c->fails.item[i], &line);
		if (!strcmp(line.s, reason))
			reason = "";
		text_addf(out, "%s%s\n", prefix, line.s);
	}
	add_lines(out, prefix, "", reason);
}

static void add_lasts(const struct report_variant *c, const char *prefix, size_t width,
		      struct text *out)
{
	struct text line auto_text = {0};
	size_t i;

	for (i = 0; i < c->lasts.count; i++) {
		text_clear(&line);
		text_addf(&line, "%slast on %s: ", prefix,
			  event_string(c->lasts.item[i], "host"));
		report_variant_answer_line(c->lasts.item[i], false, width, &line);
		text_addf(out, "%s\n", line.s);
	}
}

static void add_details(const struct report_variant *c, const char *prefix, size_t width,
			struct text *out)
{
	struct text line auto_text = {0};
	const struct value *event;
	size_t i;

	add_reason(c, prefix, out);
	report_variant_left(c, &line);
	if (line.len)
		text_addf(out, "%sleft behind: %s\n", prefix, line.s);
	add_lasts(c, prefix, width, out);
	ladder_add(&c->ladder, prefix, out);
	for (i = 0; i < c->kernel.count; i++)
		add_lines(out, prefix, "kernel: ",
			  event_string(c->kernel.item[i], "text"));
	for (i = 0; i < c->logs.count; i++) {
		event = c->logs.item[i];
		text_clear(&line);
		text_addf(&line, "log of %s: ", event_string(event, "host"));
		add_lines(out, prefix, line.s, tail(event_string(event, "text")));
	}
}

void report_variant_details(const struct report_variant *c, const char *prefix, size_t width,
			    struct text *out)
{
	struct text raw auto_text = {0};

	add_details(c, prefix, width, &raw);
	if (raw.len)
		text_add_visible(out, raw.s);
}

const char *const report_facts[REPORT_FACTS] = {
	"kernel", "layout", "lane", "accelerator", "rdma_core", "target", "device", "librdmacm",
};

void report_add_place(struct text *out, const struct value *summary, bool accelerator)
{
	const char *usual = device_type_default()->name, *device = event_string_or(summary, "device", usual);

	text_addf(out, "kernel %s, %s layout, %s lane", event_string(summary, "kernel"), event_string_or(summary, "layout", "no"),
		  event_string(summary, "lane"));
	if (accelerator)
		text_addf(out, " (%s)", event_string(summary, "accelerator"));
	text_addf(out, ", rdma-core %s, target %s", event_string(summary, "rdma_core"), event_string(summary, "target"));
	if (strcmp(device, usual))
		text_addf(out, ", device %s", device);
}

void report_add_counts(struct text *out, const struct value *summary, const char *const *color)
{
	static const char *const counted[VERDICT_COUNT] = {
		[VERDICT_PASS] = "passed",	[VERDICT_FAIL] = "failed",
		[VERDICT_XFAIL] = "failed as expected", [VERDICT_XPASS] = "passed unexpectedly",
		[VERDICT_SKIP] = "skipped",	[VERDICT_INVALID] = "invalid",
		[VERDICT_ERROR] = "in error",
	};
	const struct value *counts = event_map(summary, "counts");
	const char *separator = "";
	enum verdict v;
	int64_t n;

	for (v = 0; v < VERDICT_COUNT; v++) {
		n = value_get_int(counts, verdict_name(v), 0);
		if (n == 0)
			continue;
		text_addf(out, "%s%s%" PRId64 " %s%s", separator, color ? color[v] : "", n, counted[v], color ? "\033[0m" : "");
		separator = ", ";
	}
	if (!*separator)
		text_add(out, "no scenario ran");
}

char *report_trouble(const struct value *event)
{
	if (event_is(event, "error"))
		return xstrdup(event_string(event, "text"));
	return event_is_complaint_of_none(event) ? xasprintf("the kernel complained: %s", event_string(event, "text")) : NULL;
}
