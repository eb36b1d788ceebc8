/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXPLORE_BATCH_H
#define VBM_EXPLORE_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "explore/outcome.h"
#include "explore/sequence.h"

#define BATCH_STEPS 900		/* operations of all sequences of one file, which has at most a megabyte */

/* Where sequences run. Strings are borrowed. */
struct batch_place {
	const char *lane, *kernel, *layout, *device, *target;	/* kernel, device and target may be NULL */
	struct model_stack stack;
	bool first;		/* the first sequence that fails ends a run */
	struct explore_used used;	/* what the last run had */
	int status;		/* exit status of the last run, or -1 */
};

/*
 * Runs @count sequences by "verbatim run", all files of a run in one place as long as its kernel lives, and fills @out; the caller calls outcomes_fini(). 0, or a
 * negative errno with what the run said, if there was no place or the file was refused.
 */
int batch_run(struct batch_place *place, const struct sequence *s, size_t count, struct explore_outcome *out,
	      struct vbm_error *err);

#endif
