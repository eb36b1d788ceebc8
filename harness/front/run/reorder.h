/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUN_REORDER_H
#define VBM_RUN_REORDER_H

#include <stdint.h>

#include "run/selection.h"
#include "runs/shard.h"

struct value;

/*
 * Keeps the variants that were not as expected in the stored run at @path, and those that it does not have. Returns an
 * exit status. It may leave no variant, with a message: then there is nothing to run.
 */
int reorder_rerun(struct selection *sel, const char *path);

/* Gives the variants another order, always the same for a @seed. */
void reorder_shuffle(struct selection *sel, uint64_t seed);

/*
 * --shard: removes the variants that other shards run. All variants of a scenario stay together. Returns
 * which shard of which plan is left, for the events begin and summary (docs/events.md); the caller owns it.
 * @times is how often each variant will run; 0: that is not known.
 */
struct value *reorder_divide(struct selection *sel, const struct shard *shard, int times);

/*
 * In which order the places of a run begin its variants. If a long one comes last, one
 * place works and the others wait. So those that took long in the stored run at @rerun or in the
 * last one of @history (either may be NULL) come first, the longest first; the others keep their
 * order, because neighbours share fabrics. Reports have the order of the plan.
 *
 * Returns the numbers of the variants, which the caller frees; NULL for the order of the plan: with
 * one place, and if no time is known.
 */
size_t *reorder_by_time(const struct selection *sel, const char *rerun, const char *history, int jobs);

#endif
