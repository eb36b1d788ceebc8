/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/xalloc.h"
#include "model/parts.h"

struct model_pair model_connected(void)
{
	return (struct model_pair){.state = IBV_QPS_RTS, .known = true, .access = MODEL_REMOTE, .depth = 1};
}

void model_init(struct model_world *w, struct model_stack stack)
{
	int h, n;

	memset(w, 0, sizeof(*w));
	w->stack = stack;
	for (h = 0; h < MODEL_HOSTS; h++)
		for (n = 0; n < MODEL_PAIRS; n++)
			w->pair[h][n] = model_connected();
}

struct model_completion *model_done(struct model_prediction *p, int host, int pair, uint64_t id,
				    enum ibv_wc_status status, enum model_rule rule)
{
	/* The last place is used again if there are too many; tests/unit/test_model.c shows that there are not. */
	struct model_completion *c = &p->done[p->count < MODEL_COMPLETIONS ? p->count++ : MODEL_COMPLETIONS - 1];

	*c = (struct model_completion){.host = host, .pair = pair, .id = id, .opcode = -1, .status = {status},
				       .statuses = 1, .rule = rule, .bytes = -1, .fill = MODEL_OTHER, .immediate = -1};
	return c;
}

void model_or(struct model_completion *c, enum ibv_wc_status status, const char *why)
{
	if (c->statuses < (int)ARRAY_SIZE(c->status))
		c->status[c->statuses++] = status;
	c->why = why;
}

struct model_completion *model_fault(const struct model_world *w, struct model_prediction *p, const struct model_op *op,
				     uint64_t id, enum ibv_wc_status status, enum model_rule rule)
{
	struct model_completion *c = model_done(p, op->host, op->pair, id, status, rule);

	if (model_excepts(w, EXCEPT_FLUSH_HIDES))
		model_or(c, IBV_WC_WR_FLUSH_ERR, "finding rxe-flush-hides-status: the completion does not say why");
	return c;
}

void model_fail_pair(struct model_world *w, struct model_prediction *p, int host, int pair)
{
	struct model_pair *q = &w->pair[host][pair];
	int i;

	if (q->state == IBV_QPS_ERR)
		return;
	q->state = IBV_QPS_ERR;
	p->settles[host][pair] = true;
	for (i = 0; i < q->waits; i++) {
		model_done(p, host, pair, q->waiting_id[i], IBV_WC_WR_FLUSH_ERR, RULE_FLUSH);
		if (q->waiting[i].verb == VERB_BIND)
			w->slot[q->waiting[i].window].stale = true;
	}
	/* The requests of a shared queue stay for other queue pairs. */
	for (i = 0; i < q->own.count; i++)
		model_done(p, host, pair, q->own.id[i], IBV_WC_WR_FLUSH_ERR, RULE_FLUSH)->receive = true;
	q->waits = q->own.count = 0;
}

uint32_t model_immediate(int fill)
{
	return UINT32_C(0x10000000) | (uint32_t)fill;
}

void model_add_message(struct model_completion *c, const struct model_op *op)
{
	if (!op->immediate)
		return;
	c->immediate = model_immediate(op->fill);
	c->rule = RULE_IMMEDIATE;
}
