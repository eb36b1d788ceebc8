/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/parts.h"

bool model_can_post_srq(const struct model_world *w, const struct model_op *op)
{
	return w->shared[op->host].queue.count < MODEL_RECEIVES;
}

/* The documents do not say what a limit does that is above the number of requests when it is set. */
bool model_can_modify_srq(const struct model_world *w, const struct model_op *op)
{
	const struct model_srq *s = &w->shared[op->host];

	if (op->changes == IBV_SRQ_LIMIT)
		return op->size >= 0 && (op->size <= s->queue.count || op->size == INT32_MAX);
	if (op->size < s->queue.count && model_excepts(w, EXCEPT_SHARED_SHRINK))
		return false;
	/* One entry may become two or three, and a limit above the length is an error of its own. */
	return op->changes == IBV_SRQ_MAX_WR && !s->limit &&
	       (op->size >= MODEL_RECEIVES || (op->size == 1 && s->queue.count > 4));
}

void model_post_srq(struct model_world *w, const struct model_op *op, struct model_prediction *p)
{
	struct model_queue *q = &w->shared[op->host].queue;

	p->id = ++w->id;
	p->rule = RULE_SHARED_POST;
	q->id[q->count++] = p->id;
}

void model_modify_srq(struct model_world *w, const struct model_op *op, struct model_prediction *p)
{
	struct model_srq *s = &w->shared[op->host];

	p->rule = RULE_SHARED_MODIFY;
	if (op->changes == IBV_SRQ_MAX_WR && op->size < s->queue.count) {
		p->returns = RETURN_NOT_OK;
		p->rule = RULE_SHARED_SHRINK;
	} else if (op->size == INT32_MAX) {
		p->returns = RETURN_EINVAL;
		p->rule = RULE_SHARED_RANGE;
	} else if (op->changes == IBV_SRQ_LIMIT) {
		s->limit = op->size;
	}
}

void model_query_srq(struct model_world *w, const struct model_op *op, struct model_prediction *p)
{
	p->rule = RULE_SHARED_LIMIT;
	p->limit = w->shared[op->host].limit;
}

/* The pair MODEL_SHARED uses the queue as long as it exists. */
void model_destroy_srq(struct model_world *w, const struct model_op *op, struct model_prediction *p)
{
	(void)w;
	(void)op;
	p->returns = RETURN_NOT_OK;
	p->rule = RULE_SHARED_BUSY;
}
