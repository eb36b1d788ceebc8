/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MATRIX_SHOW_H
#define VBM_MATRIX_SHOW_H

#include <stddef.h>

#include "matrix/differences.h"
#include "matrix/results.h"

struct text;

/* A format gets all of this. */
struct shown_matrix {
	const struct results *results;
	const struct differences *differences;
	size_t limit;	/* variants of each group, 0: all */
};

/* A format of the report: one file and one line in the table. */
struct matrix_format {
	const char *name;
	void (*put)(struct text *t, const struct shown_matrix *s);
};

extern const struct matrix_format matrix_formats[];	/* ends with a NULL name */

const struct matrix_format *matrix_format_find(const char *name);	/* NULL: there is none */
const char *matrix_format_name(size_t i);

void matrix_show_text(struct text *t, const struct shown_matrix *s);
void matrix_show_json(struct text *t, const struct shown_matrix *s);
void matrix_show_md(struct text *t, const struct shown_matrix *s);
void matrix_show_html(struct text *t, const struct shown_matrix *s);

/* ---- parts that several formats need ---- */

/* The kernel, the rdma-core and so on that a cell ran on, or "". Borrowed. */
const char *matrix_shown_fact(const struct cell_result *c, const char *member);

/* A variant's reason in the first cell that has this outcome, or "". Borrowed. */
const char *matrix_shown_reason(const struct shown_matrix *s, const struct difference *d, size_t at, size_t variant);

/* "12 cells: 11 ran, 1 no place". The caller frees it. */
char *matrix_shown_cells(const struct results *r);

/* "143 of 1839 variants differ between cells". The caller frees it. */
char *matrix_shown_differences(const struct differences *d);

#endif
