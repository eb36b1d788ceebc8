/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUN_REORDER_H
#define VBM_RUN_REORDER_H

#include <stdint.h>

#include "run/selection.h"

/*
 * Keeps the variants that were not as expected in the stored run at @path, and those that it does not have. Returns an
 * exit status. It may leave no variant, with a message: then there is nothing to run.
 */
int reorder_rerun(struct selection *sel, const char *path);

/* Gives the variants another order, always the same for a @seed. */
void reorder_shuffle(struct selection *sel, uint64_t seed);

#endif
