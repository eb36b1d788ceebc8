/* SPDX-License-Identifier: BSD-2-Clause */
#include <verbatim/qp.h>

#include "model/parts.h"

void model_post_recv(struct model_world *w, const struct model_op *op, struct model_prediction *p)
{
	struct model_pair *q = &w->pair[op->host][op->pair];

	p->id = ++w->id;
	p->rule = RULE_POST_RECEIVE;
	if (op->pair == MODEL_SHARED) {
		p->returns = RETURN_NOT_OK;
		p->rule = RULE_SHARED_OWN;
	} else if (q->state == IBV_QPS_RESET) {
		p->returns = RETURN_EINVAL;
		p->rule = RULE_RECEIVE_REFUSED;
	} else if (q->state == IBV_QPS_ERR) {
		model_done(p, op->host, op->pair, p->id, IBV_WC_WR_FLUSH_ERR, RULE_FLUSH)->receive = true;
	} else {
		q->own.id[q->own.count++] = p->id;
	}
}

static void flush(struct model_world *w, const struct model_op *op, uint64_t id, struct model_prediction *p)
{
	model_done(p, op->host, op->pair, id, IBV_WC_WR_FLUSH_ERR, RULE_FLUSH);
	if (op->verb == VERB_BIND)
		w->slot[op->window].stale = true;
}

static void execute(struct model_world *w, const struct model_op *op, uint64_t id, struct model_prediction *p)
{
	if (op->verb == VERB_BIND)
		model_bind(w, op, id, p);
	else if (op->verb == VERB_LOCAL_INV)
		model_local_inv(w, op, id, p);
	else if (op->verb == VERB_DATAGRAM)
		model_datagram(w, op, id, p);
	else
		model_transfer(w, op, id, p);
}

void model_post(struct model_world *w, const struct model_op *op, struct model_prediction *p)
{
	struct model_pair *q = &w->pair[op->host][op->pair];

	p->id = ++w->id;
	if (op->verb == VERB_BIND && op->type == 1 && w->slot[op->window].type == 2) {
		p->returns = RETURN_EINVAL;
		p->rule = RULE_BIND_CALL;
	} else if (op->verb == VERB_BIND && op->type == 1 && op->zero) {
		p->returns = RETURN_EINVAL;
		p->rule = RULE_BIND_ZERO;
	} else if (q->state == IBV_QPS_RESET || q->state == IBV_QPS_INIT || q->state == IBV_QPS_RTR) {
		p->returns = RETURN_EINVAL;
		p->rule = RULE_POST_REFUSED;
	} else if (q->state == IBV_QPS_SQD) {
		p->rule = RULE_DRAINED;
		q->waiting_id[q->waits] = p->id;
		q->waiting[q->waits++] = *op;
	} else if (q->state == IBV_QPS_ERR) {
		flush(w, op, p->id, p);
	} else {
		execute(w, op, p->id, p);
	}
}

/* The completion comes because the request starts now. */
static void note_start(struct model_prediction *p, uint64_t id)
{
	int i;

	for (i = 0; i < p->count; i++)
		if (p->done[i].id == id && !p->done[i].receive && p->done[i].status[0] == IBV_WC_SUCCESS)
			p->done[i].rule = RULE_DRAINED;
}

/* The requests that were posted in SQD start in their order; after one that fails the others are flushed. */
static void start_waiting(struct model_world *w, const struct model_op *op, struct model_prediction *p)
{
	struct model_pair *q = &w->pair[op->host][op->pair];
	struct model_pair before = *q;
	int i;

	q->waits = 0;
	for (i = 0; i < before.waits; i++) {
		if (q->state == IBV_QPS_RTS)
			execute(w, &before.waiting[i], before.waiting_id[i], p);
		else
			flush(w, &before.waiting[i], before.waiting_id[i], p);
		note_start(p, before.waiting_id[i]);
	}
}

/* The documents do not say whether a window of type 2 stays bound when its queue pair is reset. */
static void forget_windows(struct model_world *w, int host, int pair)
{
	int i;

	for (i = 0; i < MODEL_SLOTS; i++)
		if (w->slot[i].kind == KIND_WINDOW && w->slot[i].host == host && w->slot[i].type == 2 &&
		    w->slot[i].binding >= 0 && w->slot[w->slot[i].binding].pair == pair)
			w->slot[i].known = false;
}

void model_modify(struct model_world *w, const struct model_op *op, struct model_prediction *p)
{
	struct model_pair *q = &w->pair[op->host][op->pair];
	enum ibv_qp_state from = q->state;

	p->rule = from == IBV_QPS_RESET && op->state == IBV_QPS_ERR ? RULE_RESET_TO_ERR : RULE_TRANSITION;
	if (!vbm_qp_transition(model_type(op->pair), from, op->state)) {
		p->returns = RETURN_EINVAL;
		return;
	}
	if (op->state == IBV_QPS_ERR) {
		model_fail_pair(w, p, op->host, op->pair);
		if (model_lacks(w, LACK_BY_HAND)) {
			p->rule = RULE_STREAM_END;
			model_peer(w, op)->known = false;
		}
		return;
	}
	q->state = op->state;
	if (op->state == IBV_QPS_RESET) {
		q->own.count = q->waits = 0;
		forget_windows(w, op->host, op->pair);
	}
	if (op->state == IBV_QPS_INIT) {
		q->access = MODEL_REMOTE;
		q->qkey = 0;
	}
	if (op->state == IBV_QPS_RTR)
		q->depth = 1;
	if (from == IBV_QPS_SQD && op->state == IBV_QPS_RTS)
		start_waiting(w, op, p);
}

void model_reconnect(struct model_world *w, const struct model_op *op, struct model_prediction *p)
{
	int h;

	p->rule = RULE_TRANSITION;
	for (h = 0; h < MODEL_HOSTS; h++) {
		w->pair[h][op->pair] = model_connected();
		forget_windows(w, h, op->pair);
	}
}
