/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MATRIX_MATRIX_H
#define VBM_MATRIX_MATRIX_H

/*
 * Runs in: the front end, in its main thread; each cell is a child, verbatim run.
 * Owns:    the cells and what they left.
 * Ends:    after the last cell, or at a signal.
 * Tests:   unit/test_matrix, test_matrix_results; tests/cli/matrix.test.
 */

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "base/choice.h"
#include "base/value.h"

struct diagnostics;
struct string_list;
struct text;

/*
 * A matrix: one run of scenarios for each combination of the values of its axes. file.c
 * reads its file and makes the combinations (pure), settle.c finds what they need on this
 * machine.
 */
enum matrix_axis {
	AXIS_KERNEL,
	AXIS_RDMA_CORE,
	AXIS_LAYOUT,
	AXIS_LANE,
	AXIS_DEVICE,
	AXIS_TARGET,
	AXES
};

struct axis_value {
	char *text;	/* owned; as the file has it */
	char *word;	/* owned; for verbatim run: a path counts from this process's folder; NULL before matrix_settle() */
	struct pos pos;	/* line 0: the file does not have this axis */
};

struct axis {
	struct axis_value *value;	/* owned; at least one: the default if the file has none */
	size_t count;
};

/* One of the entries of "exclude:". A cell is left out if each axis that is named has a value of the list. */
struct matrix_exclude {
	struct pos pos;
	bool *has[AXES];	/* owned; by value of the axis; NULL: any value */
	size_t met;		/* cells */
};

/* The values that settle.c finds for a cell. */
struct matrix_cell {
	char *name;		/* owned; "kernel=6.1,rdma-core=56" */
	size_t at[AXES];	/* the number of its value on each axis */
	const char *build;	/* borrowed; the build of rdma-core; NULL: this machine's libraries */
	const char *version;	/* borrowed; of its rdma-core; for a build that the file names, its path */
	const char *release;	/* borrowed; of its kernel; NULL: the lane boots none */
};

#define MATRIX_CELLS_MAX 1024

struct matrix {
	char *title;		/* owned */
	struct axis axis[AXES];
	char **run;		/* owned; arguments of verbatim run, as the file has them */
	struct pos *run_pos;	/* owned */
	size_t run_count;
	struct matrix_exclude *exclude;	/* owned */
	size_t exclude_count;
	struct matrix_cell *cell;	/* owned; those that are left */
	size_t cells;
	char **build, **version;	/* owned; by value of the axis rdma-core */
	char **release;		/* owned; by value of the axis lane, then of the axis kernel */
};

/* The axes in the order of their names in a cell. */
struct axis_kind {
	const char *name;	/* "rdma-core" */
	const char *fallback;	/* the value when the file has no such axis */
	const char *option;	/* of verbatim run; NULL: settle.c makes its words */
	/* 0, or -EINVAL and why @text is no value of this axis; NULL: the values are @names. */
	int (*check)(const char *text, struct vbm_error *err);
	choice_name *names;
};

extern const struct axis_kind matrix_axes[AXES];

/* AXES: no axis has that name. */
enum matrix_axis matrix_axis_find(const char *name);

/* Whether the file has this axis. */
bool matrix_axis_given(const struct matrix *m, enum matrix_axis axis);

/* The value of a cell, as the file has it. Borrowed. */
const char *matrix_value(const struct matrix *m, const struct matrix_cell *cell, enum matrix_axis axis);

/* -EINVAL with diagnostics if the text is no matrix. Its cells are made. */
int matrix_parse(struct matrix *out, const char *text, size_t len, struct diagnostics *diag);
void matrix_fini(struct matrix *m);

/*
 * settle.c: looks for each kernel and each rdma-core on this machine. A value that is not
 * there is a diagnostic with the command that gets it, and so are two values that mean
 * the same. @file is the path of the matrix's file.
 */
void matrix_settle(struct matrix *m, const char *file, struct diagnostics *diag);

/*
 * settle.c: finds the scenarios of "run:". A path counts from the folder of @file, the matrix's own
 * file; what is no path there is a name, as for verbatim run. @args gets the arguments of
 * the runs. Each entry that names nothing is a diagnostic, and so is a file that is not valid,
 * whose own errors @lines gets. Returns what the files are (a map of their ids and checksums),
 * for the caller to free.
 */
struct value *matrix_find_scenarios(const struct matrix *m, const char *file, struct string_list *args,
				    struct diagnostics *diag, struct text *lines);

#define auto_matrix __attribute__((cleanup(matrix_fini)))

#endif
