/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/xalloc.h"
#include "model/parts.h"

/* Verbs that need an ability of the device, in whatever form. */
static const struct {
	enum model_verb verb;
	enum model_lack lack;
} needs[] = {
	{VERB_ALLOC_MW, LACK_WINDOWS}, {VERB_DEALLOC_MW, LACK_WINDOWS}, {VERB_BIND, LACK_WINDOWS},
	/* Without windows no key can be invalidated. */
	{VERB_LOCAL_INV, LACK_WINDOWS}, {VERB_SEND_INV, LACK_WINDOWS},
	{VERB_FETCH_ADD, LACK_ATOMICS}, {VERB_CMP_SWAP, LACK_ATOMICS}, {VERB_REREG_MR, LACK_REREG},
	{VERB_SET_ATTRIBUTE, LACK_BY_HAND}, {VERB_RESIZE_CQ, LACK_RESIZE_CQ}, {VERB_OVERFLOW, LACK_RESIZE_CQ},
	{VERB_QUERY_SRQ, LACK_QUERY_SRQ}, {VERB_CREATE_AH, LACK_AH}, {VERB_DESTROY_AH, LACK_AH},
};

/* Some operations of a verb need more than the others. */
static bool needs_more(const struct model_op *op, enum model_lack lack)
{
	switch (lack) {
	case LACK_UD:
		return op->pair == MODEL_DATAGRAM;
	case LACK_IMMEDIATE:
		return op->immediate;
	case LACK_ON_DEMAND:
		return op->verb == VERB_REG_MR && op->way == WAY_ON_DEMAND;
	case LACK_RESIZE_SRQ:
		return op->verb == VERB_MODIFY_SRQ && op->changes == IBV_SRQ_MAX_WR;
	case LACK_BY_HAND:
		return op->verb == VERB_MODIFY && op->state != IBV_QPS_ERR;
	default:
		return false;
	}
}

bool model_is_able(const struct model_world *w, const struct model_op *op)
{
	size_t i;
	int l;

	for (i = 0; i < ARRAY_SIZE(needs); i++)
		if (needs[i].verb == op->verb && model_lacks(w, needs[i].lack))
			return false;
	for (l = 0; l < LACK_COUNT; l++)
		if (model_lacks(w, (enum model_lack)l) && needs_more(op, (enum model_lack)l))
			return false;
	return true;
}
