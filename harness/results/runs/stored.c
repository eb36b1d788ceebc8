/* SPDX-License-Identifier: BSD-2-Clause */
#include "runs/stored.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/read.h"
#include "event/event.h"
#include "lib/base/fail.h"
#include "runs/shard.h"

static const struct value *findings_of(const struct value *row)
{
	const struct value *list = value_get(row, "findings");
	size_t i;

	if (!list || list->type != VALUE_LIST)
		return NULL;
	for (i = 0; i < list->list.count; i++)
		if (list->list.item[i]->type != VALUE_STRING)
			return NULL;
	return list;
}

/* A row of the list is the variant that it names. */
static int take_row(struct stored_variant *v, const struct value *row, struct vbm_error *err)
{
	const char *name = value_get_string(row, "name", NULL);
	const char *verdict = value_get_string(row, "verdict", NULL);

	if (!name || !verdict)
		return vbm_fail(err, EINVAL, "one of its 'scenarios' has no 'name' or no 'verdict'");
	if (verdict_parse(verdict, &v->verdict) < 0)
		return vbm_fail(err, EINVAL, "'%s' has the verdict '%.40s', which is not known", name, verdict);
	v->name = name;
	v->folder = value_get_string(row, "folder", NULL);
	v->reason = value_get_string(row, "reason", "");
	v->took_ms = value_get_int(row, "took_ms", -1);
	v->findings = findings_of(row);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct stored_variant *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static void sort_names(struct stored_run *run)
{
	size_t i;

	run->by_name = xcalloc(run->count + 1, sizeof(const struct stored_variant *));
	for (i = 0; i < run->count; i++)
		run->by_name[i] = &run->item[i];
	qsort(run->by_name, run->count, sizeof(const struct stored_variant *), by_name);
}

static int read_summary(struct stored_run *run, const struct value *summary, struct vbm_error *err)
{
	const struct value *list;
	size_t i;
	int rc = event_check_any(summary, err);

	if (rc < 0)
		return rc;
	if (!event_is(summary, "summary") || !event_has(summary, "scenarios"))
		return vbm_fail(err, EINVAL, "it has no 'scenarios'");
	run->target = event_string(summary, "target");
	list = event_maps(summary, "scenarios");
	run->item = xcalloc(list->list.count + 1, sizeof(*run->item));
	for (i = 0; rc == 0 && i < list->list.count; i++)
		rc = take_row(&run->item[run->count++], list->list.item[i], err);
	if (rc == 0)
		sort_names(run);
	return rc;
}

int stored_take(struct stored_run *out, struct value *summary, struct vbm_error *err)
{
	struct vbm_error why = {0};

	*out = (struct stored_run){.summary = summary};
	if (read_summary(out, summary, &why) == 0)
		return 0;
	stored_fini(out);
	return vbm_fail(err, EINVAL, "this is not the summary of a run: %s", why.msg);
}

int stored_load(struct stored_run *out, const char *dir, struct vbm_error *err)
{
	auto_free char *path = xasprintf("%s/summary.json", dir), *text = NULL;
	struct value *summary;
	struct vbm_error why;

	*out = (struct stored_run){0};
	text = text_of_file(path, &why);
	if (!text)
		return vbm_fail(err, why.code, "%s (only a run with --output writes one, "
				"at its end)", why.msg);
	summary = json_read(text, strlen(text), err);
	if (!summary || stored_take(out, summary, err) < 0)
		return vbm_wrap(err, "%s", path);
	out->dir = xstrdup(dir);
	return 0;
}

void stored_fini(struct stored_run *run)
{
	value_free(run->summary);
	free(run->dir);
	free(run->item);
	free(run->by_name);
	*run = (struct stored_run){0};
}

const struct stored_variant *stored_find(const struct stored_run *run, const char *variant)
{
	const struct stored_variant key = {.name = variant}, *wanted = &key;
	const struct stored_variant **found = bsearch(&wanted, run->by_name, run->count,
						      sizeof(const struct stored_variant *), by_name);

	return found ? *found : NULL;
}

/* A slower variant takes at least twice the time, and this much more. */
#define SLOWER_MS 100

bool stored_is_slower(int64_t before_ms, int64_t after_ms)
{
	return before_ms >= 0 && before_ms <= INT64_MAX / 2 && after_ms >= before_ms * 2 &&
	       after_ms - before_ms >= SLOWER_MS;
}

enum verdict stored_verdict_of(const struct stored_run *run, const char *variant)
{
	const struct stored_variant *v = stored_find(run, variant);

	return v ? v->verdict : VERDICT_COUNT;
}

void stored_place(const struct stored_run *run, struct text *out)
{
	const struct value *s = run->summary;
	const char *layout = event_string_or(s, "layout", NULL);
	struct shard shard;

	if (shard_of_event(&shard, s))
		text_addf(out, "shard %d of %d, ", shard.number, shard.of);
	text_addf(out, "kernel %s, ", event_string(s, "kernel"));
	if (layout)
		text_addf(out, "%s layout, ", layout);
	text_addf(out, "%s lane, rdma-core %s, target %s", event_string(s, "lane"),
		  event_string(s, "rdma_core"), event_string(s, "target"));
}

/* ---- runs in files of lines: a stream of events, and a history ---- */

static bool is_summary(const struct value *v)
{
	return v && v->type == VALUE_MAP && event_is(v, "summary") && value_get(v, "scenarios");
}

/* The content of a file of lines. */
struct stored_lines {
	struct verdict_rows rows;
	struct value *last;	/* owned; the run that the caller asked for, or NULL */
	size_t runs;		/* lines of a history */
	size_t skip;		/* lines of a history before the one that is asked for */
	bool stream;
};

static int take_event(struct stored_lines *l, const struct value *event, struct vbm_error *err)
{
	int rc = event_check_any(event, err);

	if (rc < 0)
		return rc;
	l->stream = true;
	verdict_rows_event(&l->rows, event);
	if (event_is(event, "summary")) {
		value_free(l->last);
		l->last = verdict_rows_summary(&l->rows, event);
	}
	return 0;
}

static int take_line(struct stored_lines *l, const char *text, struct vbm_error *err)
{
	auto_value struct value *v = json_read(text, strlen(text), err);

	if (!v)
		return -err->code;
	if (!is_summary(v))
		return take_event(l, v, err);
	if (l->runs++ == l->skip)
		l->last = steal(&v);
	return 0;
}

/* A line that holds a summary with rows: only a history has such lines. */
static bool is_run(const char *line)
{
	static const char begin[] = "{\"event\":\"summary\",";

	const char *rows = strncmp(line, begin, sizeof(begin) - 1) == 0 ? strstr(line, "\"scenarios\":") : NULL;

	return rows && !memchr(line, '\n', (size_t)(rows - line));
}

static size_t count_runs(const char *text)
{
	size_t n = 0;

	while (*text) {
		n += is_run(text);
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return n;
}

static void give_run(const char *line, stored_run_fn *fn, void *arg)
{
	struct value *v = json_read(line, strlen(line), NULL);
	struct stored_run run;

	if (!v || stored_take(&run, v, NULL) < 0)
		return;
	fn(&run, arg);
	stored_fini(&run);
}

void stored_history(const char *path, size_t max, stored_run_fn *fn, void *arg)
{
	auto_free char *text = NULL;
	size_t runs;
	char *at, *line;

	if (file_read(path, &text, NULL, NULL) < 0)
		return;
	runs = count_runs(text);
	at = text;
	while ((line = file_next_line(&at)))
		if (is_run(line) && runs-- <= max)
			give_run(line, fn, arg);
}

/*
 * Whether the line is an event about which a run of verdicts says nothing. They are nearly all bytes of a stream, and reading
 * them takes a hundred times as long as the rest.
 */
static bool is_detail(const char *line)
{
	static const char *const begins[] = {"{\"event\":\"step\",", "{\"event\":\"fabric\",", "{\"event\":\"fail\",",
					     "{\"event\":\"kernel\",", "{\"event\":\"log\",", "{\"event\":\"last\","};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(begins); i++)
		if (strncmp(line, begins[i], strlen(begins[i])) == 0)
			return line[strlen(line) - 1] == '}';
	return false;
}

static int none_before(const char *path, size_t runs, struct vbm_error *err)
{
	return vbm_fail(err, ENOENT, "%s holds %zu run%s: there is none before %s; name two runs", path, runs, runs > 1 ? "s" : "",
			runs > 1 ? "these" : "it");
}

static int take_lines(struct stored_lines *l, char *text, const char *path, size_t back, struct vbm_error *err)
{
	size_t runs = count_runs(text), number = 0;
	char *at = text, *line;

	if (runs > 0 && back >= runs)
		return none_before(path, runs, err);
	l->skip = runs ? runs - 1 - back : 0;
	while ((line = file_next_line(&at))) {
		number++;
		if (is_detail(line))
			l->stream = true;
		else if (*line && take_line(l, line, err) < 0)
			return vbm_wrap(err, "%s:%zu", path, number);
	}
	if (l->last)
		return back > 0 && !runs ? none_before(path, 1, err) : 0;
	return vbm_fail(err, EINVAL, "%s: %s", path, l->stream ? "the stream has no summary at its end: the run was "
			"broken off" : "the file is empty");
}

static int read_file(struct stored_run *out, const char *path, size_t back, struct vbm_error *err)
{
	auto_value struct value *whole = NULL;
	auto_free char *text = NULL;
	struct stored_lines l = {0};
	int rc = file_read(path, &text, NULL, err);

	if (rc < 0)
		return rc;
	whole = json_read(text, strlen(text), NULL);
	if (back > 0 && is_summary(whole))
		return none_before(path, 1, err);
	if (whole && (is_summary(whole) || !value_get(whole, "event"))) {
		l.last = steal(&whole);
	} else {
		verdict_rows_init(&l.rows);
		rc = take_lines(&l, text, path, back, err);
		verdict_rows_fini(&l.rows);
	}
	if (rc == 0)
		return stored_take(out, l.last, err) < 0 ? vbm_wrap(err, "%s", path) : 0;
	value_free(l.last);
	return rc;
}

int stored_read(struct stored_run *out, const char *path, size_t back, struct vbm_error *err)
{
	struct stat st;

	*out = (struct stored_run){0};
	if (stat(path, &st) < 0)
		return vbm_fail(err, errno, "%s: %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return read_file(out, path, back, err);
	if (back > 0)
		return none_before(path, 1, err);
	return stored_load(out, path, err);
}
