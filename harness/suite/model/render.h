/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MODEL_RENDER_H
#define VBM_MODEL_RENDER_H

#include <stddef.h>

#include "model/model.h"

struct value;

/*
 * Operations as steps of a scenario, with what the model expects of each. The steps stand
 * on the fragment "pairs_of_kinds", which makes the hosts that model_init() describes, or on
 * "two_pairs", which makes the first two pairs of each host. Each
 * expectation has a "note:" with the clause and the sentence that an answer would break.
 */

/*
 * Predicts the operations, one after another, and appends their steps to @steps, a list.
 * Operations that are not possible are left out. Returns how many were not left out; @kept
 * (or NULL), of @count items, says which. After the last operation every completion queue is empty.
 */
size_t model_render(const struct model_op *op, size_t count, struct model_stack stack, struct value *steps, bool *kept);

/* The fragment that the operations need. */
const char *model_fragment(const struct model_op *op, size_t count);

/* Adds the clause of @rule to @list, a list of strings, unless the list has it. */
void model_add_clause(struct value *list, enum model_rule rule);

#endif
