/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/parts.h"

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
