/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "report/variant.h"
#include "event/read.h"
#include "report/report.h"
#include "report/unexpected.h"

struct tap {
	struct report_variant now;
	int64_t total;		/* 0: not known, so the plan comes last */
	int64_t done;
	bool shown;		/* a test point shows that the run failed */
	const char *unexplained;	/* the run failed, and this is why if no test point shows it; or NULL */
	char *error;		/* owned; the first error outside all scenarios */
	bool finished;
};

static const struct {
	bool ok;
	const char *directive;	/* or NULL */
} marks[VERDICT_COUNT] = {
	[VERDICT_PASS] = {true, NULL},	  [VERDICT_FAIL] = {false, NULL},
	[VERDICT_XFAIL] = {false, "TODO"}, [VERDICT_XPASS] = {true, "TODO"},
	[VERDICT_SKIP] = {true, "SKIP"},  [VERDICT_INVALID] = {false, NULL},
	[VERDICT_ERROR] = {false, NULL},
};

/* One line of free text. In a test line, '#' and '\' must be escaped. */
static void add_line_text(struct text *t, const char *s, bool escape)
{
	struct text visible auto_text = {0};
	const char *p;

	text_add_visible(&visible, s);
	for (p = visible.len ? visible.s : ""; *p; p++) {
		if (escape && (*p == '#' || *p == '\\'))
			text_add(t, "\\");
		text_add_bytes(t, *p == '\n' ? " " : p, 1);
	}
}

static void add_comment(struct report *r, const char *label, const char *s)
{
	size_t n;

	do {
		struct text line auto_text = {0};

		n = strcspn(s, "\n");
		text_addf(&line, "%s: %.*s", label, (int)n, s);
		text_add(&r->text, "# ");
		add_line_text(&r->text, line.s, false);
		text_add(&r->text, "\n");
		s += n;
	} while (*s++ == '\n');
}

/* A JSON string is also a YAML string, and "\x85" means the same in both. */
static void add_yaml(struct report *r, int depth, const char *key, const char *s)
{
	auto_value struct value *v = value_string(s);
	auto_free char *quoted = json_write(v);

	text_addf(&r->text, "%*s%s: ", 2 + 2 * depth, "", key);
	text_add_visible(&r->text, quoted);
	text_add(&r->text, "\n");
}

static void add_failure(struct report *r, const struct report_variant *c,
			const struct value *fail)
{
	const char *fragment = event_string_or(fail, "fragment", NULL);
	const char *round = event_string_or(fail, "round", NULL);
	auto_free char *call = xasprintf("%s.%s", event_string(fail, "host"),
					 event_string(fail, "call"));

	add_yaml(r, 0, "step", call);
	add_yaml(r, 0, "field", event_string(fail, "field"));
	add_yaml(r, 0, "wanted", event_string(fail, "expected"));
	add_yaml(r, 0, "found", event_string(fail, "actual"));
	if (!*report_variant_path(c))
		return;
	text_add(&r->text, "  at:\n");
	add_yaml(r, 1, "file", report_variant_path(c));
	text_addf(&r->text, "    line: %" PRId64 "\n    column: %" PRId64 "\n",
		  event_integer(fail, "line"), event_integer(fail, "col"));
	if (fragment)
		add_yaml(r, 1, "fragment", fragment);
	if (round)
		add_yaml(r, 1, "round", round);
}

/* Prints the first failure field by field, and the others as one line each. */
static void add_failures(struct report *r, const struct report_variant *c)
{
	size_t i;

	if (!c->fails.count)
		return;
	add_failure(r, c, c->fails.item[0]);
	if (c->fails.count > 1)
		text_add(&r->text, "  also:\n");
	for (i = 1; i < c->fails.count; i++) {
		struct text line auto_text = {0};
		auto_free char *key = xasprintf("%zu", i + 1);

		report_variant_fail_line(c, c->fails.item[i], &line);
		add_yaml(r, 1, key, line.s);
	}
}

static void add_proofs(struct report *r, const struct report_variant *c)
{
	static const char *const keys[] = {"clauses", "specs"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		struct text line auto_text = {0};

		report_variant_list(c, keys[i], &line);
		if (line.len)
			add_yaml(r, 0, keys[i], line.s);
	}
}

static void add_lasts(struct report *r, const struct events *lasts)
{
	size_t i;

	if (lasts->count)
		text_add(&r->text, "  last:\n");
	for (i = 0; i < lasts->count; i++) {
		struct text line auto_text = {0};

		report_variant_answer_line(lasts->item[i], false, 0, &line);
		add_yaml(r, 1, event_string(lasts->item[i], "host"), line.s);
	}
}

/* Writes no list, because prove(1) reads an item with a colon in it as a map. */
static void add_kernel(struct report *r, const struct events *kernel)
{
	struct text all auto_text = {0};
	size_t i;

	for (i = 0; i < kernel->count; i++)
		text_addf(&all, "%s%s", i ? "\n" : "",
			  event_string(kernel->item[i], "text"));
	if (all.len)
		add_yaml(r, 0, "kernel", all.s);
}

static void add_logs(struct report *r, const struct events *logs)
{
	size_t i;

	if (logs->count)
		text_add(&r->text, "  log:\n");
	for (i = 0; i < logs->count; i++)
		add_yaml(r, 1, event_string(logs->item[i], "host"), event_string(logs->item[i], "text"));
}

static void add_diagnostics(struct report *r, const struct report_variant *c)
{
	struct text left auto_text = {0};

	text_add(&r->text, "  ---\n");
	text_addf(&r->text, "  verdict: %s\n", verdict_name(c->verdict));
	text_addf(&r->text, "  duration_ms: %" PRId64 "\n", report_variant_took_ms(c));
	if (*report_variant_reason(c))
		add_yaml(r, 0, "message", report_variant_reason(c));
	report_variant_left(c, &left);
	if (left.len)
		add_yaml(r, 0, "left", left.s);
	add_proofs(r, c);
	add_failures(r, c);
	if (c->verdict != VERDICT_PASS) {
		add_lasts(r, &c->lasts);
		add_kernel(r, &c->kernel);
		add_logs(r, &c->logs);
	}
	text_add(&r->text, "  ...\n");
}

static void on_case(struct report *r)
{
	struct tap *tap = r->priv;
	const struct report_variant *c = &tap->now;
	enum verdict v = c->verdict;

	tap->shown |= report_variant_is_bad(c);
	text_addf(&r->text, "%s %" PRId64 " - ", marks[v].ok ? "ok" : "not ok", ++tap->done);
	add_line_text(&r->text, report_variant_name(c), true);
	if (marks[v].directive) {
		text_addf(&r->text, " # %s ", marks[v].directive);
		add_line_text(&r->text, report_variant_reason(c), true);
	}
	text_add(&r->text, "\n");
	add_diagnostics(r, c);
}

static void on_begin(struct report *r, const struct value *event)
{
	struct tap *tap = r->priv;

	tap->total = event_integer(event, "total");
	if (tap->total)
		text_addf(&r->text, "1..%" PRId64 "\n", tap->total);
}

static void keep_error(struct report *r, const char *label, const char *what)
{
	struct tap *tap = r->priv;

	add_comment(r, label, what);
	if (!tap->error)
		tap->error = xstrndup(what, strcspn(what, "\n"));
}

static void on_error(struct report *r, const struct value *event)
{
	keep_error(r, "error", event_string(event, "text"));
}

/* A kernel message outside all scenarios. No test point will show it. */
static void on_kernel(struct report *r, const struct value *event)
{
	const char *text = event_string(event, "text");

	if (event_name(event) || !event_flag(event, "bad"))
		return;
	if (event_has(event, "known"))
		add_comment(r, "kernel", text);
	else
		keep_error(r, "kernel", text);
}

/* Writes "Bail out!" if the run stopped before the end of its plan, or if no test point shows its failure. */
static void end_tap(struct report *r)
{
	struct tap *tap = r->priv;

	if (tap->finished)
		return;
	tap->finished = true;
	if (!tap->total)
		text_addf(&r->text, "1..%" PRId64 "\n", tap->done);
	if (tap->done < tap->total || (tap->done == 0 && tap->error) ||
	    (tap->unexplained && !tap->shown)) {
		text_add(&r->text, "Bail out! ");
		add_line_text(&r->text, tap->error ? tap->error :
			      tap->done < tap->total ? "the run stopped before its end" :
			      tap->unexplained ? tap->unexplained : "nothing was shown", false);
		text_add(&r->text, "\n");
	}
}

static void on_summary(struct report *r, const struct value *event)
{
	const char *fact;
	struct tap *tap = r->priv;
	size_t i;

	for (i = 0; i < REPORT_FACTS; i++) {
		fact = event_string_or(event, report_facts[i], NULL);
		if (fact)
			add_comment(r, report_facts[i], fact);
	}
	if (event_integer(event, "exit"))
		tap->unexplained = unexpected_unexplained(event);
	end_tap(r);
}

static void on_open(struct report *r)
{
	text_add(&r->text, "TAP version 13\n");
}

static const struct {
	const char *kind;
	void (*fn)(struct report *r, const struct value *event);
} handlers[] = {
	{"begin", on_begin}, {"error", on_error}, {"kernel", on_kernel}, {"summary", on_summary},
};

static void on_event(struct report *r, const struct value *event)
{
	struct tap *tap = r->priv;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(handlers); i++)
		if (event_is(event, handlers[i].kind))
			handlers[i].fn(r, event);
	if (report_variant_event(&tap->now, event))
		on_case(r);
}

static void on_close(struct report *r)
{
	struct tap *tap = r->priv;

	end_tap(r);
	report_variant_fini(&tap->now);
	free(tap->error);
}

const struct report_ops report_tap = {
	.name = "tap",
	.doc = "Test Anything Protocol, version 14, with YAML diagnostics",
	.priv_size = sizeof(struct tap),
	.open = on_open,
	.event = on_event,
	.close = on_close,
};
