/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the cells of a matrix from its axes and exclusions. Pure. */
#include "matrix/matrix.h"

#include "base/diag.h"
#include "base/text.h"
#include "base/xalloc.h"

static char *name_of(const struct matrix *m, const struct matrix_cell *cell)
{
	struct text t = {0};
	enum matrix_axis i;

	for (i = 0; i < AXES; i++)
		if (matrix_axis_given(m, i))
			text_addf(&t, "%s%s=%s", t.len ? "," : "", matrix_axes[i].name, matrix_value(m, cell, i));
	return t.s;
}

static bool fits(const struct matrix_exclude *x, const struct matrix_cell *cell)
{
	enum matrix_axis i;

	for (i = 0; i < AXES; i++)
		if (x->has[i] && !x->has[i][cell->at[i]])
			return false;
	return true;
}

/* A cell that two exclusions fit counts for the first one. */
static bool is_excluded(struct matrix *m, const struct matrix_cell *cell)
{
	size_t i;

	for (i = 0; i < m->exclude_count; i++) {
		if (!fits(&m->exclude[i], cell))
			continue;
		m->exclude[i].met++;
		return true;
	}
	return false;
}

/* The next combination: the last axis changes first. False after the last one. */
static bool advance(const struct matrix *m, size_t at[AXES])
{
	size_t i = AXES;

	while (i-- > 0) {
		if (++at[i] < m->axis[i].count)
			return true;
		at[i] = 0;
	}
	return false;
}

static bool is_too_large(const struct matrix *m)
{
	size_t i, product = 1;

	for (i = 0; i < AXES; i++) {
		product *= m->axis[i].count;
		if (product > MATRIX_CELLS_MAX)
			return true;
	}
	return false;
}

void matrix_make_cells(struct matrix *m, struct diagnostics *diag)
{
	struct matrix_cell cell = {0};
	size_t i;

	if (is_too_large(m)) {
		diag_add(diag, (struct pos){1, 1, 0}, NULL, "a matrix has at most %d cells", MATRIX_CELLS_MAX);
		return;
	}
	do {
		if (is_excluded(m, &cell))
			continue;
		GROW(m->cell, m->cells);
		m->cell[m->cells] = cell;
		m->cell[m->cells++].name = name_of(m, &cell);
	} while (advance(m, cell.at));
	for (i = 0; i < m->exclude_count; i++)
		if (!m->exclude[i].met)
			diag_add(diag, m->exclude[i].pos, NULL, "this exclusion leaves out no cell, or only cells that exclusions before it leave out");
	if (!m->cells)
		diag_add(diag, m->exclude[0].pos, NULL, "the exclusions leave no cell");
}
