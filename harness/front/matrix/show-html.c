/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The report as a page in one file, in the style of a run's page. It needs no script and
 * no network. Its links lead to the folders beside it.
 */
#include "matrix/show.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "page/page.h"
#include "report/output.h"

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
static void put_cell(struct text *t, const struct results *r, size_t cell)
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

static void put_cells(struct text *t, const struct results *r)
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
		put_cell(t, r, k);
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

static void put_group(struct text *t, const struct shown_matrix *s, const struct difference *d)
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
		reason = matrix_shown_reason(s, d, i);
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
	auto_free char *differ = matrix_shown_differences(s->differences);
	auto_free char *cells = matrix_shown_cells(s->results);
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

void matrix_show_html(struct text *t, const struct shown_matrix *s)
{
	size_t i;

	put_head(t, s);
	text_add(t, "<h2>Differences</h2>\n");
	for (i = 0; i < s->differences->count; i++)
		put_group(t, s, &s->differences->item[i]);
	if (!s->differences->count)
		text_add(t, "<p>No variant differs between cells, and no variant is unexpected in all of them.</p>\n");
	put_cells(t, s->results);
	text_add(t, "</main>\n</body>\n</html>\n");
}
