/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/parts.h"

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

bool model_stream(struct model_world *w, const struct model_op *op, uint64_t id, struct model_prediction *p)
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
