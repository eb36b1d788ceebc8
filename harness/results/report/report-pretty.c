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
#include "runs/shard.h"

#define NAME_WIDTH 56
#define STATUS_WIDTH 78	/* of the status line, which must not wrap */
#define LAST_WIDTH 100	/* of an answer; other formats print all of it */

struct pretty {
	struct report_variant now;
	int64_t total, done;
	bool status;		/* the terminal shows a status line */
	char **bad;		/* owned; "FAIL  name" of each variant that is not as expected */
	size_t bad_count;
	size_t left;		/* variants that left something behind */
	struct value *expected;	/* owned; by finding: how many variants failed as it says */
};

static const char *const colors[VERDICT_COUNT] = {
	[VERDICT_PASS] = "\033[32m",	[VERDICT_FAIL] = "\033[31m",
	[VERDICT_XFAIL] = "\033[33m",	[VERDICT_XPASS] = "\033[31m",
	[VERDICT_SKIP] = "\033[33m",	[VERDICT_INVALID] = "\033[35m",
	[VERDICT_ERROR] = "\033[31m",
};

static void color(struct report *r, const char *code)
{
	if (r->opts.color)
		text_add(&r->text, code);
}

static void status_clear(struct report *r)
{
	struct pretty *p = r->priv;

	if (p->status)
		text_add(&r->text, "\r\033[K");
	p->status = false;
}

static void status_show(struct report *r, const char *what)
{
	struct pretty *p = r->priv;
	auto_free char *line = NULL;
	struct text visible auto_text = {0};

	if (!r->opts.live)
		return;
	status_clear(r);
	line = p->total ? xasprintf("[%" PRId64 "/%" PRId64 "] %s", p->done, p->total, what) :
			  xstrdup(what);
	line[strcspn(line, "\n")] = '\0';
	text_add_visible(&visible, line);
	if (visible.len > STATUS_WIDTH) {
		/* Cut between two characters, not inside one. */
		visible.len = STATUS_WIDTH;
		while ((visible.s[visible.len] & 0xc0) == 0x80)
			visible.len--;
		visible.s[visible.len] = '\0';
	}
	text_add(&r->text, visible.len ? visible.s : "");
	p->status = true;
}

static void add_time(struct text *t, int64_t ms)
{
	if (ms < 10000)
		text_addf(t, "%6" PRId64 " ms", ms);
	else
		text_addf(t, "%5" PRId64 ".%" PRId64 " s", ms / 1000, ms / 100 % 10);
}

/* The line below a verdict that has no other details. */
static void add_note(struct report *r, const char *label, const char *text)
{
	if (!*text)
		return;
	text_addf(&r->text, "        %s", label);
	text_add_visible(&r->text, text);
	text_add(&r->text, "\n");
}

static void on_case(struct report *r)
{
	struct pretty *p = r->priv;
	const struct report_variant *c = &p->now;
	const char *name = verdict_name(c->verdict);
	struct text line auto_text = {0}, left auto_text = {0};

	text_addf(&line, "%-*s ", NAME_WIDTH, report_variant_name(c));
	status_clear(r);
	color(r, colors[c->verdict]);
	text_addf(&r->text, "%-7s", name);
	color(r, "\033[0m");
	text_add(&r->text, " ");
	text_add_visible(&r->text, line.s);
	add_time(&r->text, report_variant_took_ms(c));
	text_add(&r->text, "\n");
	report_variant_left(c, &left);
	if (report_variant_is_bad(c) || r->opts.verbose) {
		report_variant_details(c, "        ", r->opts.verbose ? 0 : LAST_WIDTH, &r->text);
	} else {
		add_note(r, "", report_variant_reason(c));
		add_note(r, "left behind: ", left.len ? left.s : "");
	}
	p->left += left.len > 0;
	p->done++;
	if (report_variant_is_bad(c)) {
		GROW(p->bad, p->bad_count);
		p->bad[p->bad_count++] = xasprintf("%-7s %s", name, report_variant_name(c));
	}
}

/* The name of a target does not say which file is used, so this line does. */
static void add_library(struct report *r, const struct value *event)
{
	const char *file = event_string_or(event, "librdmacm", NULL);
	struct text line auto_text = {0};

	if (!file)
		return;
	text_addf(&line, "librdmacm: %s (rdma-core %s)\n", file,
		  event_string(event, "rdma_core"));
	text_add_visible(&r->text, line.s);
}

static void on_begin(struct report *r, const struct value *event)
{
	struct pretty *p = r->priv;

	struct shard shard;

	status_clear(r);
	p->total = event_integer(event, "total");
	text_addf(&r->text, "verbatim: %" PRId64 " scenario%s", p->total, p->total == 1 ? "" : "s");
	if (shard_of_event(&shard, event))
		text_addf(&r->text, " (shard %d of %d)", shard.number, shard.of);
	text_addf(&r->text, " against the target %s\n", event_string(event, "target"));
	add_library(r, event);
}

/* A run that was killed had changed the machine. */
static void add_put_back(struct report *r, const struct value *event)
{
	const struct value *lines = event_has(event, "put_back") ? event_strings(event, "put_back") : NULL;
	size_t i;

	if (!lines)
		return;
	text_addf(&r->text, "machine %s: restored after a killed run\n", event_string(event, "host"));
	for (i = 0; i < lines->list.count; i++) {
		text_add(&r->text, "        ");
		text_add_visible(&r->text, lines->list.item[i]->s);
		text_add(&r->text, "\n");
	}
}

static void on_configures(struct report *r, const struct value *event)
{
	status_clear(r);
	text_addf(&r->text, "machine %s: ", event_string(event, "host"));
	text_add_visible(&r->text, event_string(event, "text"));
	text_add(&r->text, ", until the run ends\n");
}

/* With --hosts, the last line about this machine says nothing of those that ran the scenarios. */
static void on_machine(struct report *r, const struct value *event)
{
	struct text line auto_text = {0};
	const char *firmware = event_string(event, "firmware");

	status_clear(r);
	text_addf(&line, "machine %s: %s, ", event_string(event, "host"), event_string(event, "nodename"));
	if (*event_string(event, "dev"))
		text_addf(&line, "%s (%s%s%s)", event_string(event, "dev"), event_string(event, "driver"), *firmware ? " " : "",
			  firmware);
	else
		text_addf(&line, "no RDMA device");
	text_addf(&line, " on %s, MTU %" PRId64 ", %s and %s, kernel %s, rdma-core %s", event_string(event, "netdev"),
		  event_integer(event, "mtu"), event_string(event, "ip4"), event_string(event, "ip6"),
		  event_string(event, "kernel"), event_string(event, "rdma_core"));
	text_add_visible(&r->text, line.s);
	text_add(&r->text, "\n");
	add_put_back(r, event);
}

static void on_progress(struct report *r, const struct value *event)
{
	status_show(r, event_string(event, "text"));
}

static void on_scenario(struct report *r, const struct value *event)
{
	status_show(r, event_name(event));
}

static void on_step(struct report *r, const struct value *event)
{
	struct text line auto_text = {0};
	int64_t tries = event_integer_or(event, "tries", 1);

	if (!r->opts.verbose)
		return;
	status_clear(r);
	text_add(&line, "        ");
	report_variant_answer_line(event, true, 0, &line);
	if (tries > 1)
		text_addf(&line, "  (asked %" PRId64 " times)", tries);
	text_addf(&line, "%s\n", event_flag(event, "ok") ? "" : "  (not as expected)");
	text_add_visible(&r->text, line.s);
}

/* A kernel message outside all scenarios. No verdict will show it. */
static void on_kernel(struct report *r, const struct value *event)
{
	if (event_name(event))
		return;
	if (!event_flag(event, "bad") && !r->opts.verbose)
		return;
	status_clear(r);
	text_add(&r->text, "kernel: ");
	text_add_visible(&r->text, event_string(event, "text"));
	text_add(&r->text, "\n");
}

/* The last messages of a kernel follow the first line. */
static void on_error(struct report *r, const struct value *event)
{
	const char *text = event_string(event, "text");
	struct text line auto_text = {0};
	size_t n = strcspn(text, "\n");

	status_clear(r);
	color(r, colors[VERDICT_ERROR]);
	text_add(&r->text, "error:");
	color(r, "\033[0m");
	text_addf(&line, " %.*s\n", (int)n, text);
	for (text += n; *text == '\n'; text += n) {
		n = strcspn(++text, "\n");
		text_addf(&line, "        %.*s\n", (int)n, text);
	}
	text_add_visible(&r->text, line.s);
}

static void add_counts(struct report *r, const struct value *event)
{
	int64_t ms = event_integer(event, "took_ms"), n;

	report_add_counts(&r->text, event, r->opts.color ? colors : NULL);
	text_addf(&r->text, "; %" PRId64 ".%" PRId64 " s\n", ms / 1000, ms / 100 % 10);
	n = value_get_int(event_map(event, "counts"), verdict_name(VERDICT_SKIP), 0);
	if (n && n == event_integer(event, "total"))
		text_add(&r->text, "nothing was shown, because every scenario was skipped\n");
}

static void add_environment(struct report *r, const struct value *event)
{
	struct text line auto_text = {0};

	report_add_place(&line, event, true);
	text_add(&line, "\n");
	text_add_visible(&r->text, line.s);
}

/* If there are more findings than this, only --verbose names them. */
#define EXPECTED_NAMED 8

/* "failed as expected by 2 findings: librxe-unbind (1), flags-unknown (3)". */
static void add_expected(struct report *r)
{
	const struct pretty *p = r->priv;
	size_t i, n = p->expected ? p->expected->map.count : 0;
	bool named = n <= EXPECTED_NAMED || r->opts.verbose;
	struct text line auto_text = {0};

	if (!n)
		return;
	text_addf(&line, "failed as expected by %zu finding%s", n, n == 1 ? "" : "s");
	for (i = 0; named && i < n; i++)
		text_addf(&line, "%s%s (%" PRId64 ")", i ? ", " : ": ", p->expected->map.member[i].key,
			  p->expected->map.member[i].value->i);
	text_add_visible(&r->text, line.s);
	text_add(&r->text, "\n");
}

static void on_summary(struct report *r, const struct value *event)
{
	struct pretty *p = r->priv;
	size_t i;

	status_clear(r);
	text_add(&r->text, "\n");
	if (p->bad_count && p->done > 1) {
		text_add(&r->text, "Not as expected:\n");
		for (i = 0; i < p->bad_count; i++) {
			text_add(&r->text, "  ");
			text_add_visible(&r->text, p->bad[i]);
			text_add(&r->text, "\n");
		}
		text_add(&r->text, "\n");
	}
	add_counts(r, event);
	add_expected(r);
	if (p->left)
		text_addf(&r->text, "%zu scenario%s left something behind\n", p->left, p->left == 1 ? "" : "s");
	add_environment(r, event);
}

static void on_verdict(struct report *r, const struct value *event)
{
	const struct value *list = event_strings(event, "findings");
	struct pretty *p = r->priv;
	const char *name;
	size_t i;

	if (!p->expected)
		p->expected = value_map();
	for (i = 0; list && i < list->list.count; i++) {
		name = list->list.item[i]->s;
		value_set_int(p->expected, name, value_get_int(p->expected, name, 0) + 1);
	}
}

static const struct {
	const char *kind;
	void (*fn)(struct report *r, const struct value *event);
} handlers[] = {
	{"begin", on_begin}, {"progress", on_progress}, {"scenario", on_scenario},
	{"step", on_step},   {"kernel", on_kernel},	{"error", on_error},
	{"summary", on_summary}, {"verdict", on_verdict}, {"machine", on_machine}, {"configures", on_configures},
};

static void on_event(struct report *r, const struct value *event)
{
	struct pretty *p = r->priv;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(handlers); i++)
		if (event_is(event, handlers[i].kind))
			handlers[i].fn(r, event);
	if (report_variant_event(&p->now, event))
		on_case(r);
}

static void on_close(struct report *r)
{
	struct pretty *p = r->priv;
	size_t i;

	status_clear(r);
	report_variant_fini(&p->now);
	for (i = 0; i < p->bad_count; i++)
		free(p->bad[i]);
	free(p->bad);
	value_free(p->expected);
}

const struct report_ops report_pretty = {
	.name = "pretty",
	.doc = "a line for each scenario, details of what failed, a summary",
	.priv_size = sizeof(struct pretty),
	.event = on_event,
	.close = on_close,
};
