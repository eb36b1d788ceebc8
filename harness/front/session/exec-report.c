/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/exec-report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/choice.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/event.h"
#include "event/read.h"
#include "lane/lane.h"
#include "lib/base/fail.h"
#include "names/device-types.h"
#include "report/history.h"
#include "report/report.h"
#include "session/exec.h"
#include "runs/stored.h"

#define SAID_MAX 16384	/* of the end of a command's output */
#define TITLE_MAX 200

static bool is_on(const struct exec_report *r)
{
	return r->report || r->page || r->history;
}

int exec_report_open(struct exec_report *r, const struct exec_options *opts, struct vbm_error *err)
{
	const struct report_ops *ops = opts->format ? report_find(opts->format) : NULL;
	struct report_options ro = {.out = stdout};
	auto_free char *formats = NULL;

	*r = (struct exec_report){.opts = opts, .started_ns = clock_now_ns()};
	if (opts->format && !ops) {
		formats = choice_text(report_name, "");
		return vbm_fail(err, EINVAL, "no format is called '%s': %s", opts->format, formats);
	}
	if (opts->html && page_file_open(&r->html, opts->html, err) < 0)
		return -err->code;
	if (opts->history && history_open(&r->history, opts->history, err) < 0)
		return -err->code;
	if (opts->html)
		r->page = page_new(NULL);
	if (opts->html && opts->history)
		page_history(r->page, opts->history);
	/* This run is not in the history yet. */
	if (ops && ops->compares && opts->history && stored_read(&r->earlier, opts->history, 0, NULL) == 0) {
		ro.earlier = stored_verdict_of;
		ro.earlier_run = &r->earlier;
	}
	if (ops)
		r->report = report_open(ops, &ro);
	r->said = xcalloc(opts->count, sizeof(*r->said));
	r->place = value_map();
	return 0;
}

/* Takes over @event. */
static void write_event(struct exec_report *r, struct value *event)
{
	struct vbm_error err = {0};
	int rc;

	event_made(event);
	if (r->page)
		page_event(r->page, event);
	rc = r->report ? report_event(r->report, event) : 0;
	if (rc < 0 && !r->unwritten.code)
		vbm_fail(&r->unwritten, -rc, "the report could not be written: %s", strerror(-rc));
	if (r->history && history_event(r->history, event, &err) < 0 && !r->unwritten.code)
		r->unwritten = err;
	value_free(event);
}

static struct value *new_event(const char *kind)
{
	struct value *event = value_map();

	value_set_string(event, "event", kind);
	return event;
}

static const char *name_of(const struct exec_report *r)
{
	return r->opts->name ? r->opts->name : "exec";
}

static struct value *new_of_variant(const struct exec_report *r, const char *kind)
{
	struct value *event = new_event(kind);

	value_set_int(event, "variant", 0);
	value_set_string(event, "name", name_of(r));
	return event;
}

void exec_report_place(struct exec_report *r, const struct lane *lane, const char *version)
{
	if (!is_on(r))
		return;
	value_set_string(r->place, "lane", lane->lanes->ops->name);
	value_set_string(r->place, "accelerator", lane->accelerator);
	value_set_string(r->place, "kernel", lane->kernel);
	value_set_string(r->place, "rdma_core", version);
	value_set_string(r->place, "device", r->opts->choice.device ? r->opts->choice.device : device_type_default()->name);
}

/* Without a place, for the summary of a run that has none. */
static void put_place(const struct exec_report *r, struct value *event)
{
	static const char *const members[] = {"lane", "accelerator", "kernel", "rdma_core"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(members); i++)
		value_set_string(event, members[i], value_get_string(r->place, members[i], "none"));
	value_set_string(event, "target", "system");
	if (value_get(r->place, "device"))
		value_set_string(event, "device", value_get_string(r->place, "device", ""));
}

static char *title_of(const struct exec_options *opts)
{
	struct text t auto_text = {0};
	size_t i;

	for (i = 0; i < opts->count; i++)
		text_addf(&t, "%s%s: %s", i ? "; " : "", opts->commands[i].host, opts->commands[i].text);
	return xasprintf("%.*s%s", TITLE_MAX, t.s, t.len > TITLE_MAX ? "..." : "");
}

static void begin_report(struct exec_report *r)
{
	struct value *event = new_event("begin");
	auto_free char *title = title_of(r->opts), *clean = text_utf8_clean(title);

	if (r->begun) {
		value_free(event);
		return;
	}
	r->begun = true;
	put_place(r, event);
	value_set_int(event, "total", 1);
	write_event(r, event);
	event = new_of_variant(r, "scenario");
	value_set_string(event, "id", name_of(r));
	value_set_string(event, "title", clean);
	value_set_string(event, "path", "");
	value_set(event, "clauses", value_list());
	write_event(r, event);
}

void exec_report_output(struct exec_report *r, size_t command, const char *data, size_t len)
{
	if (!is_on(r))
		return;
	text_add_printed(&r->said[command], data, len);
	/* Not each time, because that would move all of it for each few bytes. */
	if (r->said[command].len > 2 * SAID_MAX)
		text_keep_end(&r->said[command], SAID_MAX);
}

static struct value *new_step(const struct exec_report *r, const char *kind, size_t command)
{
	const struct exec_command *c = &r->opts->commands[command];
	struct value *event = new_of_variant(r, kind);

	value_set_int(event, "line", (int64_t)command + 1);
	value_set_int(event, "col", 1);
	value_set_string(event, "host", c->host);
	value_set_string(event, "call", c->service ? "serve" : "on");
	value_set_int(event, "index", r->steps);
	return event;
}

static void tell_fail(struct exec_report *r, size_t command, int status)
{
	struct value *event = new_step(r, "fail", command);

	value_set_string(event, "field", "status");
	value_set_string(event, "expected", "0");
	value_set(event, "actual", value_format_string("%d", status));
	write_event(r, event);
}

void exec_report_exit(struct exec_report *r, size_t command, int status, bool ok)
{
	struct value *event, *args = value_map(), *result = value_map();
	auto_free char *clean = text_utf8_clean(r->opts->commands[command].text);

	if (!is_on(r)) {
		value_free(args);
		value_free(result);
		return;
	}
	begin_report(r);
	event = new_step(r, "step", command);
	value_set_string(args, "command", clean);
	value_set_int(result, "status", status);
	value_set(event, "args", args);
	value_set(event, "result", result);
	value_set_int(event, "us", (clock_now_ns() - r->fabric_ns) / 1000);
	value_set_bool(event, "ok", ok);
	value_set(event, "text", value_format_string("status %d", status));
	write_event(r, event);
	if (!ok)
		tell_fail(r, command, status);
	r->steps++;
}

/* The kernel's lines belong to the only variant. */
static void tell_kernel(struct exec_report *r, const struct value *said)
{
	struct value *event = value_dup(said);

	begin_report(r);
	value_set_int(event, "variant", 0);
	value_set_string(event, "name", name_of(r));
	write_event(r, event);
}

void exec_report_event(struct exec_report *r, const struct value *event)
{
	if (!is_on(r))
		return;
	if (event_is(event, "kernel"))
		tell_kernel(r, event);
	if (event_is(event, "stuck") && !r->stuck)
		r->stuck = xstrdup(event_string(event, "text"));
	if (!event_is(event, "fabric"))
		return;
	r->fabric_ns = clock_now_ns();
	free(r->layout);
	r->layout = xstrdup(event_string(event, "layout"));
}

/* One log for each host: what its commands printed, and for the first one the report. */
static void tell_log(struct exec_report *r, size_t first)
{
	const char *host = r->opts->commands[first].host;
	struct text all auto_text = {0};
	auto_free char *clean = NULL;
	struct value *event;
	size_t i;

	for (i = 0; i < first; i++)
		if (!strcmp(r->opts->commands[i].host, host))
			return;
	for (i = first; i < r->opts->count; i++)
		if (r->said[i].len && !strcmp(r->opts->commands[i].host, host))
			text_add_bytes(&all, r->said[i].s, r->said[i].len);
	if (first == 0 && r->stuck)
		text_addf(&all, "%sof all hosts:\n%s", all.len ? "\n" : "", r->stuck);
	if (!all.len)
		return;
	clean = text_utf8_clean(all.s);
	event = new_of_variant(r, "log");
	value_set_string(event, "host", host);
	value_set_string(event, "text", clean);
	write_event(r, event);
}

/* A command is what is tested; the rest is in the way of the test. */
static enum verdict verdict_of(enum exec_end end)
{
	if (end == EXEC_ENDS)
		return VERDICT_PASS;
	return end == EXEC_END_COMMAND || end == EXEC_END_TIMEOUT ? VERDICT_FAIL : VERDICT_ERROR;
}

static void tell_verdict(struct exec_report *r, enum verdict verdict, const char *why)
{
	struct value *event = new_of_variant(r, "verdict");

	value_set_string(event, "verdict", verdict_name(verdict));
	value_set(event, "reason", why ? value_string(why) : value_null());
	value_set_int(event, "took_ms", (clock_now_ns() - r->started_ns) / 1000000);
	value_set_int(event, "own_us", 0);
	write_event(r, event);
}

static void tell_summary(struct exec_report *r, enum verdict verdict, int status)
{
	struct value *event = new_event("summary"), *counts = value_map();
	int i;

	for (i = 0; i < VERDICT_COUNT; i++)
		value_set_int(counts, verdict_name((enum verdict)i), i == (int)verdict);
	put_place(r, event);
	if (r->layout)
		value_set_string(event, "layout", r->layout);
	value_set(event, "counts", counts);
	value_set_int(event, "total", 1);
	value_set_int(event, "took_ms", (clock_now_ns() - r->started_ns) / 1000000);
	value_set_int(event, "exit", status);
	write_event(r, event);
}

static int close_all(struct exec_report *r, struct vbm_error *err)
{
	int rc = r->report ? report_close(r->report) : 0;
	size_t i;

	if (rc < 0 && !r->unwritten.code)
		vbm_fail(&r->unwritten, -rc, "the report could not be written: %s", strerror(-rc));
	stored_fini(&r->earlier);
	history_close(r->history);
	page_file_close(&r->html, r->page, r->unwritten.code ? NULL : &r->unwritten);
	page_free(r->page);
	for (i = 0; r->said && i < r->opts->count; i++)
		text_fini(&r->said[i]);
	free(r->said);
	free(r->stuck);
	free(r->layout);
	value_free(r->place);
	if (r->unwritten.code)
		*err = r->unwritten;
	rc = -r->unwritten.code;
	*r = (struct exec_report){0};
	return rc;
}

int exec_report_end(struct exec_report *r, enum exec_end end, const char *why, int status,
		    struct vbm_error *err)
{
	enum verdict verdict = verdict_of(end);
	size_t i;

	if (!r->opts)
		return 0;
	if (is_on(r)) {
		begin_report(r);
		for (i = 0; i < r->opts->count; i++)
			tell_log(r, i);
		tell_verdict(r, verdict, why);
		tell_summary(r, verdict, status);
	}
	return close_all(r, err);
}
