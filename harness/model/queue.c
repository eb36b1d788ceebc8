/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/parts.h"

enum ibv_qp_type model_type(int pair)
{
	return pair == MODEL_DATAGRAM ? IBV_QPT_UD : IBV_QPT_RC;
}

int model_received_bytes(int pair)
{
	return pair == MODEL_DATAGRAM ? MODEL_HEADER + MODEL_BLOCK : MODEL_BLOCK;
}

struct model_queue *model_queue_of(struct model_world *w, int host, int pair)
{
	return pair == MODEL_SHARED ? &w->shared[host].queue : &w->pair[host][pair].own;
}

uint64_t model_take(struct model_world *w, int host, int pair)
{
	struct model_queue *q = model_queue_of(w, host, pair);
	struct model_srq *s = &w->shared[host];
	uint64_t id = q->id[0];
	int i;

	q->count--;
	for (i = 0; i < q->count; i++)
		q->id[i] = q->id[i + 1];
	if (pair == MODEL_SHARED && q->count < s->limit)
		s->limit = 0;
	return id;
}

/* A queue must keep room for all completions that one operation can cause. */
bool model_can_resize(const struct model_world *w, const struct model_op *op)
{
	(void)w;
	return op->size < 1 || op->size >= 2 * MODEL_COMPLETIONS;
}

void model_resize(struct model_world *w, const struct model_op *op, struct model_prediction *p)
{
	(void)w;
	p->returns = op->size < 1 || op->size == INT32_MAX ? RETURN_EINVAL : RETURN_OK;
	p->rule = p->returns == RETURN_OK ? RULE_RESIZE : RULE_RESIZE_SIZE;
}
