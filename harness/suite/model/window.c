/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/parts.h"

int model_window_of(const struct model_world *w, int key)
{
	return w->slot[key].kind == KIND_WINDOW ? key : w->slot[key].kind == KIND_BINDING ? w->slot[key].window : -1;
}

void model_alloc_mw(struct model_world *w, const struct model_op *op, struct model_prediction *p)
{
	p->returns = RETURN_POINTER;
	p->rule = RULE_WINDOW;
	w->slot[op->made] = (struct model_slot){.kind = KIND_WINDOW, .host = op->host, .live = true, .known = true,
						.domain = op->domain, .type = op->type, .binding = -1};
}

void model_dealloc_mw(struct model_world *w, const struct model_op *op, struct model_prediction *p)
{
	struct model_slot *m = &w->slot[op->window];

	p->rule = RULE_WINDOW_FREE;
	m->live = false;
	m->binding = -1;
	m->known = true;
}

enum model_rule model_bind_rule(const struct model_world *w, const struct model_op *op)
{
	const struct model_slot *m = &w->slot[op->window], *r = &w->slot[op->region];
	const struct model_slot *now = m->binding >= 0 ? &w->slot[m->binding] : NULL;

	if (m->domain || r->domain)
		return RULE_BIND_DOMAIN;
	if (!op->blocks)
		return m->type == 1 ? RULE_UNBIND : RULE_BIND_NOTHING;
	if (!(r->access & IBV_ACCESS_MW_BIND))
		return RULE_BIND_RIGHT;
	if (op->access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC) && !(r->access & IBV_ACCESS_LOCAL_WRITE))
		return RULE_BIND_WRITE;
	if (op->first + op->blocks > MODEL_BLOCKS)
		return RULE_BIND_RANGE;
	if (m->type == 2 && now)
		return now->pair == op->pair ? RULE_BIND_TWICE : RULE_BIND_OTHER;
	return RULE_BIND;
}

static void bind_now(struct model_world *w, const struct model_op *op)
{
	struct model_slot *m = &w->slot[op->window];

	w->slot[op->made] = (struct model_slot){.kind = KIND_BINDING, .host = op->host, .live = true, .known = true,
						.access = op->access, .binding = -1, .window = op->window,
						.region = op->region, .pair = op->pair, .first = op->first,
						.blocks = op->blocks, .zero = op->zero};
	m->binding = op->blocks ? op->made : -1;
	m->last = op->made;
	m->ever = true;
	m->invalid = !op->blocks;
}

void model_bind(struct model_world *w, const struct model_op *op, uint64_t id, struct model_prediction *p)
{
	enum model_rule rule = model_bind_rule(w, op);

	if (rule == RULE_BIND || rule == RULE_UNBIND) {
		bind_now(w, op);
		model_done(p, op->host, op->pair, id, IBV_WC_SUCCESS, rule)->opcode = IBV_WC_BIND_MW;
		return;
	}
	w->slot[op->window].stale = true;
	model_fault(w, p, op, id, IBV_WC_MW_BIND_ERR, rule);
	model_fail_pair(w, p, op->host, op->pair);
	if (rule != RULE_BIND_DOMAIN)
		return;
	p->may_refuse = true;
	w->pair[op->host][op->pair].known = false;
}

enum model_rule model_invalidate_rule(const struct model_world *w, int host, int pair, int key)
{
	const struct model_slot *k = &w->slot[key];
	int window = model_window_of(w, key);
	const struct model_slot *m = window < 0 ? NULL : &w->slot[window];

	if (!m || k->host != host || !m->live || m->type == 1)
		return RULE_INVALIDATE_ERROR;
	if (m->binding >= 0 && m->binding != key)
		return RULE_INVALIDATE_ERROR;
	if (m->binding < 0)
		return !m->ever ? RULE_INVALIDATE_FREE : m->last == key ? RULE_INVALIDATE_AGAIN : RULE_INVALIDATE_ERROR;
	return k->pair == pair ? RULE_INVALIDATE : RULE_INVALIDATE_OTHER;
}

void model_invalidate(struct model_world *w, int key)
{
	struct model_slot *m = &w->slot[model_window_of(w, key)];

	m->binding = -1;
	m->invalid = true;
}

void model_forget(struct model_world *w, int key)
{
	w->slot[model_window_of(w, key)].known = false;
}

void model_local_inv(struct model_world *w, const struct model_op *op, uint64_t id, struct model_prediction *p)
{
	enum model_rule rule = model_invalidate_rule(w, op->host, op->pair, op->key);
	struct model_completion *c;

	if (rule == RULE_INVALIDATE) {
		model_invalidate(w, op->key);
		model_done(p, op->host, op->pair, id, IBV_WC_SUCCESS, rule)->opcode = IBV_WC_LOCAL_INV;
		return;
	}
	c = model_fault(w, p, op, id, IBV_WC_LOC_QP_OP_ERR, rule);
	if (rule == RULE_INVALIDATE_ERROR || rule == RULE_INVALIDATE_AGAIN) {
		model_fail_pair(w, p, op->host, op->pair);
		return;
	}
	model_or(c, IBV_WC_SUCCESS, model_statement(rule)->silent);
	model_forget(w, op->key);
	w->pair[op->host][op->pair].known = false;
}
