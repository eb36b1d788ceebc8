/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Trace Event Format, which Perfetto and Chrome show: a process for
 * each place, in it a thread for the variants and one for each host. Events come in the order of
 * the plan and do not name their place. Variants whose times overlap were in different
 * places, so each goes into the first place that is free at that time.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/event.h"
#include "event/read.h"
#include "report/facts.h"
#include "report/report.h"

#define US_PER_MS 1000

/* A variant, with the fabrics that were made before it. Times are in microseconds. */
struct trace_part {
	int64_t begin, end;
	struct value *events;	/* owned; a list; "pid" is missing */
	size_t place;
};

struct trace {
	struct trace_part *part;	/* owned; in the order of the plan */
	size_t count;
	struct value *waiting;	/* owned; a list of events before the next variant; or NULL */
	struct value *now;	/* owned; the "scenario" event of the variant that runs; or NULL */
	int64_t now_begin;
	char **host;		/* owned; their threads count from 1 */
	int64_t *host_end;	/* owned; the end of each host's last step */
	size_t hosts;
	struct value *summary;	/* owned; or NULL */
};

static int64_t time_of(const struct value *event)
{
	return event_integer_or(event, "ms", 0) * US_PER_MS;
}

static struct value *trace_event(const char *phase, const char *name, const char *category, int64_t ts, int64_t thread)
{
	struct value *m = value_map();

	value_set_string(m, "ph", phase);
	value_set_string(m, "name", name);
	value_set_string(m, "cat", category);
	value_set_int(m, "ts", ts);
	value_set_int(m, "tid", thread);
	return m;
}

/* Something that takes time. */
static struct value *span(const char *name, const char *category, int64_t begin, int64_t end, int64_t thread)
{
	struct value *m = trace_event("X", name, category, begin, thread);

	value_set_int(m, "dur", end - begin);
	return m;
}

static void keep(struct trace *t, struct value *m)
{
	if (!t->waiting)
		t->waiting = value_list();
	value_append(t->waiting, m);
}

static size_t host_of(struct trace *t, const char *name)
{
	size_t i;

	for (i = 0; i < t->hosts; i++)
		if (!strcmp(t->host[i], name))
			return i;
	GROW(t->host, t->hosts);
	GROW(t->host_end, t->hosts);
	t->host[t->hosts] = xstrdup(name);
	t->host_end[t->hosts] = 0;
	return t->hosts++;
}

/*
 * A step is told when its answer is collected, which may be later than its end. So it
 * may seem to overlap the step before it on its host, and begins at that one's end then.
 */
static void on_step(struct trace *t, const struct value *event)
{
	const char *call = event_string(event, "call");
	size_t host = host_of(t, event_string(event, "host"));
	int64_t end = time_of(event), begin = end - event_integer(event, "us");
	struct value *m, *args = value_map();

	if (begin < t->host_end[host])
		begin = t->host_end[host];
	if (end < begin)
		end = begin;
	t->host_end[host] = end;
	m = span(call, event_flag(event, "ok") ? "step" : "step,failed", begin, end, (int64_t)host + 1);
	value_set_int(args, "line", event_integer(event, "line"));
	value_set_string(args, "result", event_string_or(event, "text", ""));
	value_set(args, "parameters", value_dup(value_get(event, "args")));
	value_set(m, "args", args);
	keep(t, m);
}

static void on_fail(struct trace *t, const struct value *event)
{
	size_t host = host_of(t, event_string(event, "host"));
	auto_free char *name = xasprintf("%s.%s: expected %s, got %s", event_string(event, "call"),
					 event_string(event, "field"), event_string(event, "expected"),
					 event_string(event, "actual"));
	struct value *m = trace_event("i", name, "failure", t->host_end[host], (int64_t)host + 1);

	value_set_string(m, "s", "t");
	keep(t, m);
}

static void on_kernel(struct trace *t, const struct value *event)
{
	struct value *m = trace_event("i", event_string(event, "text"),
				      event_flag(event, "bad") ? "kernel,complaint" : "kernel", time_of(event), 0);

	value_set_string(m, "s", "p");
	keep(t, m);
}

static void on_fabric(struct trace *t, const struct value *event)
{
	int64_t end = time_of(event), begin = end - event_integer(event, "build_ms") * US_PER_MS;
	int64_t least = t->now ? t->now_begin : 0;

	keep(t, span("fabric", "fabric", begin > least ? begin : least, end, 0));
}

static void on_scenario(struct trace *t, const struct value *event)
{
	size_t i;

	value_free(t->now);
	t->now = value_dup(event);
	t->now_begin = time_of(event);
	for (i = 0; i < t->hosts; i++)
		t->host_end[i] = t->now_begin;
}

static int64_t part_end(const struct trace *t, int64_t end)
{
	size_t i;

	for (i = 0; i < t->hosts; i++)
		end = t->host_end[i] > end ? t->host_end[i] : end;
	return end;
}

static void on_verdict(struct trace *t, const struct value *event)
{
	int64_t end = part_end(t, time_of(event));
	struct value *args = value_map(), *m;

	/* A place that was lost has a verdict without a time. */
	m = span(event_name(event), verdict_name(event_verdict(event)), t->now_begin, end, 0);
	value_set_string(args, "verdict", verdict_name(event_verdict(event)));
	value_set_string(args, "reason", event_string_or(event, "reason", ""));
	if (t->now && *event_string(t->now, "path"))
		value_set_string(args, "file", event_string(t->now, "path"));
	value_set(m, "args", args);
	keep(t, m);
	GROW(t->part, t->count);
	t->part[t->count++] = (struct trace_part){
		.begin = t->now_begin, .end = end, .events = steal(&t->waiting),
	};
	value_free(steal(&t->now));
}

static const struct {
	const char *kind;
	void (*take)(struct trace *t, const struct value *event);
} handlers[] = {
	{"step", on_step},	   {"fail", on_fail},	      {"kernel", on_kernel}, {"fabric", on_fabric},
	{"scenario", on_scenario}, {"verdict", on_verdict},
};

static void on_event(struct report *r, const struct value *event)
{
	struct trace *t = r->priv;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(handlers); i++)
		if (event_is(event, handlers[i].kind))
			handlers[i].take(t, event);
	if (event_is(event, "summary")) {
		value_free(t->summary);
		t->summary = value_dup(event);
	}
}

static int by_begin(const void *one, const void *other)
{
	const struct trace_part *a = one, *b = other;

	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/*
 * The time of a fabric is known by the millisecond, so it may seem to begin before the
 * end of the variant before it.
 */
static void move_fabrics(const struct trace_part *part, int64_t free_at)
{
	struct value *m;
	int64_t begin, end;
	size_t i;

	for (i = 0; i < part->events->list.count; i++) {
		m = part->events->list.item[i];
		begin = value_get_int(m, "ts", 0);
		end = begin + value_get_int(m, "dur", 0);
		if (begin >= part->begin || strcmp(value_get_string(m, "cat", ""), "fabric") != 0)
			continue;
		begin = begin < free_at ? free_at : begin;
		free_at = end < begin ? begin : end > part->begin ? part->begin : end;
		value_set_int(m, "ts", begin);
		value_set_int(m, "dur", free_at - begin);
	}
}

/* Gives each part a place; returns the number of places. */
static size_t find_places(struct trace *t)
{
	auto_free int64_t *end = xcalloc(t->count + 1, sizeof(*end));
	size_t i, k, places = 0;

	if (t->count)
		qsort(t->part, t->count, sizeof(*t->part), by_begin);
	for (i = 0; i < t->count; i++) {
		for (k = 0; k < places && end[k] > t->part[i].begin; k++)
			;
		places = k == places ? k + 1 : places;
		move_fabrics(&t->part[i], end[k]);
		end[k] = t->part[i].end;
		t->part[i].place = k;
	}
	return places;
}

static void add_line(struct report *r, bool *first, const struct value *m)
{
	auto_free char *line = json_write(m);

	text_addf(&r->text, "%s\n%s", *first ? "" : ",", line);
	*first = false;
}

static void add_name(struct report *r, bool *first, const char *what, size_t place, size_t thread, const char *name)
{
	auto_value struct value *m = value_map();
	struct value *args = value_map();

	value_set_string(m, "ph", "M");
	value_set_string(m, "name", what);
	value_set_int(m, "pid", (int64_t)place + 1);
	value_set_int(m, "tid", (int64_t)thread);
	value_set_string(args, "name", name);
	value_set(m, "args", args);
	add_line(r, first, m);
}

static void add_names(struct report *r, bool *first, size_t places)
{
	const struct trace *t = r->priv;
	size_t i, k;

	for (i = 0; i < places; i++) {
		auto_free char *name = xasprintf("place %zu", i + 1);

		add_name(r, first, "process_name", i, 0, name);
		add_name(r, first, "thread_name", i, 0, "variants");
		for (k = 0; k < t->hosts; k++) {
			auto_free char *host = xasprintf("host %s", t->host[k]);

			add_name(r, first, "thread_name", i, k + 1, host);
		}
	}
}

static void add_facts(struct report *r)
{
	const struct trace *t = r->priv;
	auto_value struct value *m = value_map();
	auto_free char *text = NULL;
	const char *fact;
	size_t i;

	for (i = 0; t->summary && i < REPORT_FACTS - 1; i++) {
		fact = event_string_or(t->summary, report_facts[i], NULL);
		if (fact)
			value_set_string(m, report_facts[i], fact);
	}
	value_set_bool(m, "complete", t->summary != NULL);
	text = json_write(m);
	text_addf(&r->text, "\"otherData\":%s", text);
}

static void on_close(struct report *r)
{
	struct trace *t = r->priv;
	size_t i, k, places = find_places(t);
	bool first = true;

	text_add(&r->text, "{\"displayTimeUnit\":\"ms\",");
	add_facts(r);
	text_add(&r->text, ",\"traceEvents\":[");
	add_names(r, &first, places);
	for (i = 0; i < t->count; i++) {
		for (k = 0; k < t->part[i].events->list.count; k++) {
			value_set_int(t->part[i].events->list.item[k], "pid", (int64_t)t->part[i].place + 1);
			add_line(r, &first, t->part[i].events->list.item[k]);
		}
		value_free(t->part[i].events);
	}
	text_add(&r->text, "\n]}\n");
	for (i = 0; i < t->hosts; i++)
		free(t->host[i]);
	free(t->host);
	free(t->host_end);
	free(t->part);
	value_free(t->waiting);
	value_free(t->now);
	value_free(t->summary);
}

const struct report_ops report_trace = {
	.name = "chrome-trace",
	.doc = "hosts and steps on a time line, for ui.perfetto.dev; written when the run ends",
	.priv_size = sizeof(struct trace),
	.event = on_event,
	.close = on_close,
};
