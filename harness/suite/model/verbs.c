/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include <verbatim/qp.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "model/parts.h"

static bool is_free(const struct model_world *w, int slot)
{
	return slot >= 0 && slot < MODEL_SLOTS && w->slot[slot].kind == KIND_NONE;
}

static bool has_object(const struct model_world *w, int slot, enum model_kind kind, int host)
{
	const struct model_slot *s = slot >= 0 && slot < MODEL_SLOTS ? &w->slot[slot] : NULL;

	return s && s->kind == kind && s->host == host && s->live && s->known;
}

/* A key of @host that was once valid. The state of its window is known. */
static bool has_key(const struct model_world *w, int key, int host)
{
	int window;

	if (key < 0 || key >= MODEL_SLOTS || w->slot[key].kind == KIND_NONE || w->slot[key].kind == KIND_HANDLE ||
	    w->slot[key].host != host)
		return false;
	window = model_window_of(w, key);
	return window < 0 || w->slot[window].known;
}

static bool can_make(const struct model_world *w, const struct model_op *op)
{
	return is_free(w, op->made) && op->domain >= 0 && op->domain < MODEL_DOMAINS;
}

static bool can_reg(const struct model_world *w, const struct model_op *op)
{
	return can_make(w, op) && model_can_reg(w, op);
}

static bool can_always(const struct model_world *w, const struct model_op *op)
{
	(void)w;
	(void)op;
	return true;
}

static bool can_alloc(const struct model_world *w, const struct model_op *op)
{
	return can_make(w, op) && (op->type == 1 || op->type == 2);
}

static bool can_dereg(const struct model_world *w, const struct model_op *op)
{
	int i;

	/* A window whose state is open may be bound to the region. */
	for (i = 0; i < MODEL_SLOTS; i++)
		if (w->slot[i].kind == KIND_WINDOW && !w->slot[i].known && w->slot[i].live)
			return false;
	return has_object(w, op->region, KIND_REGION, op->host);
}

static bool can_dealloc(const struct model_world *w, const struct model_op *op)
{
	const struct model_slot *m = op->window >= 0 && op->window < MODEL_SLOTS ? &w->slot[op->window] : NULL;

	return m && m->kind == KIND_WINDOW && m->host == op->host && m->live;
}

/* Whether the pair takes a send request now, and what becomes of the request is known. */
static bool can_post(const struct model_world *w, const struct model_op *op)
{
	const struct model_pair *q = &w->pair[op->host][op->pair];

	if (!q->known || q->waits >= MODEL_WAITING)
		return false;
	if (q->state == IBV_QPS_SQD)
		return !model_excepts(w, EXCEPT_SQD_RTS);
	if (q->state == IBV_QPS_ERR && model_excepts(w, EXCEPT_LATE_FLUSH))
		return false;
	return q->state == IBV_QPS_RTS || q->state == IBV_QPS_ERR || !model_excepts(w, EXCEPT_REFUSED_SEND);
}

/* No document says which check comes first: that a window of type 1 is not zero-based, or another one that forbids the bind. */
static bool can_bind_zero(const struct model_world *w, const struct model_op *op)
{
	if (op->type == 2)
		return !model_excepts(w, EXCEPT_ZERO_BEYOND) || op->blocks > MODEL_BLOCKS || model_bind_rule(w, op) != RULE_BIND_RANGE;
	return w->pair[op->host][op->pair].state == IBV_QPS_RTS && w->slot[op->window].type == 1 &&
	       model_bind_rule(w, op) == RULE_BIND;
}

static bool can_bind(const struct model_world *w, const struct model_op *op)
{
	if (op->pair == MODEL_DATAGRAM || !can_post(w, op) || !is_free(w, op->made) || op->blocks < 0 || op->first < 0)
		return false;
	if (!has_object(w, op->window, KIND_WINDOW, op->host) || !has_object(w, op->region, KIND_REGION, op->host))
		return false;
	/* No document says which address a bind needs for a region with another address. */
	if (w->slot[op->region].way != WAY_PLAIN)
		return false;
	/* A call or request to bind names the present key. */
	if (w->slot[op->window].stale)
		return false;
	/* No document says which check comes first: that of the domains, or that of the state. */
	if ((w->pair[op->host][op->pair].state != IBV_QPS_RTS || model_excepts(w, EXCEPT_WINDOW_DOMAIN)) &&
	    model_bind_rule(w, op) == RULE_BIND_DOMAIN)
		return false;
	if (op->zero && !can_bind_zero(w, op))
		return false;
	/* No document describes a request to bind a window of type 1. */
	return op->type == 1 || w->slot[op->window].type == 2;
}

/* Whether an invalidation by the pair of @host of a window that is not bound has to be avoided. */
static bool is_avoided(const struct model_world *w, const struct model_op *op, int host)
{
	const struct model_slot *m = model_window_of(w, op->key) < 0 ? NULL : &w->slot[model_window_of(w, op->key)];

	return model_excepts(w, EXCEPT_INVALIDATE_UNBOUND) && m && m->host == host && m->live && m->type == 2 && m->binding < 0;
}

static bool can_invalidate(const struct model_world *w, const struct model_op *op)
{
	return op->pair != MODEL_DATAGRAM && can_post(w, op) && has_key(w, op->key, op->host) &&
	       !is_avoided(w, op, op->host);
}

static bool can_transfer(const struct model_world *w, const struct model_op *op)
{
	return op->pair != MODEL_DATAGRAM && can_post(w, op) && w->pair[!op->host][op->pair].known && model_can_mark(w, op) &&
	       (op->verb != VERB_SEND || model_can_stream(w, op));
}

static bool can_send_inv(const struct model_world *w, const struct model_op *op)
{
	return can_transfer(w, op) && has_key(w, op->key, !op->host) &&
	       (op->verb != VERB_SEND_INV || !is_avoided(w, op, !op->host));
}

static bool is_atomic(enum model_verb verb)
{
	return verb == VERB_FETCH_ADD || verb == VERB_CMP_SWAP;
}

/* One byte more must be one too many: the model knows no part of a block. */
static bool ends_a_part(const struct model_world *w, const struct model_op *op)
{
	const struct model_slot *k = &w->slot[op->key];
	int end = k->kind == KIND_BINDING ? k->first + k->blocks : MODEL_BLOCKS;

	return !op->over || (k->kind != KIND_WINDOW && op->first + op->blocks == end);
}

static bool can_access(const struct model_world *w, const struct model_op *op)
{
	static const int rights[VERB_COUNT] = {[VERB_WRITE] = IBV_ACCESS_REMOTE_WRITE, [VERB_READ] = IBV_ACCESS_REMOTE_READ,
					       [VERB_FETCH_ADD] = IBV_ACCESS_REMOTE_ATOMIC, [VERB_CMP_SWAP] = IBV_ACCESS_REMOTE_ATOMIC};

	if (!can_send_inv(w, op) || op->first < 0 || op->blocks < 1 || op->blocks > MODEL_BLOCKS)
		return false;
	if (is_atomic(op->verb) ? op->blocks != 1 : !ends_a_part(w, op))
		return false;
	if (!model_can_write_message(w, op) || !model_can_stream(w, op))
		return false;
	/* The region begins with a page. */
	if (model_excepts(w, EXCEPT_ON_DEMAND_OFFSET) && w->slot[op->key].way == WAY_ON_DEMAND && op->first)
		return false;
	return !model_excepts(w, EXCEPT_WINDOW_BOUNDS) ||
	       model_access_rule(w, op, rights[op->verb]) != RULE_WINDOW_RANGE;
}

static bool can_receive(const struct model_world *w, const struct model_op *op)
{
	const struct model_pair *q = &w->pair[op->host][op->pair];

	if (op->pair == MODEL_SHARED && model_excepts(w, EXCEPT_SHARED_POST))
		return false;
	if (q->state == IBV_QPS_ERR && model_excepts(w, EXCEPT_LATE_FLUSH))
		return false;
	/* A datagram that is lost late must not find this request. */
	return q->known && q->own.count < MODEL_RECEIVES &&
	       (q->state != IBV_QPS_ERR || !model_excepts(w, EXCEPT_FLUSH_RECEIVE));
}

/* Whether a reset has no effect on the requests after it. */
static bool can_reset(const struct model_world *w, int host, int pair)
{
	return !w->pair[host][pair].waits || !model_excepts(w, EXCEPT_RESET_RUNS);
}

/*
 * A pair that becomes ready to receive expects the first packet number; its peer sends that
 * only if neither has sent a request yet.
 */
static bool can_modify(const struct model_world *w, const struct model_op *op)
{
	const struct model_pair *q = &w->pair[op->host][op->pair], *peer = &w->pair[!op->host][op->pair];
	bool sound = vbm_qp_transition(model_type(op->pair), q->state, op->state);

	if (!q->known || !peer->known || op->state > IBV_QPS_ERR || op->state == IBV_QPS_SQE)
		return false;
	/* The documents do not say whether a reset removes completions from a queue. */
	if (op->state == IBV_QPS_RESET && (q->lefts || !can_reset(w, op->host, op->pair)))
		return false;
	if (q->state == IBV_QPS_RESET && op->state == IBV_QPS_ERR && model_excepts(w, EXCEPT_RESET_TO_ERR))
		return false;
	if (op->pair == MODEL_DATAGRAM)
		return true;
	if (!model_can_end_stream(w, op))
		return false;
	if (sound && (op->state == IBV_QPS_RTR || (q->state == IBV_QPS_RTR && op->state == IBV_QPS_RTS)))
		return !q->used && !peer->used;
	return true;
}

static bool can_reconnect(const struct model_world *w, const struct model_op *op)
{
	return !model_has_left(w, op->pair) && can_reset(w, 0, op->pair) && can_reset(w, 1, op->pair) &&
	       !w->pair[0][op->pair].lost;
}

static const struct verb {
	const char *name;
	bool (*possible)(const struct model_world *w, const struct model_op *op);
	void (*predict)(struct model_world *w, const struct model_op *op, struct model_prediction *p);
	bool posts, remote, opens;	/* opens: afterwards, the state of a pair may be open */
} verbs[VERB_COUNT] = {
	[VERB_REG_MR] = {"reg_mr", can_reg, model_reg_mr, false, false, false},
	[VERB_DEREG_MR] = {"dereg_mr", can_dereg, model_dereg_mr, false, false, false},
	[VERB_ALLOC_MW] = {"alloc_mw", can_alloc, model_alloc_mw, false, false, false},
	[VERB_DEALLOC_MW] = {"dealloc_mw", can_dealloc, model_dealloc_mw, false, false, false},
	[VERB_BIND] = {"bind_mw", can_bind, model_post, true, false, true},
	[VERB_LOCAL_INV] = {"local_inv", can_invalidate, model_post, true, false, true},
	[VERB_POST_RECV] = {"post_recv", can_receive, model_post_recv, false, false, false},
	[VERB_SEND] = {"send", can_transfer, model_post, true, false, false},
	[VERB_SEND_INV] = {"send_with_inv", can_send_inv, model_post, true, true, true},
	[VERB_WRITE] = {"rdma_write", can_access, model_post, true, true, false},
	[VERB_READ] = {"rdma_read", can_access, model_post, true, true, false},
	[VERB_FETCH_ADD] = {"fetch_add", can_access, model_post, true, true, false},
	[VERB_CMP_SWAP] = {"cmp_swap", can_access, model_post, true, true, false},
	[VERB_MODIFY] = {"modify_qp", can_modify, model_modify, false, false, false},
	[VERB_RECONNECT] = {"reconnect", can_reconnect, model_reconnect, false, false, false},
	[VERB_REREG_MR] = {"rereg_mr", model_can_rereg, model_rereg_mr, false, false, false},
	[VERB_SET_ATTRIBUTE] = {"set_attribute", model_can_set_attribute, model_set_attribute, false, false, false},
	[VERB_RESIZE_CQ] = {"resize_cq", model_can_resize, model_resize, false, false, false},
	[VERB_POLL] = {"poll_cq", model_can_poll, model_poll, false, false, false},
	[VERB_POST_SRQ] = {"post_srq_recv", model_can_post_srq, model_post_srq, false, false, false},
	[VERB_MODIFY_SRQ] = {"modify_srq", model_can_modify_srq, model_modify_srq, false, false, false},
	[VERB_QUERY_SRQ] = {"query_srq", can_always, model_query_srq, false, false, false},
	[VERB_DESTROY_SRQ] = {"destroy_srq", can_always, model_destroy_srq, false, false, false},
	[VERB_CREATE_AH] = {"create_ah", can_make, model_create_ah, false, false, false},
	[VERB_DESTROY_AH] = {"destroy_ah", model_can_destroy_ah, model_destroy_ah, false, false, false},
	[VERB_DATAGRAM] = {"datagram", model_can_datagram, model_post, true, false, false},
	[VERB_OVERFLOW] = {"overflow", model_can_overflow, model_overflow, false, false, false},
};

/*
 * If it is open whether a pair is in ERR afterwards, it is also open whether its receive
 * requests were flushed. So it must not have any, except the one that a message takes.
 */
static bool leaves_receives_open(const struct model_world *w, const struct model_op *op)
{
	auto_free struct model_world *after = xcalloc(1, sizeof(*after));
	struct model_prediction p;
	int h, taken;

	*after = *w;
	model_predict(after, op, &p);
	for (h = 0; h < MODEL_HOSTS; h++) {
		taken = h != op->host && op->verb == VERB_SEND_INV;
		if (!after->pair[h][op->pair].known &&
		    (w->pair[h][op->pair].own.count > taken || w->pair[h][op->pair].waits))
			return true;
	}
	return false;
}

bool model_possible(const struct model_world *w, const struct model_op *op)
{
	if (op->verb >= VERB_COUNT || op->host < 0 || op->host >= MODEL_HOSTS || op->pair < 0 || op->pair >= MODEL_PAIRS)
		return false;
	if (!model_is_able(w, op) || !verbs[op->verb].possible(w, op))
		return false;
	return !verbs[op->verb].opens || !w->pair[op->host][op->pair].known || !leaves_receives_open(w, op);
}

void model_predict(struct model_world *w, const struct model_op *op, struct model_prediction *p)
{
	memset(p, 0, sizeof(*p));
	p->changed = -1;
	verbs[op->verb].predict(w, op, p);
	model_settle_left(w, op, p);
	p->event = op->notice == NOTICE_ANY || (op->notice == NOTICE_SOLICITED && op->solicited);
}

const char *model_verb_name(enum model_verb verb)
{
	return verb < VERB_COUNT ? verbs[verb].name : NULL;
}

bool model_uses(const struct model_op *op, int slot)
{
	if (slot < 0)
		return false;
	if (op->verb == VERB_DATAGRAM || op->verb == VERB_DESTROY_AH)
		return op->handle == slot;
	return op->region == slot || op->window == slot || op->key == slot;
}

bool model_enters_kernel(enum model_verb verb)
{
	return verb < VERB_COUNT && !verbs[verb].posts && verb != VERB_POST_RECV && verb != VERB_POST_SRQ && verb != VERB_POLL &&
	       verb != VERB_RECONNECT && verb != VERB_OVERFLOW;
}

bool model_posts(enum model_verb verb)
{
	return verb < VERB_COUNT && verbs[verb].posts;
}

bool model_is_remote(enum model_verb verb)
{
	return verb < VERB_COUNT && verbs[verb].remote;
}
