/* SPDX-License-Identifier: BSD-2-Clause */
/* The report as a document. */
#include "matrix/show.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

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
		text_addf(t, " | %s | %s | %s | %s | %s", matrix_shown_fact(c, "kernel"), matrix_shown_fact(c, "rdma_core"),
			  matrix_shown_fact(c, "layout"), matrix_shown_fact(c, "lane"),
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

void matrix_show_md(struct text *t, const struct shown_matrix *s)
{
	auto_free char *differ = matrix_shown_differences(s->differences);
	auto_free char *cells = matrix_shown_cells(s->results);
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
