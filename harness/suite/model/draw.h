/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MODEL_DRAW_H
#define VBM_MODEL_DRAW_H

#include <stddef.h>
#include <stdint.h>

#include "model/model.h"

/* Random operations, each possible in its world. The same seed gives the same operations on every machine. */
struct model_draw {
	uint64_t state;
	unsigned groups;	/* bits of enum model_group */
	int key;		/* the key that was used last */
};

enum model_group { GROUP_MR, GROUP_MW, GROUP_QP, GROUP_CQ, GROUP_SRQ, GROUP_UD, GROUP_ODP, GROUP_FAULT, GROUP_COUNT };
/* Regions on demand and calls without memory are left out unless they are asked for, because not every device and kernel has them. */
#define GROUPS_ALL ((1u << GROUP_ODP) - 1)

/* "mr", "mw" and so on; NULL after the last one. */
const char *model_group_name(size_t i);

void model_draw_init(struct model_draw *d, uint64_t seed, unsigned groups);

/* Draws an operation that makes its object or key, if it makes any, in @slot. False: it found none that is possible. */
bool model_draw_op(struct model_draw *d, const struct model_world *w, int slot, struct model_op *op);

/* A sequence of operations. */
#define SEQUENCE_MAX 400

struct sequence {
	struct model_op op[SEQUENCE_MAX];
	size_t count;
};

/* Draws at most @steps operations. The same numbers give the same sequence. */
void sequence_draw(struct sequence *s, uint64_t seed, unsigned groups, struct model_stack stack, size_t steps);

/* The seed of the sequence @number of a run with @seed. */
uint64_t sequence_seed(uint64_t seed, uint64_t number);

#endif
