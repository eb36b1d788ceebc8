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
	if (w->pair[op->host][op->pair].lost)
		return false;
	return op->size < 1 || op->size >= 2 * MODEL_COMPLETIONS;
}

void model_resize(struct model_world *w, const struct model_op *op, struct model_prediction *p)
{
	(void)w;
	p->returns = op->size < 1 || op->size == INT32_MAX ? RETURN_EINVAL : RETURN_OK;
	p->rule = p->returns == RETURN_OK ? RULE_RESIZE : RULE_RESIZE_SIZE;
}

/*
 * The queue is empty, its pair is connected, and no request waits. The documents leave open what can be read from a queue after it
 * overflowed, so this is the last operation on the connection.
 */
bool model_can_overflow(const struct model_world *w, const struct model_op *op)
{
	const struct model_pair *q;
	int h;

	if (op->pair == MODEL_SHARED || op->pair == MODEL_DATAGRAM)
		return false;
	for (h = 0; h < MODEL_HOSTS; h++) {
		q = &w->pair[h][op->pair];
		if (!q->known || q->lost || q->state != IBV_QPS_RTS || q->lefts || q->own.count)
			return false;
	}
	return true;
}

void model_overflow(struct model_world *w, const struct model_op *op, struct model_prediction *p)
{
	struct model_completion *c;
	int h, i;

	p->id = ++w->id;	/* of the bytes */
	p->rule = RULE_OVERFLOW;
	p->overflow = true;
	/* The receive completions show that the requests were carried out. */
	for (i = 0; !op->receive && i <= MODEL_SHORT; i++) {
		c = model_done(p, !op->host, op->pair, MODEL_OVERFLOW + (uint64_t)i, IBV_WC_SUCCESS, RULE_OVERFLOW_DONE);
		c->receive = true;
		c->opcode = IBV_WC_RECV;
		c->bytes = MODEL_BLOCK;
	}
	for (h = 0; h < MODEL_HOSTS; h++) {
		w->pair[h][op->pair].known = false;
		w->pair[h][op->pair].lost = true;
	}
}

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
