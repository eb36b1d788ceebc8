/* SPDX-License-Identifier: BSD-2-Clause */
#include "matrix/show.h"

#include <string.h>

#include "base/choice.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "page/page.h"
#include "report/output.h"

/* The kernel, the rdma-core and so on that a cell ran on, or "". Borrowed. */
static const char *shown_fact(const struct cell_result *c, const char *member)
{
	return c->state == CELL_RAN ? value_get_string(c->run.summary, member, "") : "";
}

/* The first variant's reason in the first cell that has this outcome, or "". Borrowed. */
static const char *shown_reason(const struct shown_matrix *s, const struct difference *d, size_t at)
{
	const struct stored_variant *v = stored_find(&s->results->cell[d->at[at].cell].run, d->variant[0]);

	return v ? v->reason : "";
}

/* "12 cells: 11 ran, 1 no place". */
static char *shown_cells(const struct results *r)
{
	struct text t = {0};
	size_t i, n;

	text_addf(&t, "%zu cell%s: ", r->matrix->cells, r->matrix->cells == 1 ? "" : "s");
	for (i = CELL_STATES; i-- > 0;) {
		/* Cells that ran come first, then the others from the worst on. */
		size_t state = i == CELL_STATES - 1 ? CELL_RAN : i == CELL_RAN ? CELL_STATES - 1 : i;

		n = results_count(r, (enum cell_state)state);
		if (n)
			text_addf(&t, "%s%zu %s", t.s[t.len - 2] == ':' ? "" : ", ", n, cell_state_names[state]);
	}
	return t.s;
}

/* "143 of 1839 variants differ between cells". */
static char *shown_differences(const struct differences *d)
{
	return xasprintf("%zu of %zu variants differ between cells", d->variants, d->all);
}

/* The report for terminals: what differs, then the cells. */

#define REASON_MAX 90

/* A line for each outcome: "  44, 56: SKIP (needs call=..., which is missing here)". */
static void put_outcomes(struct text *t, const struct shown_matrix *s, const struct difference *d)
{
	const char *reason;
	size_t i;

	for (i = 0; i < d->ats; i++) {
		auto_free char *places = difference_places(d, i);

		if (!places)
			continue;
		text_addf(t, "  %s%s%s", places, *places ? ": " : "", d->at[i].outcome);
		reason = shown_reason(s, d, i);
		if (*reason)
			text_addf(t, " (%.*s%s)", (int)(strlen(reason) > REASON_MAX ? REASON_MAX : strlen(reason)), reason,
				  strlen(reason) > REASON_MAX ? "..." : "");
		text_add(t, "\n");
	}
}

static void put_text_group(struct text *t, const struct shown_matrix *s, const struct difference *d)
{
	size_t shown = s->limit && d->variants > s->limit ? s->limit : d->variants, i;
	auto_free char *axes = difference_axes(d);

	if (d->axes)
		text_addf(t, "by %s: %zu variant%s\n", axes, d->variants, d->variants == 1 ? "" : "s");
	else
		text_addf(t, "not as expected in all cells: %zu variant%s\n", d->variants, d->variants == 1 ? "" : "s");
	put_outcomes(t, s, d);
	for (i = 0; i < shown; i++)
		text_addf(t, "    %s\n", d->variant[i]);
	if (shown < d->variants)
		text_addf(t, "    and %zu more (--all prints them)\n", d->variants - shown);
}

static void put_text_cell(struct text *t, const struct results *r, size_t cell)
{
	const struct cell_result *c = &r->cell[cell];
	auto_free char *counts = results_counts(c);

	text_addf(t, "%s%s\n", r->matrix->cell[cell].name, c->kept ? " (kept from an earlier call)" : "");
	if (c->state == CELL_RAN) {
		struct text place auto_text = {0};

		stored_place(&c->run, &place);
		text_addf(t, "  %s%s\n  %s\n", counts, results_as_expected(c) ? "" : ": not as expected", place.s);
	} else {
		text_addf(t, "  %s%s%s\n", cell_state_names[c->state], c->why ? ": " : "", c->why ? c->why : "");
	}
	text_addf(t, "  %s/%s\n", r->dir, c->folder);
}

static void show_text(struct text *t, const struct shown_matrix *s)
{
	auto_free char *differ = shown_differences(s->differences);
	auto_free char *cells = shown_cells(s->results);
	size_t i;

	text_addf(t, "%s\n", differ);
	for (i = 0; i < s->differences->count; i++)
		put_text_group(t, s, &s->differences->item[i]);
	text_addf(t, "\n%s\n", cells);
	for (i = 0; i < s->results->matrix->cells; i++)
		put_text_cell(t, s->results, i);
}

/* The report for programs. */

static struct value *axes_of(const struct matrix *m)
{
	struct value *axes = value_map();
	enum matrix_axis i;
	size_t k;

	for (i = 0; i < AXES; i++) {
		struct value *list = value_list();

		for (k = 0; k < m->axis[i].count; k++)
			value_append(list, value_string(m->axis[i].value[k].text));
		value_set(axes, matrix_axes[i].name, list);
	}
	return axes;
}

static void add_run(struct value *out, const struct cell_result *c)
{
	static const char *const facts[] = {"kernel", "rdma_core", "layout", "lane", "target"};
	struct value *counts = value_map();
	size_t i;

	for (i = 0; i < VERDICT_COUNT; i++)
		value_set_int(counts, verdict_name((enum verdict)i), (int64_t)c->count[i]);
	value_set(out, "counts", counts);
	for (i = 0; i < ARRAY_SIZE(facts); i++)
		value_set_string(out, facts[i], shown_fact(c, facts[i]));
	value_set_int(out, "took_ms", value_get_int(c->run.summary, "took_ms", 0));
	value_set_bool(out, "expected", results_as_expected(c));
}

static struct value *cell_of(const struct results *r, size_t cell)
{
	const struct matrix_cell *mc = &r->matrix->cell[cell];
	const struct cell_result *c = &r->cell[cell];
	struct value *out = value_map(), *at = value_map();
	enum matrix_axis i;

	value_set_string(out, "name", mc->name);
	for (i = 0; i < AXES; i++)
		value_set_string(at, matrix_axes[i].name, matrix_value(r->matrix, mc, i));
	value_set(out, "at", at);
	value_set_string(out, "state", cell_state_names[c->state]);
	value_set_string(out, "folder", c->folder);
	value_set_bool(out, "kept", c->kept);
	if (c->why)
		value_set_string(out, "why", c->why);
	if (c->state == CELL_RAN)
		add_run(out, c);
	return out;
}

static struct value *difference_of(const struct difference *d)
{
	struct value *out = value_map(), *axes = value_list(), *at = value_list(), *variants = value_list();
	size_t i;

	for (i = 0; i < AXES; i++)
		if (d->axes >> i & 1)
			value_append(axes, value_string(matrix_axes[i].name));
	for (i = 0; i < d->ats; i++) {
		struct value *one = value_map();

		value_set_string(one, "where", d->at[i].where);
		value_set_string(one, "outcome", d->at[i].outcome);
		value_append(at, one);
	}
	for (i = 0; i < d->variants; i++)
		value_append(variants, value_string(d->variant[i]));
	value_set(out, "explained_by", axes);
	value_set(out, "outcomes", at);
	value_set(out, "variants", variants);
	return out;
}

static void show_json(struct text *t, const struct shown_matrix *s)
{
	struct value *cells = value_list(), *differences = value_list();
	auto_value struct value *out = value_map();
	auto_free char *text = NULL;
	size_t i;

	for (i = 0; i < s->results->matrix->cells; i++)
		value_append(cells, cell_of(s->results, i));
	for (i = 0; i < s->differences->count; i++)
		value_append(differences, difference_of(&s->differences->item[i]));
	value_set_string(out, "matrix", s->results->matrix->title);
	value_set(out, "axes", axes_of(s->results->matrix));
	value_set_int(out, "variants", (int64_t)s->differences->all);
	value_set_int(out, "variants_that_differ", (int64_t)s->differences->variants);
	value_set(out, "differences", differences);
	value_set(out, "cells", cells);
	text = json_write_pretty(out);
	text_addf(t, "%s\n", text);
}

/* The report as a document. */

/* A cell of a table may have no bar and no new line. */
static void put_plain(struct text *t, const char *s)
{
	for (; *s; s++) {
		if (strchr("|*_\\`<[]", *s))
			text_add(t, "\\");
		text_add_bytes(t, *s == '\n' ? " " : s, 1);
	}
}

static void put_cells(struct text *t, const struct results *r)
{
	size_t i;

	text_add(t, "| cell | kernel | rdma-core | layout | lane | came to |\n|---|---|---|---|---|---|\n");
	for (i = 0; i < r->matrix->cells; i++) {
		const struct cell_result *c = &r->cell[i];
		auto_free char *counts = results_counts(c);

		text_add(t, "| ");
		put_plain(t, r->matrix->cell[i].name);
		text_addf(t, " | %s | %s | %s | %s | %s", shown_fact(c, "kernel"), shown_fact(c, "rdma_core"),
			  shown_fact(c, "layout"), shown_fact(c, "lane"),
			  c->state == CELL_RAN ? counts : cell_state_names[c->state]);
		if (c->why) {
			text_add(t, ": ");
			put_plain(t, c->why);
		}
		text_add(t, " |\n");
	}
}

static void put_group(struct text *t, const struct shown_matrix *s, const struct difference *d)
{
	size_t shown = s->limit && d->variants > s->limit ? s->limit : d->variants, i;

	text_addf(t, "\n- %zu variant%s: ", d->variants, d->variants == 1 ? "" : "s");
	for (i = 0; i < d->ats; i++) {
		auto_free char *places = difference_places(d, i);

		if (!places)
			continue;
		text_add(t, i ? "; " : "");
		put_plain(t, places);
		text_addf(t, "%s**", *places ? ": " : "");
		put_plain(t, d->at[i].outcome);
		text_add(t, "**");
	}
	text_add(t, ".");
	for (i = 0; i < shown; i++)
		text_addf(t, "%s`%s`", i ? ", " : "\n  ", d->variant[i]);
	if (shown < d->variants)
		text_addf(t, " and %zu more", d->variants - shown);
	text_add(t, "\n");
}

/* Groups with the same axes are below one heading, in the order of their first one. */
static void put_groups(struct text *t, const struct shown_matrix *s, size_t first)
{
	const struct difference *d = s->differences->item;
	auto_free char *axes = difference_axes(&d[first]);
	size_t i;

	for (i = 0; i < first; i++)
		if (d[i].axes == d[first].axes)
			return;
	if (d[first].axes)
		text_addf(t, "\n## Explained by %s\n", axes);
	else
		text_add(t, "\n## Not as expected in all cells\n");
	for (i = first; i < s->differences->count; i++)
		if (d[i].axes == d[first].axes)
			put_group(t, s, &d[i]);
}

static void show_md(struct text *t, const struct shown_matrix *s)
{
	auto_free char *differ = shown_differences(s->differences);
	auto_free char *cells = shown_cells(s->results);
	size_t i;

	text_add(t, "# ");
	put_plain(t, s->results->matrix->title);
	text_addf(t, "\n\nMade by `verbatim matrix`, with %s. %s. %s.\n",
		  s->results->matrix->run_count ? "the scenarios that its file names" : "all scenarios", differ, cells);
	for (i = 0; i < s->differences->count; i++)
		put_groups(t, s, i);
	text_add(t, "\n## Cells\n\n");
	put_cells(t, s->results);
}

/*
 * The report as a page in one file, in the style of a run's page. It needs no script and
 * no network. Its links lead to the folders beside it.
 */

static const char *const style =
	"html, body { height: auto; }\n"
	"main { display: block; padding: 0 16px 16px; }\n"
	"h2 { font-size: 16px; margin: 20px 0 6px; }\n"
	"details { margin: 4px 0; } summary { cursor: pointer; }\n"
	"ul.variants { margin: 4px 0; columns: 3 22em; }\n";

/* The text for HTML; characters that would change the direction of writing are made visible first. */
static void put_html(struct text *t, const char *s)
{
	struct text shown auto_text = {0};

	text_add_visible_line(&shown, s);
	text_add_xml(t, shown.s ? shown.s : "", "&<>\"'");
}

/* A path in a link; folders of cells have no characters but these and those of output_folder_name(). */
static void put_link(struct text *t, const struct cell_result *c, const char *file, const char *text)
{
	text_add(t, "<a href=\"");
	put_html(t, c->folder);
	text_add(t, "/");
	put_html(t, file);
	text_add(t, "\">");
	put_html(t, text);
	text_add(t, "</a>");
}

static const char *class_of(const char *outcome)
{
	auto_free char *word = xstrndup(outcome, strcspn(outcome, " "));
	enum verdict v;

	if (verdict_parse(word, &v) < 0 || v == VERDICT_SKIP)
		return "none";
	if (!verdict_is_expected(v))
		return "bad";
	return v == VERDICT_PASS ? "good" : "known";
}

/* A row of the table of cells. A cell that did not run has its reason instead of counts. */
static void put_html_cell(struct text *t, const struct results *r, size_t cell)
{
	const struct cell_result *c = &r->cell[cell];
	enum matrix_axis i;
	enum verdict v;

	text_add(t, "<tr><th scope=\"row\">");
	put_link(t, c, c->state == CELL_RAN ? "page.html" : "errors.txt", r->matrix->cell[cell].name);
	text_add(t, "</th>");
	for (i = 0; i < AXES; i++) {
		text_add(t, "<td>");
		put_html(t, matrix_value(r->matrix, &r->matrix->cell[cell], i));
		text_add(t, "</td>");
	}
	if (c->state != CELL_RAN) {
		text_addf(t, "<td colspan=\"%d\" class=\"known\">%s: ", VERDICT_COUNT, cell_state_names[c->state]);
		put_html(t, c->why ? c->why : "it has not run here");
		text_add(t, "</td></tr>\n");
		return;
	}
	for (v = 0; v < VERDICT_COUNT; v++)
		text_addf(t, "<td class=\"%s\">%zu</td>", c->count[v] ? class_of(verdict_name(v)) : "quiet", c->count[v]);
	text_add(t, "</tr>\n");
}

static void put_html_cells(struct text *t, const struct results *r)
{
	enum matrix_axis i;
	enum verdict v;
	size_t k;

	text_add(t, "<h2>Cells</h2>\n<table>\n<thead><tr><th scope=\"col\">cell</th>");
	for (i = 0; i < AXES; i++)
		text_addf(t, "<th scope=\"col\">%s</th>", matrix_axes[i].name);
	for (v = 0; v < VERDICT_COUNT; v++)
		text_addf(t, "<th scope=\"col\">%s</th>", verdict_name(v));
	text_add(t, "</tr></thead>\n<tbody>\n");
	for (k = 0; k < r->matrix->cells; k++)
		put_html_cell(t, r, k);
	text_add(t, "</tbody>\n</table>\n");
}

/* A variant leads to its evidence in the first cell of each outcome. */
static void put_variant(struct text *t, const struct shown_matrix *s, const struct difference *d, size_t variant)
{
	auto_free char *folder = output_folder_name(d->variant[variant]);
	size_t i;

	text_add(t, "<li>");
	put_html(t, d->variant[variant]);
	for (i = 0; i < d->ats; i++) {
		text_add(t, " ");
		put_link(t, &s->results->cell[d->at[i].cell], folder, *d->at[i].where ? d->at[i].where : "evidence");
	}
	text_add(t, "</li>\n");
}

static void put_html_group(struct text *t, const struct shown_matrix *s, const struct difference *d)
{
	auto_free char *axes = difference_axes(d);
	const char *reason;
	size_t i;

	text_addf(t, "<details%s><summary><b>%zu variant%s</b> by %s:", d->rank == 0 ? " open" : "", d->variants,
		  d->variants == 1 ? "" : "s", axes);
	for (i = 0; i < d->ats; i++) {
		auto_free char *places = difference_places(d, i);

		if (!places)
			continue;
		text_add(t, " ");
		put_html(t, places);
		text_addf(t, " <span class=\"verdict %s\">", class_of(d->at[i].outcome));
		put_html(t, d->at[i].outcome);
		text_add(t, "</span>");
		reason = shown_reason(s, d, i);
		if (*reason) {
			text_add(t, " <span class=\"quiet\">(");
			put_html(t, reason);
			text_add(t, ")</span>");
		}
	}
	text_add(t, "</summary>\n<ul class=\"variants\">\n");
	for (i = 0; i < d->variants; i++)
		put_variant(t, s, d, i);
	text_add(t, "</ul></details>\n");
}

static void put_head(struct text *t, const struct shown_matrix *s)
{
	auto_free char *differ = shown_differences(s->differences);
	auto_free char *cells = shown_cells(s->results);
	const char *const *line;

	text_add(t, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
		 "<title>Verbatim: ");
	put_html(t, s->results->matrix->title);
	text_add(t, "</title>\n<style>\n");
	for (line = page_css; *line; line++)
		text_addf(t, "%s\n", *line);
	text_addf(t, "%s</style>\n</head>\n<body>\n<header>\n<h1>Verbatim</h1>\n<p>", style);
	put_html(t, s->results->matrix->title);
	text_addf(t, "</p>\n<p>%s. %s.</p>\n</header>\n<main>\n", differ, cells);
}

static void show_html(struct text *t, const struct shown_matrix *s)
{
	size_t i;

	put_head(t, s);
	text_add(t, "<h2>Differences</h2>\n");
	for (i = 0; i < s->differences->count; i++)
		put_html_group(t, s, &s->differences->item[i]);
	if (!s->differences->count)
		text_add(t, "<p>No variant differs between cells, and no variant is unexpected in all of them.</p>\n");
	put_html_cells(t, s->results);
	text_add(t, "</main>\n</body>\n</html>\n");
}

static const struct {
	const char *name;
	void (*put)(struct text *t, const struct shown_matrix *s);
} formats[] = {
	{"text", show_text},
	{"json", show_json},
	{"md", show_md},
	{"html", show_html},
	{0},
};

const char *matrix_format_name(size_t i)
{
	return formats[i].name;
}

void matrix_show(struct text *t, const struct shown_matrix *s, const char *format)
{
	formats[choice_find(matrix_format_name, format)].put(t, s);
}
