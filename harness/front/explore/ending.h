/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXPLORE_ENDING_H
#define VBM_EXPLORE_ENDING_H

#include "explore/walks.h"

/*
 * A sequence ended its place. Walks it once more, in a new place that tells of each operation before it is carried out, and
 * sets *@operation to the one in which the place ends, or to -1: it does not end this time. @walks are the walks that lost the place.
 */
int ending_find(const struct walks *walks, uint64_t sequence, int64_t *operation, struct vbm_error *err);

#endif
