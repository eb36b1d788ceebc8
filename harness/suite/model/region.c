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
