/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * KTAP version 1 (the kernel's Documentation/dev-tools/ktap.rst): one test for each area, with the
 * variants nested in it. A plan stands before its results, so the text is kept until the end.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "event/read.h"
#include "report/report.h"
#include "report/variant.h"

struct report_ktap_area {
	char *name;		/* owned; "" for what belongs to no area */
	struct text lines;	/* results, indented */
	size_t count;
	bool failed, passed;	/* whether any variant did */
};

struct report_ktap {
	struct report_variant now;
	struct report_ktap_area *area;	/* owned */
	size_t areas;
	bool ended;
};

/* How each verdict is written. The kernel's tools know these directives. */
static const struct {
	bool ok;
	const char *directive;	/* or NULL */
} marks[VERDICT_COUNT] = {
	[VERDICT_PASS] = {true, NULL},
	[VERDICT_FAIL] = {false, NULL},
	[VERDICT_XFAIL] = {true, "XFAIL"},
	[VERDICT_XPASS] = {false, NULL},
	[VERDICT_SKIP] = {true, "SKIP"},
	[VERDICT_INVALID] = {false, "ERROR"},
	[VERDICT_ERROR] = {false, "ERROR"},
};

static struct report_ktap_area *find_area(struct report_ktap *k, const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < k->areas; i++)
		if (strlen(k->area[i].name) == len && !memcmp(k->area[i].name, name, len))
			return &k->area[i];
	GROW(k->area, k->areas);
	k->area[k->areas] = (struct report_ktap_area){.name = xstrndup(name, len)};
	return &k->area[k->areas++];
}

/* A name or reason on one line. "#" would begin a directive. */
static void add_words(struct text *t, const char *s)
{
	struct text line auto_text = {0};
	char *p;

	text_add_visible_line(&line, s);
	for (p = line.s; p && *p; p++)
		if (*p == '#')
			*p = '_';
	text_add(t, line.len ? line.s : "");
}

static void add_result(struct report_ktap_area *a, const char *name, enum verdict verdict, const char *reason)
{
	struct text *t = &a->lines;

	text_addf(t, "  %s %zu ", marks[verdict].ok ? "ok" : "not ok", ++a->count);
	add_words(t, name);
	if (marks[verdict].directive) {
		text_addf(t, " # %s ", marks[verdict].directive);
		add_words(t, reason);
	}
	text_add(t, "\n");
	a->failed |= !marks[verdict].ok;
	a->passed |= marks[verdict].ok && verdict != VERDICT_SKIP;
}

/* A diagnostic line about what a variant that is as expected left behind. */
static void add_left(const struct report_variant *c, struct text *out)
{
	struct text left auto_text = {0};

	report_variant_left(c, &left);
	if (!left.len)
		return;
	text_add(out, "  # left behind: ");
	text_add_visible_line(out, left.s);
	text_add(out, "\n");
}

static void on_variant(struct report_ktap *k)
{
	const struct report_variant *c = &k->now;
	size_t len = report_variant_area_length(c);
	struct report_ktap_area *a = find_area(k, report_variant_name(c), len);
	struct text details auto_text = {0};

	if (report_variant_is_bad(c))
		report_variant_details(c, "  # ", 0, &details);
	else
		add_left(c, &details);
	if (details.len)
		text_add(&a->lines, details.s);
	add_result(a, report_variant_name(c) + (len ? len + 1 : 0), c->verdict, report_variant_reason(c));
}

/* Something outside all variants is a failed test of its own. */
static void on_trouble(struct report_ktap *k, const char *text)
{
	add_result(find_area(k, "", 0), "run", VERDICT_ERROR, text);
}

static void on_event(struct report *r, const struct value *event)
{
	struct report_ktap *k = r->priv;

	if (event_is(event, "error"))
		on_trouble(k, event_string(event, "text"));
	if (event_is_complaint_of_none(event))
		on_trouble(k, event_string(event, "text"));
	k->ended |= event_is(event, "summary");
	if (report_variant_event(&k->now, event))
		on_variant(k);
}

static void write_area(struct report *r, const struct report_ktap_area *a, size_t number)
{
	const char *name = *a->name ? a->name : "verbatim";

	text_addf(&r->text, "  KTAP version 1\n  # Subtest: %s\n  1..%zu\n", name, a->count);
	text_add(&r->text, a->lines.s);
	text_addf(&r->text, "%s %zu %s%s\n", a->failed ? "not ok" : "ok", number, name,
		  a->failed || a->passed ? "" : " # SKIP every variant was skipped");
}

static void on_close(struct report *r)
{
	struct report_ktap *k = r->priv;
	size_t i;

	if (!k->ended)
		on_trouble(k, "the run stopped before its end");
	text_addf(&r->text, "KTAP version 1\n1..%zu\n", k->areas);
	for (i = 0; i < k->areas; i++) {
		write_area(r, &k->area[i], i + 1);
		free(k->area[i].name);
		text_fini(&k->area[i].lines);
	}
	free(k->area);
	report_variant_fini(&k->now);
}

const struct report_ops report_ktap = {
	.name = "ktap",
	.doc = "KTAP for the kernel's tools; written when the run ends",
	.priv_size = sizeof(struct report_ktap),
	.event = on_event,
	.close = on_close,
};
