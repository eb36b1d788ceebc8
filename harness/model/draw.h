/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MODEL_DRAW_H
#define VBM_MODEL_DRAW_H

#include "model/model.h"

/* Random operations, each possible in its world. The same seed gives the same operations on every machine. */
struct model_draw {
	uint64_t state;
	unsigned groups;	/* bits of enum model_group */
	int key;		/* the key that was used last */
};

enum model_group { GROUP_MR, GROUP_MW, GROUP_QP, GROUP_COUNT };
#define GROUPS_ALL ((1u << GROUP_COUNT) - 1)

/* "mr", "mw", "qp"; NULL after the last one. */
const char *model_group_name(size_t i);

void model_draw_init(struct model_draw *d, uint64_t seed, unsigned groups);

/* Draws an operation that makes its object or key, if it makes any, in @slot. False: it found none that is possible. */
bool model_draw_op(struct model_draw *d, const struct model_world *w, int slot, struct model_op *op);

#endif
