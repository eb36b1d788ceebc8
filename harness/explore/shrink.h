/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXPLORE_SHRINK_H
#define VBM_EXPLORE_SHRINK_H

#include <stdbool.h>
#include <stddef.h>

#include "explore/sequence.h"

/*
 * Runs @count candidates, at most SHRINK_MAX, and returns the index of the first that fails in the same way, or -1: none
 * does. -2: stop.
 */
#define SHRINK_MAX 32
typedef int shrink_try(void *arg, const struct sequence *candidate, size_t count);

/* Leaves operations out of @s as long as what is left still fails. Pure, except for @try. */
void shrink(struct sequence *s, struct model_stack stack, shrink_try *try, void *arg);

#endif
