/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MATRIX_DRIVE_H
#define VBM_MATRIX_DRIVE_H

#include <stdbool.h>

#include <verbatim/error.h>

#include "base/strlist.h"
#include "worker/signals.h"
#include "matrix/results.h"

/*
 * Runs the cells, each as a process of verbatim run, and reads what they left. A cell that
 * an earlier call completed is kept if it was made with the same values, kernel, rdma-core
 * and scenario files.
 */
struct drive {
	struct results *results;
	struct value *files;	/* borrowed; what the scenario files are: part of a cell's record */
	struct string_list args;	/* owned; the arguments of each run */
	const bool *mine;	/* borrowed; by cell: whether it is of this call's shard; NULL: all are */
	int jobs;		/* cells at the same time */
	bool fresh;		/* keep no cell */
	bool no_run;		/* start no cell: one that is not complete waits */
	struct signals *signals;
};

/*
 * Fails if a cell cannot be started at all. After a signal, which the caller finds in
 * @signals, the cells that have not ended are broken off, and the others wait.
 */
int drive_cells(struct drive *d, struct vbm_error *err);

#endif
