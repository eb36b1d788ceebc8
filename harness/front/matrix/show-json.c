/* SPDX-License-Identifier: BSD-2-Clause */
/* The report for programs. */
#include "matrix/show.h"

#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"

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
		value_set_string(out, facts[i], matrix_shown_fact(c, facts[i]));
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

void matrix_show_json(struct text *t, const struct shown_matrix *s)
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
