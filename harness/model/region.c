/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/parts.h"

bool model_region_bound(const struct model_world *w, int region)
{
	int i;

	for (i = 0; i < MODEL_SLOTS; i++)
		if (w->slot[i].kind == KIND_WINDOW && w->slot[i].live && w->slot[i].binding >= 0 &&
		    w->slot[w->slot[i].binding].region == region)
			return true;
	return false;
}

void model_reg_mr(struct model_world *w, const struct model_op *op, struct model_prediction *p)
{
	struct model_slot *m = &w->slot[op->made];

	p->returns = RETURN_NULL;
	p->rule = RULE_REGION_RIGHTS;
	if (op->access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC) && !(op->access & IBV_ACCESS_LOCAL_WRITE))
		return;
	p->returns = RETURN_POINTER;
	p->rule = RULE_REGION;
	*m = (struct model_slot){.kind = KIND_REGION, .host = op->host, .live = true, .known = true,
				 .domain = op->domain, .access = op->access, .binding = -1};
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
