/* SPDX-License-Identifier: BSD-2-Clause */
#include "matrix/show.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"

#define NOT_RUN "not run"

enum { RANK_BAD, RANK_FINDING, RANK_OTHER };

/* A variant, and its outcome in each cell: a number in the list of texts, or -1 where the cell did not run. */
struct outcome_row {
	const char *variant;
	int *outcome;
};

struct comparing {
	const struct results *r;
	struct differences *out;
	size_t cells;
};

/* ---- the rows ---- */

static int text_number(struct string_list *texts, const char *text)
{
	size_t i;

	for (i = 0; i < texts->count; i++)
		if (!strcmp(texts->item[i], text))
			return (int)i;
	string_list_add(texts, text);
	return (int)i;
}

static int outcome_of(const struct comparing *w, size_t cell, const char *variant)
{
	const struct cell_result *c = &w->r->cell[cell];
	const struct stored_variant *v;
	struct text t auto_text = {0};
	size_t i;

	if (c->state != CELL_RAN)
		return -1;
	v = stored_find(&c->run, variant);
	if (!v)
		return text_number(&w->out->outcome, NOT_RUN);
	text_add(&t, verdict_name(v->verdict));
	for (i = 0; v->findings && i < v->findings->list.count; i++)
		text_addf(&t, "%s %s", i ? "," : "", v->findings->list.item[i]->s);
	return text_number(&w->out->outcome, t.s);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of all variants, each once, in order. The caller frees the array. */
static const char **names_of(const struct comparing *w, size_t *count)
{
	size_t i, k, n = 0, left = 0;
	const char **names;

	for (i = 0; i < w->cells; i++)
		n += w->r->cell[i].run.count;
	names = xcalloc(n + 1, sizeof(const char *));
	for (n = 0, i = 0; i < w->cells; i++)
		for (k = 0; k < w->r->cell[i].run.count; k++)
			names[n++] = w->r->cell[i].run.item[k].name;
	qsort(names, n, sizeof(const char *), by_text);
	for (i = 0; i < n; i++)
		if (!left || strcmp(names[left - 1], names[i]) != 0)
			names[left++] = names[i];
	*count = left;
	return names;
}

/* ---- which axes explain a row ---- */

/* The number of the place of a cell on the axes of @axes. */
static size_t place_of(const struct matrix *m, unsigned int axes, size_t cell)
{
	size_t place = 0, i;

	for (i = 0; i < AXES; i++)
		if (axes >> i & 1)
			place = place * m->axis[i].count + m->cell[cell].at[i];
	return place;
}

static bool explains(const struct comparing *w, unsigned int axes, const int *outcome)
{
	const struct matrix *m = w->r->matrix;
	auto_free int *seen = xcalloc(MATRIX_CELLS_MAX, sizeof(*seen));
	size_t i, place;

	for (i = 0; i < w->cells; i++) {
		if (outcome[i] < 0)
			continue;
		place = place_of(m, axes, i);
		if (seen[place] && seen[place] != outcome[i] + 1)
			return false;
		seen[place] = outcome[i] + 1;
	}
	return true;
}

/* All axes together always explain a row, because they tell each cell from the others. */
static unsigned int fewest_axes(const struct comparing *w, const int *outcome)
{
	unsigned int axes;
	int bits;

	for (bits = 0; bits < AXES; bits++)
		for (axes = 0; axes < 1u << AXES; axes++)
			if (__builtin_popcount(axes) == bits && explains(w, axes, outcome))
				return axes;
	return (1u << AXES) - 1;
}

/* ---- groups ---- */

static size_t compared_cells;	/* for qsort(3): how many outcomes a row has */

static int by_outcomes(const void *a, const void *b)
{
	const struct outcome_row *x = a, *y = b;
	int c = memcmp(x->outcome, y->outcome, compared_cells * sizeof(int));

	return c ? c : strcmp(x->variant, y->variant);
}

static char *where_of(const struct matrix *m, unsigned int axes, size_t cell)
{
	struct text t = {0};
	enum matrix_axis i;

	text_add(&t, "");
	for (i = 0; i < AXES; i++)
		if (axes >> i & 1)
			text_addf(&t, "%s%s", t.len ? " x " : "", matrix_value(m, &m->cell[cell], i));
	return t.s;
}

/* One entry for each place on the group's axes where a cell ran. */
static void add_places(const struct comparing *w, struct difference *d, const int *outcome)
{
	auto_free bool *seen = xcalloc(MATRIX_CELLS_MAX, sizeof(*seen));
	const struct matrix *m = w->r->matrix;
	size_t i, place;

	for (i = 0; i < w->cells; i++) {
		place = place_of(m, d->axes, i);
		if (outcome[i] < 0 || seen[place])
			continue;
		seen[place] = true;
		d->at = xreallocarray(d->at, d->ats + 1, sizeof(*d->at));
		d->at[d->ats++] = (struct outcome_at){where_of(m, d->axes, i), w->out->outcome.item[outcome[i]], i};
	}
}

static bool is_bad(const char *outcome)
{
	auto_free char *word = xstrndup(outcome, strcspn(outcome, " "));
	enum verdict v;

	return verdict_parse(word, &v) == 0 && !verdict_is_expected(v);
}

static int rank_of(const struct difference *d)
{
	int rank = RANK_OTHER;
	size_t i;

	for (i = 0; i < d->ats; i++) {
		if (is_bad(d->at[i].outcome))
			return RANK_BAD;
		if (strchr(d->at[i].outcome, ' ') && strcmp(d->at[i].outcome, NOT_RUN) != 0)
			rank = RANK_FINDING;
	}
	return rank;
}

static void difference_fini(struct difference *d)
{
	size_t i;

	for (i = 0; i < d->ats; i++)
		free(d->at[i].where);
	free(d->at);
	free(d->variant);
}

static void add_group(const struct comparing *w, const struct outcome_row *rows, size_t count)
{
	struct differences *out = w->out;
	struct difference d = {.axes = fewest_axes(w, rows[0].outcome), .variants = count};
	size_t i;

	add_places(w, &d, rows[0].outcome);
	d.rank = rank_of(&d);
	if (!d.axes && d.rank != RANK_BAD) {
		difference_fini(&d);
		return;
	}
	d.variant = xcalloc(count, sizeof(const char *));
	for (i = 0; i < count; i++)
		d.variant[i] = rows[i].variant;
	out->variants += d.axes ? count : 0;
	GROW(out->item, out->count);
	out->item[out->count++] = d;
}

static int worst_first(const void *a, const void *b)
{
	const struct difference *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank - y->rank;
	if (x->variants != y->variants)
		return x->variants > y->variants ? -1 : 1;
	return strcmp(x->variant[0], y->variant[0]);
}

void differences_make(struct differences *out, const struct results *r)
{
	struct comparing w = {.r = r, .out = out, .cells = r->matrix->cells};
	auto_free const char **names = NULL;
	auto_free struct outcome_row *rows = NULL;
	auto_free int *outcomes = NULL;
	size_t i, k, first;

	*out = (struct differences){0};
	names = names_of(&w, &out->all);
	rows = xcalloc(out->all + 1, sizeof(*rows));
	outcomes = xcalloc(out->all * w.cells + 1, sizeof(*outcomes));
	for (i = 0; i < out->all; i++) {
		rows[i] = (struct outcome_row){.variant = names[i], .outcome = outcomes + i * w.cells};
		for (k = 0; k < w.cells; k++)
			rows[i].outcome[k] = outcome_of(&w, k, names[i]);
	}
	compared_cells = w.cells;
	qsort(rows, out->all, sizeof(*rows), by_outcomes);
	for (first = 0, i = 1; i <= out->all; i++) {
		if (i < out->all && !memcmp(rows[i].outcome, rows[first].outcome, w.cells * sizeof(int)))
			continue;
		add_group(&w, rows + first, i - first);
		first = i;
	}
	if (out->count)
		qsort(out->item, out->count, sizeof(*out->item), worst_first);
}

void differences_fini(struct differences *d)
{
	size_t i;

	for (i = 0; i < d->count; i++)
		difference_fini(&d->item[i]);
	free(d->item);
	string_list_fini(&d->outcome);
	*d = (struct differences){0};
}

char *difference_axes(const struct difference *d)
{
	struct text t = {0};
	size_t i;

	if (!d->axes)
		return xstrdup("all cells");
	for (i = 0; i < AXES; i++)
		if (d->axes >> i & 1)
			text_addf(&t, "%s%s", t.len ? " and " : "", matrix_axes[i].name);
	return t.s;
}

char *difference_places(const struct difference *d, size_t first)
{
	struct text t = {0};
	size_t i;

	for (i = 0; i < first; i++)
		if (d->at[i].outcome == d->at[first].outcome)
			return NULL;
	text_add(&t, d->at[first].where);
	for (i = first + 1; i < d->ats; i++)
		if (d->at[i].outcome == d->at[first].outcome)
			text_addf(&t, ", %s", d->at[i].where);
	return t.s;
}
