/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUNS_MERGE_H
#define VBM_RUNS_MERGE_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "runs/shard.h"
#include "runs/stored.h"

struct merge;
struct value;

/*
 * Makes one run of the shards at @paths, folders or streams. Without @partial a shard that is missing or was
 * broken off is an error, too. -EINVAL if they are not the shards of one run; @err names the shard.
 */
int merge_open(struct merge **out, char *const *paths, size_t count, bool partial, struct vbm_error *err);
void merge_close(struct merge *m);	/* NULL is fine */

/*
 * Gives @fn the events of the whole run: a begin, the variants in the order of their names, what is missing
 * as errors, and a summary. May be called again.
 */
int merge_events(struct merge *m, stored_event_fn *fn, void *arg, struct vbm_error *err);

/* The exit status of the whole run, after merge_events(). */
int merge_status(const struct merge *m);

/* One shard of a run, as far as it must fit the others. */
struct merge_shard {
	const char *path;		/* borrowed */
	const struct value *head;	/* borrowed; its summary, else its begin; NULL: its run had not begun */
	bool ended;
	size_t begun;			/* variants */
	struct shard shard;		/* filled by merge_check() */
};

/*
 * Whether the shards are those of one run: of the same plan, in equal places, each once. -EINVAL, and
 * @err names the shard that is foreign or double.
 */
int merge_check(struct merge_shard *item, size_t count, struct vbm_error *err);

/*
 * Reports gaps of the run: @fn gets one sentence for each shard that is not whole, and one for those that are missing.
 * Returns the number of sentences.
 */
typedef void merge_hole_fn(const char *text, void *arg);
size_t merge_holes(const struct merge_shard *item, size_t count, merge_hole_fn *fn, void *arg);

/* How many variants the whole run should have; -1: a shard is missing, and no other one knows it. */
int merge_planned(const struct merge_shard *item, size_t count);

#endif
