/* SPDX-License-Identifier: BSD-2-Clause */
#include <verbatim/qp.h>

#include "base/xalloc.h"
#include "model/parts.h"

/* One attribute in a call that keeps the state. All but the rights, the Q_Key and max_dest_rd_atomic get the value that they have. */
static const int attributes[] = {
	IBV_QP_ACCESS_FLAGS, IBV_QP_QKEY, IBV_QP_MIN_RNR_TIMER, IBV_QP_TIMEOUT, IBV_QP_RETRY_CNT, IBV_QP_RNR_RETRY, IBV_QP_PATH_MTU,
	IBV_QP_MAX_QP_RD_ATOMIC, IBV_QP_MAX_DEST_RD_ATOMIC, IBV_QP_RQ_PSN, IBV_QP_SQ_PSN, IBV_QP_DEST_QPN,
};

int model_attribute(size_t i)
{
	return i < ARRAY_SIZE(attributes) ? attributes[i] : 0;
}

static const struct vbm_qp_transition *same_state(const struct model_world *w, const struct model_op *op)
{
	enum ibv_qp_state s = w->pair[op->host][op->pair].state;

	return vbm_qp_transition(model_type(op->pair), s, s);
}

static bool accepts_change(const struct vbm_qp_transition *t, const struct model_op *op)
{
	return t && (t->required | t->optional) & op->changes;
}

bool model_can_set_attribute(const struct model_world *w, const struct model_op *op)
{
	const struct model_pair *q = &w->pair[op->host][op->pair];
	const struct vbm_qp_transition *t = same_state(w, op);
	size_t i;

	for (i = 0; model_attribute(i) && model_attribute(i) != op->changes; i++)
		;
	/* A queue pair in RESET or ERR has a transition to its own state that makes it new, or flushes it again. */
	if (!model_attribute(i) || !q->known || q->state == IBV_QPS_SQE || (t && t->required & ~op->changes))
		return false;
	/* The transition to RTR makes a smaller depth larger again. */
	if (op->changes == IBV_QP_MAX_DEST_RD_ATOMIC && op->size != q->depth && accepts_change(t, op) && model_excepts(w, EXCEPT_DEPTH))
		return false;
	/* The rights of the receiver do not count before it is ready. A request that waits may need the old ones. */
	return !w->pair[!op->host][op->pair].waits;
}

void model_set_attribute(struct model_world *w, const struct model_op *op, struct model_prediction *p)
{
	struct model_pair *q = &w->pair[op->host][op->pair];
	const struct vbm_qp_transition *t = same_state(w, op);

	if (!accepts_change(t, op)) {
		p->returns = RETURN_EINVAL;
		p->rule = RULE_ATTRIBUTE_FOREIGN;
		return;
	}
	p->rule = RULE_ATTRIBUTE;
	if (op->changes == IBV_QP_ACCESS_FLAGS)
		q->access = op->access & MODEL_REMOTE;
	else if (op->changes == IBV_QP_QKEY)
		q->qkey = op->qkey;
	else if (op->changes == IBV_QP_MAX_DEST_RD_ATOMIC)
		q->depth = op->size;
}
