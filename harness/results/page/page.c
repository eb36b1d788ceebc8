/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/page.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/deflate.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/read.h"

#define EARLIER_MAX 30	/* runs of a history */
#define BLOCK 32	/* variants whose evidence is compressed together */

/* How long a variant of the earlier run took. */
struct page_took {
	char *name;	/* owned */
	int64_t ms;
	enum verdict verdict;
};

struct page {
	char *suite;		/* owned; or NULL */
	struct value *runs;	/* owned; list of columns, the last one is this run */
	struct value *rows;	/* owned; list of maps */
	struct text block;	/* owned; JSON, the evidence that is not compressed yet */
	size_t in_block;	/* variants */
	struct value *blocks;	/* owned; list of strings: compressed, in base64 */
	struct value *clauses, *findings;	/* owned; maps, for their keys */
	struct value *explained;	/* owned; map of names to their explanations */
	struct value *errors;	/* owned; list of strings */
	struct value *kernel;	/* owned; complaints of the kernel outside of variants: lists of text and finding, or "" */
	struct page_took *took;	/* owned; of the last earlier run, by name */
	size_t tooks;
	struct value *given;	/* owned; what page_tried() and page_code() were given */
	struct value *summary;	/* owned; NULL: the run has not ended */
	struct page_variant now;
};

static void free_took(struct page *p)
{
	size_t i;

	for (i = 0; i < p->tooks; i++)
		free(p->took[i].name);
	free(p->took);
}

static void take_took(struct page *p, const struct stored_run *run)
{
	size_t i;

	free_took(p);
	p->took = xcalloc(run->count + 1, sizeof(*p->took));
	p->tooks = run->count;
	for (i = 0; i < run->count; i++)
		p->took[i] = (struct page_took){xstrdup(run->by_name[i]->name), run->by_name[i]->took_ms,
						run->by_name[i]->verdict};
}

static int by_name(const void *a, const void *b)
{
	const struct page_took *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* A row with the same verdict as before that is slower now gets "before_ms". */
static void compare_took(const struct page *p, struct value *row)
{
	const struct page_took key = {.name = value_get(row, "name")->s};
	const struct page_took *before = p->took ? bsearch(&key, p->took, p->tooks, sizeof(key), by_name) : NULL;

	if (before && strcmp(verdict_name(before->verdict), value_get_string(row, "verdict", "")) == 0 &&
	    stored_is_slower(before->ms, value_get_int(row, "took_ms", -1)))
		value_set_int(row, "before_ms", before->ms);
}

struct page *page_new(const char *suite)
{
	struct page *p = xcalloc(1, sizeof(*p));

	p->suite = suite ? xstrdup(suite) : NULL;
	p->runs = value_list();
	p->rows = value_list();
	p->blocks = value_list();
	p->clauses = value_map();
	p->findings = value_map();
	p->explained = value_map();
	p->errors = value_list();
	p->kernel = value_list();
	p->given = value_map();
	return p;
}

void page_free(struct page *p)
{
	if (!p)
		return;
	free(p->suite);
	value_free(p->runs);
	value_free(p->rows);
	text_fini(&p->block);
	value_free(p->blocks);
	value_free(p->clauses);
	value_free(p->findings);
	value_free(p->explained);
	value_free(p->errors);
	value_free(p->kernel);
	free_took(p);
	value_free(p->given);
	value_free(p->summary);
	page_variant_fini(&p->now);
	free(p);
}

/* {"place": ..., "ended": ..., "verdicts": {name: "PASS"}} */
void page_earlier(struct page *p, const struct stored_run *run)
{
	struct value *column = value_map(), *verdicts = value_map();
	struct text place auto_text = {0};
	size_t i;

	take_took(p, run);
	stored_place(run, &place);
	value_set_string(column, "place", place.s);
	value_set_string(column, "ended", value_get_string(run->summary, "ended", ""));
	/* A search for each name would take the square of their number. */
	for (i = 0; i < run->count; i++)
		if (i == 0 || strcmp(run->by_name[i]->name, run->by_name[i - 1]->name) != 0)
			value_add_at(verdicts, run->by_name[i]->name, (struct pos){0},
				     value_string(verdict_name(run->by_name[i]->verdict)));
	value_set(column, "verdicts", verdicts);
	value_append(p->runs, column);
}

static void add_earlier(const struct stored_run *run, void *page)
{
	page_earlier(page, run);
}

void page_history(struct page *p, const char *path)
{
	stored_history(path, EARLIER_MAX, add_earlier, p);
}

static void close_block(struct page *p)
{
	auto_free char *packed = NULL;
	size_t len;

	if (p->in_block == 0)
		return;
	text_add(&p->block, "]");
	packed = deflate_whole(p->block.s, p->block.len, &len);
	value_append(p->blocks, value_string_take(base64_encode(packed, len)));
	text_clear(&p->block);
	p->in_block = 0;
}

static void add_evidence(struct page *p)
{
	text_add(&p->block, p->in_block ? "," : "[");
	page_variant_evidence(&p->now, &p->block);
	if (++p->in_block == BLOCK)
		close_block(p);
}

static void note_names(struct value *map, const struct value *list)
{
	size_t i;

	for (i = 0; list && i < list->list.count; i++)
		value_set_bool(map, list->list.item[i]->s, true);
}

/* A variant without a verdict, because the run was broken off, is shown as one that did not end. */
static void end_variant(struct page *p)
{
	if (!p->now.row)
		return;
	note_names(p->clauses, value_get(p->now.row, "clauses"));
	compare_took(p, p->now.row);
	note_names(p->findings, value_get(p->now.row, "findings"));
	add_evidence(p);
	value_append(p->rows, steal(&p->now.row));
}

static void on_summary(struct page *p, const struct value *event)
{
	value_free(p->summary);
	p->summary = value_dup(event);
}

static void on_kernel(struct page *p, const struct value *event)
{
	struct value *line = value_list();

	value_append(line, value_string(event_string(event, "text")));
	value_append(line, value_string(event_string_or(event, "known", "")));
	value_append(p->kernel, line);
	if (event_has(event, "known"))
		value_set_bool(p->findings, event_string_or(event, "known", ""), true);
}

void page_event(struct page *p, const struct value *event)
{
	if (event_is(event, "scenario")) {
		end_variant(p);
		page_variant_begin(&p->now, event);
		return;
	}
	if (event_is(event, "error"))
		value_append(p->errors, value_string(event_string(event, "text")));
	if (event_is(event, "kernel") && !p->now.row && event_flag(event, "bad"))
		on_kernel(p, event);
	if (event_is(event, "summary"))
		on_summary(p, event);
	page_variant_event(&p->now, event);
	page_explain(p->explained, event);
	if (event_is(event, "verdict"))
		end_variant(p);
}

static struct value *data_of(const struct page *p)
{
	struct value *data = value_map();

	value_set_string(data, "version", PACKAGE_VERSION);
	value_set(data, "summary", p->summary ? value_dup(p->summary) : value_null());
	value_set(data, "runs", value_dup(p->runs));
	value_set(data, "rows", value_dup(p->rows));
	value_set_int(data, "block", BLOCK);
	value_set(data, "blocks", value_dup(p->blocks));
	value_set(data, "explained", value_dup(p->explained));
	value_set(data, "errors", value_dup(p->errors));
	value_set(data, "kernel", value_dup(p->kernel));
	value_set(data, "given", value_dup(p->given));
	page_texts(p->suite, p->clauses, p->findings, data);
	return data;
}

void page_tried(struct page *p, char *tap)
{
	value_set(p->given, "tried", page_mutants_tried(tap));
}

void page_code(struct page *p, char *markdown)
{
	value_set(p->given, "code", page_code_rows(markdown));
}

static void compare_sums(struct text *out, const char *what, int64_t here, int64_t there)
{
	if (here != there)
		text_addf(out, "%s%" PRId64 " %s, and %" PRId64 " in the run's own sums", out->len ? "; " : "", here, what,
			  there);
}

/* A page whose variants are not those that the run counted has lost or invented some. */
char *page_disagrees(const struct page *p)
{
	const struct value *counts = p->summary ? event_map(p->summary, "counts") : NULL;
	int64_t here[VERDICT_COUNT] = {0};
	struct text out = {0};
	enum verdict v;
	size_t i;

	if (!p->summary)
		return NULL;
	for (i = 0; i < p->rows->list.count; i++)
		if (verdict_parse(value_get_string(p->rows->list.item[i], "verdict", ""), &v) == 0)
			here[v]++;
	for (v = 0; v < VERDICT_COUNT; v++)
		compare_sums(&out, verdict_name(v), here[v], value_get_int(counts, verdict_name(v), 0));
	compare_sums(&out, "variants", (int64_t)p->rows->list.count, event_integer(p->summary, "total"));
	return out.s;
}

/* JSON in a script element: no text of the data can end it or begin another one. */
static void put_json(FILE *f, const char *json)
{
	for (; *json; json++) {
		if (*json == '<')
			fputs("\\u003c", f);
		else
			putc(*json, f);
	}
}

static void put_lines(FILE *f, const char *const *line)
{
	for (; *line; line++)
		fprintf(f, "%s\n", *line);
}

static void put_data(const struct page *p, FILE *f)
{
	auto_value struct value *data = data_of(p);
	auto_free char *json = json_write(data);

	put_json(f, json);
}

int page_write(struct page *p, FILE *f)
{
	const char *const *line;

	end_variant(p);
	close_block(p);
	for (line = page_html; *line; line++) {
		if (strcmp(*line, "@css@") == 0)
			put_lines(f, page_css);
		else if (strcmp(*line, "@js@") == 0)
			put_lines(f, page_js);
		else if (strcmp(*line, "@data@") == 0)
			put_data(p, f);
		else
			fprintf(f, "%s\n", *line);
	}
	return fflush(f) == 0 && !ferror(f) ? 0 : -(errno ? errno : EIO);
}
