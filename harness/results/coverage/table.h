/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COVERAGE_TABLE_H
#define VBM_COVERAGE_TABLE_H

#include <stddef.h>

#include <verbatim/error.h>

/* A table of a suite: lines of cells with tabs between them, below a header. */
#define TABLE_CELLS_MAX 8

struct table_format {
	const char *file;			/* "coverage.tsv" */
	const char *column[TABLE_CELLS_MAX];	/* ends with NULL, or is full */
	/* Takes the cells of line @number. They are borrowed from the text. */
	int (*take)(void *out, char *const *cell, int number, struct vbm_error *err);
};

/*
 * Splits @text in place, and gives each line below the header to @format->take with @out.
 * 0; -EINVAL with @err for a wrong header or number of cells; or what take() returns.
 */
int table_parse(const struct table_format *format, char *text, void *out, struct vbm_error *err);

/* The text of the table in the folder @dir, which the caller frees. NULL and 0: there is no such file. */
int table_load(const struct table_format *format, const char *dir, char **text,
	       struct vbm_error *err);

/* -EINVAL with @err: the line @number does not have as many cells as the header. */
int table_refuse(const struct table_format *format, int number, struct vbm_error *err);

#endif
