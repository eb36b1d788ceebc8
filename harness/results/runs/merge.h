/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUNS_MERGE_H
#define VBM_RUNS_MERGE_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "runs/stored.h"

struct merge;

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

#endif
