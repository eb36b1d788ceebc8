/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXPLORE_SHRINK_H
#define VBM_EXPLORE_SHRINK_H

#include <stdbool.h>
#include <stddef.h>

#include "explore/sequence.h"

#define SHRINK_MAX 32

/* The result of candidates: the first @tried of them ran, and @fails has those that failed in the same way. */
struct shrink_tried {
	size_t tried;
	bool fails[SHRINK_MAX];
};

/* Runs @count candidates, at most SHRINK_MAX, or those up to the first that fails, and fills @out. A negative value: stop. */
typedef int shrink_try(void *arg, const struct sequence *candidate, size_t count, struct shrink_tried *out);

/* Leaves operations out of @s as long as what is left still fails. Pure, except for @try. */
void shrink(struct sequence *s, struct model_stack stack, shrink_try *try, void *arg);

#endif
