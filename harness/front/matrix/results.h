/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MATRIX_RESULTS_H
#define VBM_MATRIX_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "event/event.h"
#include "matrix/matrix.h"
#include "runs/stored.h"

struct findings;
struct text;
struct value;

/*
 * The results of the cells of a matrix. Each cell has a folder below that of the matrix:
 *
 *   cell.json     what the cell was made with; a cell is kept only while this is the same
 *   report.txt    what verbatim run printed, and errors.txt, what it said on standard error
 *   page.html     the page of the run
 *   summary.json and the evidence of the variants, as verbatim run --output writes them
 */
enum cell_state {
	CELL_WAITS,	/* it has not run yet */
	CELL_RAN,
	CELL_NO_PLACE,	/* there was no place for it: its run ended with status 3 */
	CELL_REFUSED,	/* its run ended with status 2 */
	CELL_BROKEN,	/* its run did not come to its end */
	CELL_ELSEWHERE,	/* another shard runs it */
	CELL_STATES
};

struct cell_result {
	enum cell_state state;
	bool kept;		/* from an earlier call */
	char *folder;		/* owned; its name below that of the matrix */
	char *why;		/* owned; why it did not run, or NULL */
	struct stored_run run;	/* only with CELL_RAN */
	size_t count[VERDICT_COUNT];
};

struct results {
	const struct matrix *matrix;	/* borrowed */
	char *dir;			/* owned */
	struct cell_result *cell;	/* owned; as many as the matrix has cells */
};

void results_init(struct results *r, const struct matrix *m, const char *dir);
void results_fini(struct results *r);

/*
 * Makes the folder, and locks it until the descriptor that is returned is closed. -EBUSY:
 * another call of verbatim matrix works in it.
 */
int results_lock(const struct results *r, struct vbm_error *err);

extern const char *const cell_state_names[CELL_STATES];

/* The path of a file in a cell's folder; the caller frees it. */
char *results_path(const struct results *r, size_t cell, const char *file);

/*
 * Reads what a cell left in its folder. @status is that of waitpid(2) of its run, or -1 if
 * the run was in an earlier call: then the state is CELL_WAITS unless the run is complete.
 */
void results_read(struct results *r, size_t cell, int status);

/* How many cells are in @state. */
size_t results_count(const struct results *r, enum cell_state state);

/* Whether all variants of a cell that ran were as expected. */
bool results_as_expected(const struct cell_result *c);

/* "120 PASS, 91 XFAIL, 75 SKIP", for the caller to free. */
char *results_counts(const struct cell_result *c);

/* The exit status of the matrix (cmd.h). */
int results_status(const struct results *r);

/*
 * Adds the lines that verbatim findings reads (findings/list.h): the cells that ran, and for
 * each finding the cells in which a variant showed it ("in"), and those in which all that
 * would show it every time passed ("not_in"). Pure.
 */
void matrix_record(struct text *t, const struct results *r, const struct findings *findings);

#endif
