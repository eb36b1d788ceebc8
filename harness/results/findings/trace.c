/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes what the hosts did before a failure that a finding describes, as a text for its page. */
#include "findings/list.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/read.h"
#include "runs/stored.h"

#define LINES 24	/* the last ones before the failure are enough */
#define WIDE 160	/* bytes of an argument list, an answer or a message */

struct tracer {
	struct value *traces;	/* borrowed */
	struct value *lines;	/* owned; list of strings of the variant that runs; NULL: none */
	bool failed;		/* what comes after the first failure is left out */
	struct text place;	/* owned */
};

/* @s, cut. The caller frees. */
static char *cut_text(const char *s)
{
	return strlen(s) > WIDE ? xasprintf("%.*s...", WIDE, s) : xstrdup(s);
}

static void add_line(struct tracer *t, const char *line)
{
	struct text shown auto_text = {0};

	text_add_visible_line(&shown, line);
	value_append(t->lines, value_string(shown.s));
}

static void on_step(struct tracer *t, const struct value *e)
{
	auto_free char *result = json_write(event_any(e, "result")), *args = value_show(event_map(e, "args"));
	auto_free char *given = cut_text(args), *answer = cut_text(event_string_or(e, "text", result));
	auto_free char *line = xasprintf("%s  line %" PRId64 "  %s%s%s -> %s", event_string(e, "host"),
					 event_integer(e, "line"), event_string(e, "call"), strcmp(given, "{}") ? " " : "",
					 strcmp(given, "{}") ? given : "", strcmp(answer, "null") ? answer : "nothing came");

	add_line(t, line);
}

static void on_fail(struct tracer *t, const struct value *e)
{
	auto_free char *expected = cut_text(event_string(e, "expected")), *actual = cut_text(event_string(e, "actual"));
	auto_free char *line = xasprintf("%s  line %" PRId64 "  %s: %s: expected %s, got %s", event_string(e, "host"),
					 event_integer(e, "line"), event_string(e, "call"), event_string(e, "field"),
					 expected, actual);

	add_line(t, line);
	t->failed = true;
}

static void on_kernel(struct tracer *t, const struct value *e)
{
	auto_free char *said = cut_text(event_string(e, "text")), *line = xasprintf("kernel  %s", said);

	if (event_flag(e, "bad"))
		add_line(t, line);
}

static void make_trace(struct tracer *t, const char *variant, struct text *out)
{
	size_t count = t->lines->list.count, i = count > LINES ? count - LINES : 0;

	text_addf(out, "\nWhat the hosts did in `%s`, %s", variant, t->place.s ? t->place.s : "");
	if (i > 0)
		text_addf(out, "; %zu lines before these are left out", i);
	text_add(out, ":\n\n```\n");
	for (; i < count; i++)
		text_addf(out, "%s\n", t->lines->list.item[i]->s);
	text_add(out, "```\n");
}

static void on_verdict(struct tracer *t, const struct value *e)
{
	const struct value *names = event_has(e, "findings") ? event_strings(e, "findings") : NULL;
	struct text trace auto_text = {0};
	size_t i;

	if (names && t->lines->list.count > 0)
		make_trace(t, event_name(e), &trace);
	for (i = 0; trace.s && i < names->list.count; i++)
		if (!value_get(t->traces, names->list.item[i]->s))
			value_set_string(t->traces, names->list.item[i]->s, trace.s);
}

static void begin_lines(struct tracer *t)
{
	value_free(t->lines);
	t->lines = value_list();
	t->failed = false;
}

static void on_begin(struct tracer *t, const struct value *e)
{
	text_clear(&t->place);
	text_addf(&t->place, "on kernel %s with rdma-core %s", event_string(e, "kernel"), event_string(e, "rdma_core"));
}

static void on_event(const struct value *e, void *arg)
{
	static const struct {
		const char *kind;
		void (*take)(struct tracer *t, const struct value *e);
	} kinds[] = {{"step", on_step}, {"fail", on_fail}, {"kernel", on_kernel}};
	struct tracer *t = arg;
	size_t i;

	if (event_is(e, "begin"))
		on_begin(t, e);
	if (event_is(e, "scenario"))
		begin_lines(t);
	for (i = 0; t->lines && !t->failed && i < ARRAY_SIZE(kinds); i++)
		if (event_is(e, kinds[i].kind))
			kinds[i].take(t, e);
	if (t->lines && event_is(e, "verdict"))
		on_verdict(t, e);
}

int findings_traces(struct value *traces, const char *run, struct vbm_error *err)
{
	struct tracer t = {.traces = traces};
	int rc = stored_events(run, on_event, &t, err);

	value_free(t.lines);
	text_fini(&t.place);
	return rc;
}
