/* SPDX-License-Identifier: BSD-2-Clause */
/* The report for terminals: what differs, then the cells. */
#include "matrix/show.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

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
		reason = matrix_shown_reason(s, d, i);
		if (*reason)
			text_addf(t, " (%.*s%s)", (int)(strlen(reason) > REASON_MAX ? REASON_MAX : strlen(reason)), reason,
				  strlen(reason) > REASON_MAX ? "..." : "");
		text_add(t, "\n");
	}
}

static void put_group(struct text *t, const struct shown_matrix *s, const struct difference *d)
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

static void put_cell(struct text *t, const struct results *r, size_t cell)
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

void matrix_show_text(struct text *t, const struct shown_matrix *s)
{
	auto_free char *differ = matrix_shown_differences(s->differences);
	auto_free char *cells = matrix_shown_cells(s->results);
	size_t i;

	text_addf(t, "%s\n", differ);
	for (i = 0; i < s->differences->count; i++)
		put_group(t, s, &s->differences->item[i]);
	text_addf(t, "\n%s\n", cells);
	for (i = 0; i < s->results->matrix->cells; i++)
		put_cell(t, s->results, i);
}
