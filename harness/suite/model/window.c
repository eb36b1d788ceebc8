/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/parts.h"

static bool model_region_bound(const struct model_world *w, int region)
{
	int i;

	for (i = 0; i < MODEL_SLOTS; i++)
		if (w->slot[i].kind == KIND_WINDOW && w->slot[i].live && w->slot[i].binding >= 0 &&
		    w->slot[w->slot[i].binding].region == region)
			return true;
	return false;
}

bool model_can_reg(const struct model_world *w, const struct model_op *op)
{
	if ((op->way == WAY_IOVA || op->way == WAY_ZERO_BASED) && model_excepts(w, EXCEPT_OWN_ADDRESS))
		return false;
	if (op->way != WAY_ZERO_BASED)
		return true;
	/* No document says which check comes first: that of the kind of region, or that of the rights. */
	return !model_excepts(w, EXCEPT_ZERO_BASED) && !(model_lacks(w, LACK_ZERO_BASED) && model_rights_forbidden(op->access));
}

bool model_rights_forbidden(int access)
{
	return access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC) && !(access & IBV_ACCESS_LOCAL_WRITE);
}

void model_reg_mr(struct model_world *w, const struct model_op *op, struct model_prediction *p)
{
	static const enum model_rule rules[] = {[WAY_PLAIN] = RULE_REGION, [WAY_IOVA] = RULE_IOVA,
						[WAY_ZERO_BASED] = RULE_ZERO_BASED, [WAY_ON_DEMAND] = RULE_ON_DEMAND};
	struct model_slot *m = &w->slot[op->made];

	p->returns = RETURN_NULL;
	p->rule = RULE_REGION_RIGHTS;
	if (model_rights_forbidden(op->access))
		return;
	if (op->way == WAY_ZERO_BASED && model_lacks(w, LACK_ZERO_BASED)) {
		p->returns = RETURN_NOT_SUPPORTED;
		p->rule = RULE_ZERO_REFUSED;
		return;
	}
	p->returns = RETURN_POINTER;
	p->rule = rules[op->way];
	*m = (struct model_slot){.kind = KIND_REGION, .host = op->host, .live = true, .known = true,
				 .domain = op->domain, .access = op->access, .binding = -1, .way = op->way};
}

bool model_can_rereg(const struct model_world *w, const struct model_op *op)
{
	const struct model_slot *r = op->region >= 0 && op->region < MODEL_SLOTS ? &w->slot[op->region] : NULL;
	const int all = IBV_REREG_MR_CHANGE_ACCESS | IBV_REREG_MR_CHANGE_PD;

	/* No document says what becomes of a bound window. */
	if (!r || r->kind != KIND_REGION || r->host != op->host || !r->live || r->way != WAY_PLAIN || model_region_bound(w, op->region))
		return false;
	return op->changes & all && !(op->changes & ~all) && !model_excepts(w, EXCEPT_REREG);
}

void model_rereg_mr(struct model_world *w, const struct model_op *op, struct model_prediction *p)
{
	struct model_slot *m = &w->slot[op->region];

	p->rule = RULE_REREG;
	if (op->changes & IBV_REREG_MR_CHANGE_ACCESS && model_rights_forbidden(op->access)) {
		p->returns = RETURN_NOT_OK;
		p->rule = RULE_REREG_RIGHTS;
		return;
	}
	m->again = true;
	if (op->changes & IBV_REREG_MR_CHANGE_ACCESS)
		m->access = op->access;
	if (op->changes & IBV_REREG_MR_CHANGE_PD)
		m->domain = op->domain;
}

void model_dereg_mr(struct model_world *w, const struct model_op *op, struct model_prediction *p)
{
	if (model_region_bound(w, op->region)) {
		p->returns = RETURN_NOT_OK;
		p->rule = RULE_REGION_BOUND;
		return;
	}
	p->rule = RULE_REGION_FREE;
	w->slot[op->region].live = false;
}

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
