/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/page.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/deflate.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "catalogue/clauses.h"
#include "catalogue/finding.h"
#include "catalogue/suite.h"
#include "coverage/survey.h"
#include "event/read.h"
#include "lib/base/fail.h"

/* "ok 3 - NAME: what is broken": the length of the name, which begins at *@name; 0: it is another line. */
static size_t name_of(const char *line, const char **name)
{
	const char *dash = strstr(line, " - ");

	if (!dash || (strncmp(line, "ok ", 3) != 0 && strncmp(line, "not ok ", 7) != 0))
		return 0;
	*name = dash + 3;
	return strcspn(*name, ":");
}

/* {NAME: whether it was killed} */
static struct value *page_mutants_tried(char *tap)
{
	struct value *tried = value_map();
	const char *name;
	char *line;
	size_t len;

	while ((line = file_next_line(&tap))) {
		len = name_of(line, &name);
		if (len == 0)
			continue;
		line[name - line + (ptrdiff_t)len] = '\0';
		value_set_bool(tried, name, line[0] == 'o');
	}
	return tried;
}

/* The cells of "| a | b | c |". */
static struct value *cells_of(char *line)
{
	struct value *cells = value_list();
	char *cell;
	size_t end;

	line++;
	while ((cell = strsep(&line, "|")) && line) {
		cell += strspn(cell, " ");
		for (end = strlen(cell); end > 0 && cell[end - 1] == ' '; end--)
			cell[end - 1] = '\0';
		value_append(cells, value_string(cell));
	}
	return cells;
}

static void take_row(struct value *rows, const char *area, char *line)
{
	struct value *cells = cells_of(line), *row;
	size_t i;

	if (cells->list.count == 3 && strstr(cells->list.item[1]->s, " of ")) {
		row = value_list();
		value_append(row, value_string(area));
		for (i = 0; i < cells->list.count; i++)
			value_append(row, value_dup(cells->list.item[i]));
		value_append(rows, row);
	}
	value_free(cells);
}

/* Rows of area, file, lines, functions; "all" is a file. */
static struct value *page_code_rows(char *markdown)
{
	struct value *rows = value_list();
	const char *area = "";
	char *line;

	while ((line = file_next_line(&markdown))) {
		if (strncmp(line, "## ", 3) == 0)
			area = line + 3;
		else if (*line == '|')
			take_row(rows, area, line);
	}
	return rows;
}

/* {"GAI-NODEV": {"statement": ..., "source": ..., "area": ...}} of the clauses that @names has as keys. */
static struct value *clause_texts(const struct clauses *clauses, const struct value *names)
{
	struct value *all = value_map(), *one;
	const struct clause *c;
	size_t i;

	for (i = 0; i < names->map.count; i++) {
		c = clause_find(clauses, names->map.member[i].key);
		if (!c)
			continue;
		one = value_map();
		value_set_string(one, "statement", c->statement);
		value_set_string(one, "source", c->source);
		value_set_string(one, "area", c->area);
		value_set(all, c->id, one);
	}
	return all;
}

static struct value *finding_texts(const struct findings *findings, const struct value *names)
{
	struct value *all = value_map();
	size_t i;

	for (i = 0; i < findings->count; i++)
		if (value_get(names, findings->item[i].name))
			value_set(all, findings->item[i].name, finding_to_value(&findings->item[i]));
	return all;
}

/* {"gai": ["GAI-NODEV", ...]}: all clauses of the suite, by area. */
static struct value *areas_of(const struct clauses *clauses)
{
	struct value *areas = value_map(), *list;
	size_t i;

	for (i = 0; i < clauses->own; i++) {
		list = value_get(areas, clauses->item[i].area);
		if (!list) {
			list = value_list();
			value_set(areas, clauses->item[i].area, list);
		}
		value_append(list, value_string(clauses->item[i].id));
	}
	return areas;
}

/* [[NAME or "", [CLAUSE, ...]], ...]: without a name, these clauses have a reason why no mutant can break them. */
static struct value *mutants_of(const struct mutants *mutants)
{
	struct value *all = value_list(), *one, *ids;
	size_t i, j;

	for (i = 0; i < mutants->count; i++) {
		one = value_list();
		ids = value_list();
		for (j = 0; j < mutants->item[i].clause_count; j++)
			value_append(ids, value_string(mutants->item[i].clause[j]));
		value_append(one, value_string(mutants->item[i].name ? mutants->item[i].name : ""));
		value_append(one, ids);
		value_append(all, one);
	}
	return all;
}

static int read_suite(const char *suite, const struct value *clauses, const struct value *findings,
		      struct value *out, struct vbm_error *err)
{
	auto_free char *dir = suite ? xstrdup(suite) : NULL, *folder = NULL;
	struct clauses known = {0};
	struct findings list = {0};
	struct mutants mutants = {0};

	if (!dir && suite_default(&dir, err) < 0)
		return -err->code;
	folder = xasprintf("%s/%s", dir, SUITE_FINDINGS);
	if (clauses_load(&known, dir, err) < 0)
		return -err->code;
	value_set(out, "areas", areas_of(&known));
	if (table_load(&mutant_format, dir, &mutants.text, &mutants, NULL) == 0)
		value_set(out, "mutants", mutants_of(&mutants));
	mutants_fini(&mutants);
	if (findings_load(&list, folder, err) == 0) {
		value_set(out, "clauses", clause_texts(&known, clauses));
		value_set(out, "findings", finding_texts(&list, findings));
	}
	findings_fini(&list);
	clauses_fini(&known);
	return 0;
}

/* Sets what the catalogue has about the page's clauses and findings, as two maps. */
static void page_texts(const char *suite, const struct value *clauses, const struct value *findings,
		struct value *out)
{
	struct vbm_error err = {0};

	value_set(out, "clauses", value_map());
	value_set(out, "findings", value_map());
	value_set(out, "areas", value_map());
	value_set(out, "mutants", value_list());
	if (read_suite(suite, clauses, findings, out, &err) < 0)
		value_set_string(out, "no_texts", err.msg);
}

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
	struct value *data;	/* owned; map: all that page.js reads. It owns the next seven */
	struct value *runs;	/* list of columns, the last one is this run */
	struct value *rows;	/* list of maps */
	struct value *blocks;	/* list of strings: evidence, compressed, in base64 */
	struct value *explained;	/* map of names to their explanations */
	struct value *errors;	/* list of strings */
	struct value *kernel;	/* complaints of the kernel outside of variants: lists of text and finding, or "" */
	struct value *given;	/* the results that page_tried() and page_code() were given */
	struct text block;	/* owned; JSON, the evidence that is not compressed yet */
	size_t in_block;	/* variants */
	struct value *clauses, *findings;	/* owned; maps, for their keys */
	struct page_took *took;	/* owned; of the last earlier run, by name */
	size_t tooks;
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

static struct value *add_data(struct page *p, const char *key, struct value *v)
{
	value_set(p->data, key, v);
	return v;
}

struct page *page_new(const char *suite)
{
	struct page *p = xcalloc(1, sizeof(*p));

	p->suite = suite ? xstrdup(suite) : NULL;
	p->data = value_map();
	value_set_string(p->data, "version", PACKAGE_VERSION);
	value_set(p->data, "summary", value_null());
	p->runs = add_data(p, "runs", value_list());
	p->rows = add_data(p, "rows", value_list());
	value_set_int(p->data, "block", BLOCK);
	p->blocks = add_data(p, "blocks", value_list());
	p->explained = add_data(p, "explained", value_map());
	p->errors = add_data(p, "errors", value_list());
	p->kernel = add_data(p, "kernel", value_list());
	p->given = add_data(p, "given", value_map());
	p->clauses = value_map();
	p->findings = value_map();
	return p;
}

void page_free(struct page *p)
{
	if (!p)
		return;
	free(p->suite);
	value_free(p->data);
	text_fini(&p->block);
	value_free(p->clauses);
	value_free(p->findings);
	free_took(p);
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
		value_set(p->data, "summary", value_dup(event));
	page_variant_event(&p->now, event);
	page_explain(p->explained, event);
	if (event_is(event, "verdict"))
		end_variant(p);
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
	const struct value *summary = value_get(p->data, "summary"), *counts;
	int64_t here[VERDICT_COUNT] = {0};
	struct text out = {0};
	enum verdict v;
	size_t i;

	if (summary->type == VALUE_NULL)
		return NULL;
	counts = event_map(summary, "counts");
	for (i = 0; i < p->rows->list.count; i++)
		if (verdict_parse(value_get_string(p->rows->list.item[i], "verdict", ""), &v) == 0)
			here[v]++;
	for (v = 0; v < VERDICT_COUNT; v++)
		compare_sums(&out, verdict_name(v), here[v], value_get_int(counts, verdict_name(v), 0));
	compare_sums(&out, "variants", (int64_t)p->rows->list.count, event_integer(summary, "total"));
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
	auto_free char *json = NULL;

	page_texts(p->suite, p->clauses, p->findings, p->data);
	json = json_write(p->data);
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

int page_file_open(struct page_file *file, const char *path, struct vbm_error *err)
{
	struct stat st;
	bool replace = stat(path, &st) < 0 || S_ISREG(st.st_mode);
	int fd;

	*file = (struct page_file){.path = xstrdup(path)};
	if (replace)
		file->temp = xasprintf("%s.XXXXXX", path);
	fd = replace ? mkostemp(file->temp, O_CLOEXEC) : open(path, O_WRONLY | O_CLOEXEC);
	if (fd >= 0 && (!replace || fchmod(fd, 0644) == 0))
		file->f = fdopen(fd, "w");
	if (file->f)
		return 0;
	vbm_fail(err, errno, "cannot write the page %s: %s", path, strerror(errno));
	free(file->temp);
	free(file->path);
	*file = (struct page_file){0};
	return -err->code;
}

int page_file_close(struct page_file *file, struct page *page, struct vbm_error *err)
{
	int rc = 0;

	if (!file->f)
		return 0;
	if (page)
		rc = page_write(page, file->f);
	if (fclose(file->f) != 0 && rc == 0)
		rc = -errno;
	if (page && rc == 0 && file->temp && rename(file->temp, file->path) < 0)
		rc = -errno;
	if (file->temp && (!page || rc < 0))
		unlink(file->temp);
	if (rc < 0 && err)
		vbm_fail(err, -rc, "page %s: %s", file->path, strerror(-rc));
	free(file->temp);
	free(file->path);
	*file = (struct page_file){0};
	return rc;
}
