/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/parts.h"

uint32_t model_qkey(int index)
{
	static const uint32_t keys[] = {0x11111111, 0x22222222};

	return keys[index ? 1 : 0];
}

static bool has_handle(const struct model_world *w, const struct model_op *op)
{
	const struct model_slot *s = op->handle >= 0 && op->handle < MODEL_SLOTS ? &w->slot[op->handle] : NULL;

	return s && s->kind == KIND_HANDLE && s->host == op->host && s->live;
}

bool model_can_destroy_ah(const struct model_world *w, const struct model_op *op)
{
	return has_handle(w, op);
}

/*
 * A datagram that finds no receive request is lost, but it may arrive after the next operation, which may be
 * the request. So there is one, or the peer drops the datagram for another reason. For the same reason no datagram
 * waits in SQD, and no state changes while one is under way.
 */
bool model_can_datagram(const struct model_world *w, const struct model_op *op)
{
	const struct model_pair *q = &w->pair[op->host][op->pair], *peer = &w->pair[!op->host][op->pair];

	if (op->pair != MODEL_DATAGRAM || !q->known || !peer->known || !has_handle(w, op) || !model_can_mark(w, op))
		return false;
	/* data/address-handle-domain asks who sees that the domains differ, and when. */
	if (w->slot[op->handle].domain)
		return false;
	if (q->state == IBV_QPS_SQD)
		return false;
	if (q->state != IBV_QPS_RTS)
		return q->state == IBV_QPS_ERR || !model_excepts(w, EXCEPT_REFUSED_SEND);
	if (peer->state != IBV_QPS_RTR && peer->state != IBV_QPS_RTS && peer->state != IBV_QPS_SQD)
		return false;
	return op->qkey != peer->qkey || peer->own.count > 0;
}

void model_create_ah(struct model_world *w, const struct model_op *op, struct model_prediction *p)
{
	p->returns = RETURN_POINTER;
	p->rule = RULE_HANDLE;
	w->slot[op->made] = (struct model_slot){.kind = KIND_HANDLE, .host = op->host, .live = true, .known = true,
						.domain = op->domain, .binding = -1};
}

void model_destroy_ah(struct model_world *w, const struct model_op *op, struct model_prediction *p)
{
	p->rule = RULE_HANDLE_FREE;
	w->slot[op->handle].live = false;
}

void model_datagram(struct model_world *w, const struct model_op *op, uint64_t id, struct model_prediction *p)
{
	struct model_pair *peer = model_peer(w, op);
	bool arrives = op->qkey == peer->qkey;
	struct model_completion *c;

	w->pair[op->host][op->pair].used = true;
	model_done(p, op->host, op->pair, id, IBV_WC_SUCCESS, arrives ? RULE_DATAGRAM : RULE_DATAGRAM_KEY)->opcode = IBV_WC_SEND;
	if (!arrives)
		return;
	c = model_done(p, !op->host, op->pair, model_take(w, !op->host, op->pair), IBV_WC_SUCCESS, RULE_DATAGRAM);
	c->receive = true;
	c->opcode = IBV_WC_RECV;
	c->bytes = model_received_bytes(op->pair);
	c->fill = op->fill;
	model_add_message(c, op);
}

/*
 * Over iWARP no message answers a SEND or an RDMA write, so that its request completes as soon as its bytes are under way. A peer that
 * refuses one ends the stream (RFC 5040, section 7), and so does a queue pair that is moved to ERR. Both queue pairs are open
 * afterwards. Only operations after which no receive request is left are predicted, because it is open when these are flushed.
 */
static bool is_refused(const struct model_world *w, const struct model_op *op)
{
	int waits = op->pair == MODEL_SHARED ? w->shared[!op->host].queue.count : w->pair[!op->host][op->pair].own.count;
	int right = op->verb == VERB_READ ? IBV_ACCESS_REMOTE_READ : IBV_ACCESS_REMOTE_WRITE;

	if (op->verb == VERB_SEND)
		return !waits;
	return model_access_rule(w, op, right) != RULE_NONE;
}

static bool has_receives(const struct model_world *w, int pair)
{
	return w->pair[0][pair].own.count || w->pair[1][pair].own.count;
}

bool model_can_stream(const struct model_world *w, const struct model_op *op)
{
	if (model_excepts(w, EXCEPT_READ_RIGHT) && op->verb == VERB_READ &&
	    model_access_rule(w, op, IBV_ACCESS_REMOTE_READ) == RULE_KEY_RIGHT)
		return false;
	return !model_lacks(w, LACK_ACKS) || w->pair[op->host][op->pair].state != IBV_QPS_RTS || !is_refused(w, op) ||
	       !has_receives(w, op->pair);
}

static void end_stream(struct model_world *w, int pair)
{
	w->pair[0][pair].known = w->pair[1][pair].known = false;
}

static bool model_stream(struct model_world *w, const struct model_op *op, uint64_t id, struct model_prediction *p)
{
	struct model_completion *c;
	int region;

	if (!model_lacks(w, LACK_ACKS) || !is_refused(w, op))
		return false;
	c = model_done(p, op->host, op->pair, id, IBV_WC_GENERAL_ERR, RULE_STREAM_REFUSED);
	c->statuses = op->verb == VERB_READ ? 0 : MODEL_ANY;
	region = op->verb == VERB_SEND ? -1 : model_region_of(w, op->key);
	if (region >= 0 && w->slot[region].kind == KIND_REGION && w->slot[region].live)
		p->changed = region;
	end_stream(w, op->pair);
	return true;
}

bool model_can_end_stream(const struct model_world *w, const struct model_op *op)
{
	return !model_lacks(w, LACK_BY_HAND) ||
	       (w->pair[op->host][op->pair].state == IBV_QPS_RTS && !w->pair[!op->host][op->pair].own.count);
}

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

/* Whether a message that is sent now succeeds at once, as far as the receiver's queue decides it. */
static bool is_taken(const struct model_world *w, const struct model_op *op)
{
	const struct model_pair *q = &w->pair[op->host][op->pair], *peer = &w->pair[!op->host][op->pair];
	int waits = op->pair == MODEL_SHARED ? w->shared[!op->host].queue.count : peer->own.count;

	return q->state == IBV_QPS_RTS && peer->known && waits && model_answers(peer) &&
	       (op->pair != MODEL_DATAGRAM || op->qkey == peer->qkey);
}

bool model_can_mark(const struct model_world *w, const struct model_op *op)
{
	if (!op->leave && op->notice == NOTICE_NONE)
		return true;
	if (op->notice == NOTICE_SOLICITED && model_excepts(w, EXCEPT_SOLICITED))
		return false;
	/* A datagram may arrive after the next operation. */
	if (op->leave && (op->pair == MODEL_DATAGRAM || w->pair[!op->host][op->pair].lefts >= MODEL_LEFT))
		return false;
	return is_taken(w, op);
}

bool model_can_write_message(const struct model_world *w, const struct model_op *op)
{
	/* No document says which check comes first: that of the request, or that of the key. */
	return !op->immediate || (is_taken(w, op) && model_pair_allows(w, op, IBV_ACCESS_REMOTE_WRITE) &&
				  model_access_rule(w, op, IBV_ACCESS_REMOTE_WRITE) == RULE_NONE);
}

bool model_has_left(const struct model_world *w, int pair)
{
	return w->pair[0][pair].lefts || w->pair[1][pair].lefts;
}

bool model_can_poll(const struct model_world *w, const struct model_op *op)
{
	return w->pair[op->host][op->pair].lefts > 0;
}

void model_poll(struct model_world *w, const struct model_op *op, struct model_prediction *p)
{
	(void)w;
	(void)op;
	p->returns = RETURN_OK;
}

static void add_completion(struct model_prediction *p, const struct model_completion *c)
{
	p->done[p->count < MODEL_COMPLETIONS ? p->count++ : MODEL_COMPLETIONS - 1] = *c;
}

static void take_left(struct model_pair *q, struct model_prediction *p)
{
	int i;

	for (i = 0; i < q->lefts; i++)
		add_completion(p, &q->left[i]);
	q->lefts = 0;
}

/* A later receive request may use the bytes again before anybody polls. */
static void keep_left(struct model_pair *q, const struct model_completion *c)
{
	struct model_completion *kept = &q->left[q->lefts++];

	*kept = *c;
	kept->fill = MODEL_OTHER;
	kept->rule = RULE_UNPOLLED;
}

void model_settle_left(struct model_world *w, const struct model_op *op, struct model_prediction *p)
{
	struct model_prediction whole = *p;
	struct model_pair *q;
	int i;

	p->count = 0;
	for (i = 0; i < whole.count; i++) {
		q = &w->pair[whole.done[i].host][whole.done[i].pair];
		if (whole.done[i].receive && op->leave) {
			keep_left(q, &whole.done[i]);
			continue;
		}
		if (whole.done[i].receive)
			take_left(q, p);
		add_completion(p, &whole.done[i]);
	}
	if (op->verb == VERB_POLL)
		take_left(&w->pair[op->host][op->pair], p);
}
