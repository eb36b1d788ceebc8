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
