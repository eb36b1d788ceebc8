/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One variant on the page. The row is small, because a page has thousands; the evidence (steps,
 * failures, kernel, output) is compressed until somebody opens the variant. page.js reads both.
 */
#include "page/page.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/read.h"

#define TEXT_MAX 600	/* bytes of an argument list or an answer */
#define LOG_MAX 20000	/* bytes of the output of one host */
#define STEPS_END 1000	/* steps at the begin of a variant, and at least as many at its end, are kept */
#define LINES_MAX 1000	/* failures, and lines of the kernel */

/* The cut may fall into a character: json_add() makes that a replacement character. */
static void shorten_text(struct text *t)
{
	size_t len = t->len;

	if (len <= TEXT_MAX)
		return;
	t->len = TEXT_MAX;
	text_addf(t, "… (%zu bytes)", len);
}

static struct value *short_text(const char *s)
{
	struct text t auto_text = {0};

	text_add(&t, s);
	shorten_text(&t);
	return value_string(t.s);
}

void page_variant_fini(struct page_variant *v)
{
	value_free(v->row);
	value_free(v->rest);
	text_fini(&v->steps);
	text_fini(&v->scratch);
	free(v->end);
	*v = (struct page_variant){0};
}

void page_variant_begin(struct page_variant *v, const struct value *scenario)
{
	page_variant_fini(v);
	v->row = value_map();
	v->rest = value_map();
	value_set_string(v->row, "name", event_name(scenario));
	value_set_string(v->row, "title", event_string(scenario, "title"));
	value_set_string(v->row, "path", event_string(scenario, "path"));
	value_set(v->row, "clauses", value_dup(event_strings(scenario, "clauses")));
	value_set(v->rest, "fails", value_list());
	value_set(v->rest, "kernel", value_list());
	value_set(v->rest, "packets", value_list());
	value_set(v->rest, "logs", value_map());
}

static struct value *list_of(struct page_variant *v, const char *key)
{
	return value_get(v->rest, key);
}

/* A line of the kernel stands before a step: those of steps that are left out stand where these were. Packets do so, too. */
static void move_lines(const struct value *lines)
{
	struct value *at;
	size_t i;

	for (i = 0; i < lines->list.count; i++) {
		at = lines->list.item[i]->list.item[0];
		if (at->i > STEPS_END)
			at->i = at->i - STEPS_END > STEPS_END ? at->i - STEPS_END : STEPS_END;
	}
}

/* A variant may have a million steps, and no browser shows so many: those in its middle are left out. */
static void leave_out(struct page_variant *v)
{
	struct value *note = value_get(v->rest, "left_out");
	int64_t before = note ? note->list.item[1]->i : 0;
	size_t i, from, to;

	if (v->count < (size_t)3 * STEPS_END)
		return;
	from = v->end[2 * STEPS_END - 1];
	to = v->end[STEPS_END - 1];
	memmove(v->steps.s + to, v->steps.s + from, v->steps.len - from + 1);
	v->steps.len -= from - to;
	for (i = (size_t)2 * STEPS_END; i < v->count; i++)
		v->end[i - STEPS_END] = v->end[i] - (from - to);
	v->count -= STEPS_END;
	move_lines(list_of(v, "kernel"));
	move_lines(list_of(v, "packets"));
	note = value_list();
	value_append(note, value_int(STEPS_END));
	value_append(note, value_int(before + STEPS_END));
	value_set(v->rest, "left_out", note);
}

static void add_text(struct page_variant *v, const char *s)
{
	text_add_bytes(&v->steps, ",", 1);
	json_add_text(&v->steps, s);
}

static void add_int(struct page_variant *v, int64_t i)
{
	text_add_bytes(&v->steps, ",", 1);
	json_add_int(&v->steps, i);
}

static void add_args(struct page_variant *v, const struct value *e)
{
	text_clear(&v->scratch);
	value_show_to(&v->scratch, event_map(e, "args"));
	shorten_text(&v->scratch);
	add_text(v, v->scratch.s);
}

static void add_result(struct page_variant *v, const struct value *e)
{
	text_clear(&v->scratch);
	if (event_has(e, "text"))
		text_add(&v->scratch, event_string_or(e, "text", ""));
	else
		json_add(&v->scratch, event_any(e, "result"));
	shorten_text(&v->scratch);
	add_text(v, v->scratch.s);
}

/* [index, line, host, call, arguments, answer, us, ok, fragment, round] */
static void on_step(struct page_variant *v, const struct value *e)
{
	text_add(&v->steps, v->count ? ",[" : "[");
	json_add_int(&v->steps, event_integer(e, "index"));
	add_int(v, event_integer(e, "line"));
	add_text(v, event_string(e, "host"));
	add_text(v, event_string(e, "call"));
	add_args(v, e);
	add_result(v, e);
	add_int(v, event_integer(e, "us"));
	add_int(v, event_flag(e, "ok"));
	add_text(v, event_string_or(e, "fragment", ""));
	add_text(v, event_string_or(e, "round", ""));
	text_add(&v->steps, "]");
	GROW(v->end, v->count);
	v->end[v->count++] = v->steps.len;
	leave_out(v);
}

void page_variant_evidence(struct page_variant *v, struct text *t)
{
	text_add(t, "{\"steps\":[");
	if (v->count)
		text_add_bytes(t, v->steps.s, v->steps.len);
	text_add(t, "],");
	text_clear(&v->scratch);
	json_add(&v->scratch, v->rest);
	text_add(t, v->scratch.s + 1);
}

/* Adds a line of these cells to a list of the evidence, unless it is full. */
static void add_line(struct page_variant *v, const char *key, struct value *const *cell, size_t count)
{
	struct value *list = list_of(v, key), *line = value_list();
	size_t i;

	for (i = 0; i < count; i++)
		value_append(line, cell[i]);
	if (list->list.count < LINES_MAX)
		value_append(list, line);
	else
		value_free(line);
}

/* [index, line, host, call, field, expected, actual] */
static void on_fail(struct page_variant *v, const struct value *e)
{
	struct value *const cells[] = {
		value_int(event_integer(e, "index")), value_int(event_integer(e, "line")), value_string(event_string(e, "host")),
		value_string(event_string(e, "call")), value_string(event_string(e, "field")),
		short_text(event_string(e, "expected")), short_text(event_string(e, "actual")),
	};

	add_line(v, "fails", cells, ARRAY_SIZE(cells));
}

/* A complaint that no finding describes outweighs those that findings describe. */
static void note_complaint(struct page_variant *v, bool known)
{
	if (!known || !value_get(v->row, "ended"))
		value_set_string(v->row, "ended", known ? "known" : "complaint");
}

/* [number of steps before it, text, bad, known] */
static void on_kernel(struct page_variant *v, const struct value *e)
{
	struct value *const cells[] = {
		value_int((int64_t)v->count), short_text(event_string(e, "text")), value_int(event_flag(e, "bad")),
		value_string(event_string_or(e, "known", "")),
	};

	if (event_flag(e, "bad"))
		note_complaint(v, event_has(e, "known"));
	add_line(v, "kernel", cells, ARRAY_SIZE(cells));
}

/* Packets follow all steps, some of which are left out by then. */
static int64_t steps_before(const struct page_variant *v, int64_t steps)
{
	const struct value *note = value_get(v->rest, "left_out");
	int64_t out = note ? note->list.item[1]->i : 0;

	if (steps <= STEPS_END)
		return steps;
	return steps - out > STEPS_END ? steps - out : STEPS_END;
}

/* [number of steps that had begun, host, way, text, note] */
static void on_packet(struct page_variant *v, const struct value *e)
{
	struct value *const cells[] = {
		value_int(steps_before(v, event_integer(e, "steps"))), value_string(event_string(e, "host")),
		value_string(event_string(e, "way")), short_text(event_string(e, "text")),
		short_text(event_string_or(e, "note", "")),
	};

	add_line(v, "packets", cells, ARRAY_SIZE(cells));
}

static void on_log(struct page_variant *v, const struct value *e)
{
	struct value *logs = list_of(v, "logs");
	const char *host = event_string(e, "host");
	struct text t auto_text = {0};

	text_add(&t, value_get_string(logs, host, ""));
	if (t.len > LOG_MAX)
		return;
	text_add(&t, event_string(e, "text"));
	if (t.len > 0 && t.s[t.len - 1] != '\n')
		text_add(&t, "\n");
	value_set_string(logs, host, t.s);
}

/* A complaint that no finding describes, or a death, outweighs what was left behind. */
static void note_left(struct page_variant *v, const struct value *e)
{
	const char *ended = value_get_string(v->row, "ended", "");

	if (!event_has(e, "left"))
		return;
	value_set(v->row, "left", value_dup(event_strings(e, "left")));
	if (!*ended || strcmp(ended, "known") == 0)
		value_set_string(v->row, "ended", "leaked");
}

static void on_verdict(struct page_variant *v, const struct value *e)
{
	value_set_string(v->row, "verdict", event_string(e, "verdict"));
	value_set_string(v->row, "reason", event_string_or(e, "reason", ""));
	value_set_int(v->row, "took_ms", event_integer(e, "took_ms"));
	if (event_has(e, "findings"))
		value_set(v->row, "findings", value_dup(event_strings(e, "findings")));
	/* An XFAIL has complaints only if findings describe all of them. */
	if (event_has(e, "complaints"))
		note_complaint(v, event_verdict(e) == VERDICT_XFAIL);
	note_left(v, e);
}

/* A process that died or did not end is no clean end, whatever the verdict says. */
static void note_death(struct page_variant *v, const struct value *e)
{
	if (strcmp(event_string(e, "field"), "death") == 0)
		value_set_string(v->row, "ended", "death");
}

void page_variant_event(struct page_variant *v, const struct value *event)
{
	static const struct {
		const char *kind;
		void (*take)(struct page_variant *v, const struct value *e);
	} kinds[] = {
		{"step", on_step}, {"fail", on_fail}, {"fail", note_death}, {"kernel", on_kernel},
		{"packet", on_packet}, {"log", on_log}, {"verdict", on_verdict},
	};
	size_t i;

	for (i = 0; v->row && i < ARRAY_SIZE(kinds); i++)
		if (event_is(event, kinds[i].kind))
			kinds[i].take(v, event);
}
