/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUN_DIVIDE_H
#define VBM_RUN_DIVIDE_H

#include "run/selection.h"
#include "runs/shard.h"

struct value;

/*
 * --shard: removes the variants that other shards run. All variants of a scenario stay together. Returns
 * which shard of which plan is left, for the events begin and summary (docs/events.md); the caller owns it.
 * @times is how often each variant will run; 0: that is not known.
 */
struct value *divide(struct selection *sel, const struct shard *shard, int times);

#endif
