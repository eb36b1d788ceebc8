/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/parts.h"

bool model_answers(const struct model_pair *peer)
{
	return peer->state == IBV_QPS_RTR || peer->state == IBV_QPS_RTS || peer->state == IBV_QPS_SQD;
}

/* The request fails at the side that posted it; the peer does not take part. */
static void fail_here(struct model_world *w, const struct model_op *op, uint64_t id, enum ibv_wc_status status,
		      enum model_rule rule, struct model_prediction *p)
{
	model_done(p, op->host, op->pair, id, status, rule);
	model_fail_pair(w, p, op->host, op->pair);
}

static struct model_completion *received(struct model_prediction *p, const struct model_op *op, uint64_t id,
					 enum model_rule rule)
{
	struct model_completion *c = model_done(p, !op->host, op->pair, id, IBV_WC_SUCCESS, rule);

	c->receive = true;
	c->opcode = IBV_WC_RECV;
	c->bytes = MODEL_BLOCK;
	c->fill = op->fill;
	model_add_message(c, op);
	return c;
}

/* The documents name no status of the receiver; these are the local errors that InfiniBand has. */
static void either_way(struct model_world *w, const struct model_op *op, enum model_rule rule,
		       struct model_completion *sent, struct model_completion *got)
{
	const char *why = model_statement(rule)->silent;

	model_or(sent, IBV_WC_REM_ACCESS_ERR, why);
	model_or(sent, IBV_WC_REM_INV_REQ_ERR, why);
	model_or(sent, IBV_WC_REM_OP_ERR, why);
	model_or(got, IBV_WC_LOC_QP_OP_ERR, why);
	model_or(got, IBV_WC_LOC_PROT_ERR, why);
	model_or(got, IBV_WC_LOC_ACCESS_ERR, why);
	got->rule = sent->rule = rule;
	got->opcode = sent->opcode = -1;
	got->bytes = -1;
	got->fill = MODEL_OTHER;
	model_forget(w, op->key);
	w->pair[op->host][op->pair].known = model_peer(w, op)->known = false;
}

static void refuse_invalidation(struct model_world *w, const struct model_op *op, uint64_t id, uint64_t receive,
				enum model_rule rule, struct model_prediction *p)
{
	const char *why = model_statement(RULE_SEND_INVALIDATE_SENDER)->silent;
	struct model_completion *c = model_done(p, op->host, op->pair, id, IBV_WC_REM_ACCESS_ERR,
						RULE_SEND_INVALIDATE_SENDER);

	model_or(c, IBV_WC_REM_INV_REQ_ERR, why);
	model_or(c, IBV_WC_REM_OP_ERR, why);
	model_or(c, IBV_WC_SUCCESS, why);
	w->pair[op->host][op->pair].known = false;
	c = model_done(p, !op->host, op->pair, receive, IBV_WC_SUCCESS, rule);
	c->receive = true;
	c->statuses = 0;
	model_fail_pair(w, p, !op->host, op->pair);
}

static void send_message(struct model_world *w, const struct model_op *op, uint64_t id, struct model_prediction *p)
{
	enum model_rule rule = op->pair == MODEL_SHARED ? RULE_SHARED_TAKE : RULE_SEND, way = RULE_NONE;
	struct model_completion *sent, *got;
	uint64_t receive;

	if (!model_queue_of(w, !op->host, op->pair)->count) {
		fail_here(w, op, id, IBV_WC_RNR_RETRY_EXC_ERR, RULE_RNR, p);
		return;
	}
	receive = model_take(w, !op->host, op->pair);
	if (op->verb == VERB_SEND_INV) {
		way = model_invalidate_rule(w, !op->host, op->pair, op->key);
		rule = RULE_SEND_INVALIDATE;
	}
	if (way == RULE_INVALIDATE_ERROR || way == RULE_INVALIDATE_AGAIN) {
		refuse_invalidation(w, op, id, receive, way == RULE_INVALIDATE_AGAIN ? RULE_SEND_INVALIDATE_AGAIN :
				    RULE_SEND_INVALIDATE_ERROR, p);
		return;
	}
	sent = model_done(p, op->host, op->pair, id, IBV_WC_SUCCESS, rule);
	sent->opcode = IBV_WC_SEND;
	got = received(p, op, receive, rule);
	if (way == RULE_INVALIDATE)
		model_invalidate(w, op->key);
	else if (way == RULE_INVALIDATE_FREE)
		either_way(w, op, RULE_SEND_INVALIDATE_FREE, sent, got);
	else if (way == RULE_INVALIDATE_OTHER)
		either_way(w, op, RULE_SEND_INVALIDATE_OTHER, sent, got);
}

/* A message by an RDMA write takes a receive request, and stores nothing there. */
static void receive_write(struct model_world *w, const struct model_op *op, struct model_prediction *p)
{
	struct model_completion *c = received(p, op, model_take(w, !op->host, op->pair), RULE_IMMEDIATE);

	c->opcode = IBV_WC_RECV_RDMA_WITH_IMM;
	c->bytes = op->blocks * MODEL_BLOCK;
	c->fill = MODEL_OTHER;
}

static const struct access_kind {
	enum model_verb verb;
	int right;
	enum ibv_wc_opcode opcode;
	enum model_rule rule;
} kinds[] = {
	{VERB_WRITE, IBV_ACCESS_REMOTE_WRITE, IBV_WC_RDMA_WRITE, RULE_WRITE},
	{VERB_READ, IBV_ACCESS_REMOTE_READ, IBV_WC_RDMA_READ, RULE_READ},
	{VERB_FETCH_ADD, IBV_ACCESS_REMOTE_ATOMIC, IBV_WC_FETCH_ADD, RULE_ATOMIC},
	{VERB_CMP_SWAP, IBV_ACCESS_REMOTE_ATOMIC, IBV_WC_COMP_SWAP, RULE_COMPARE},
};

/* The rule by which the queue pair of the peer refuses an access, whichever key it has. */
static enum model_rule peer_rule(struct model_world *w, const struct model_op *op, int right)
{
	if (!model_pair_allows(w, op, right))
		return RULE_PAIR_RIGHT;
	return op->verb != VERB_WRITE && !model_peer(w, op)->depth ? RULE_RESOURCES : RULE_NONE;
}

/* Through a zero-based key an access succeeds only if its address counts from zero. */
static enum model_rule zero_rule(const struct model_world *w, int key, enum model_rule usual)
{
	const struct model_slot *k = &w->slot[key];

	return k->kind == KIND_BINDING && k->zero ? RULE_WINDOW_ZERO :
	       k->kind == KIND_REGION && k->way == WAY_ZERO_BASED ? RULE_ZERO_BASED : usual;
}

static void access_memory(struct model_world *w, const struct model_op *op, uint64_t id, struct model_prediction *p)
{
	const struct access_kind *k = kinds;
	int region = model_region_of(w, op->key);
	struct model_completion *c;
	enum model_rule forbids, first;

	while (k->verb != op->verb)
		k++;
	forbids = model_access_rule(w, op, k->right);
	if (w->slot[region].kind == KIND_REGION && w->slot[region].live)
		p->changed = region;
	first = peer_rule(w, op, k->right);
	if (first) {
		c = model_done(p, op->host, op->pair, id, IBV_WC_REM_INV_REQ_ERR, first);
		if (forbids)
			model_or(c, IBV_WC_REM_ACCESS_ERR, model_statement(first)->silent);
		model_fail_pair(w, p, op->host, op->pair);
		model_fail_pair(w, p, !op->host, op->pair);
		return;
	}
	if (forbids) {
		fail_here(w, op, id, IBV_WC_REM_ACCESS_ERR, forbids, p);
		model_fail_pair(w, p, !op->host, op->pair);
		return;
	}
	model_done(p, op->host, op->pair, id, IBV_WC_SUCCESS, zero_rule(w, op->key, k->rule))->opcode = (int)k->opcode;
	model_change_memory(&w->slot[region], op, p);
	if (op->immediate)
		receive_write(w, op, p);
}

void model_transfer(struct model_world *w, const struct model_op *op, uint64_t id, struct model_prediction *p)
{
	w->pair[op->host][op->pair].used = true;
	if (model_stream(w, op, id, p))
		return;
	if (!model_answers(model_peer(w, op)))
		fail_here(w, op, id, IBV_WC_RETRY_EXC_ERR, RULE_PEER_SILENT, p);
	else if (op->verb == VERB_SEND || op->verb == VERB_SEND_INV)
		send_message(w, op, id, p);
	else
		access_memory(w, op, id, p);
}
