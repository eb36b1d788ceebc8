/* SPDX-License-Identifier: BSD-2-Clause */
/* A negotiator tells its program outcomes, and clients about which the program decides. */
#include "lib/handshake/negotiation.h"

#include <string.h>

/*
 * The queue cannot overflow: each request with a slot has one outcome, there are as many
 * slots as half of the entries, and vbm_negotiation_ask() uses only the first half.
 */
struct vbm_outcome *vbm_negotiation_begin_outcome(struct vbm_negotiator *n, uint32_t slot,
					 enum vbm_outcome_kind kind, int result, void *context)
{
	uint32_t at = queue_end(&n->to_program);
	struct vbm_outcome *o = &n->outcome[at];

	n->outcome_slot[at] = slot;
	memset(o, 0, sizeof(*o));
	o->kind = kind;
	o->result = result;
	o->context = context;
	o->socket = -1;
	return o;
}

void vbm_negotiation_end_outcome(struct vbm_negotiator *n)
{
	queue_push(&n->to_program);
	n->untold = true;
}

/* Writes the outcome of a job. @t may be NULL. */
void vbm_negotiation_end_job(struct vbm_negotiator *n, struct negotiator_job *j, int result,
		    const struct negotiation *t)
{
	struct vbm_outcome *o = vbm_negotiation_begin_outcome(n, j->slot, VBM_OUTCOME_CONNECTED, result, j->context);

	o->qp = j->qp;
	o->listener = j->listener;
	if (t) {
		memcpy(&o->address, &t->address, sizeof(t->address));
		if (result == 0 || t->h.flag == HANDSHAKE_REFUSAL)
			vbm_handshake_tell(&t->h, &o->peer);
		if (result == 0)
			o->socket = t->watch.fd;
	}
	ring_remove(&j->link);
	vbm_negotiator_leave_device(n, j->qp->context);
	j->qp = NULL;
	j->negotiation = NULL;
	vbm_negotiation_end_outcome(n);
}

void vbm_negotiation_report(struct vbm_negotiator *n, const struct negotiator_request *r,
		   enum vbm_outcome_kind kind, int result)
{
	struct vbm_outcome *o = vbm_negotiation_begin_outcome(n, r->slot, kind, result, r->context);

	o->qp = r->qp;
	o->listener = r->listener;
	vbm_negotiation_end_outcome(n);
}

/* The index is in the lower half of the number, and never 0 there. */
static struct asked_client *asked_of(const struct vbm_negotiator *n, uint64_t request)
{
	uint32_t at = (uint32_t)request - 1;
	struct asked_client *c = at < n->depth ? &n->asked[at] : NULL;

	return c && c->t && c->generation == request >> 32 ? c : NULL;
}

bool vbm_negotiation_ask(struct negotiation *t)
{
	struct vbm_negotiator *n = t->n;
	uint32_t at = n->free_asked, read = __atomic_load_n(&n->to_program.head, __ATOMIC_ACQUIRE);
	struct vbm_outcome *o;

	if (at == n->depth || n->to_program.tail - read >= n->depth)
		return false;
	n->free_asked = n->asked[at].next_free;
	n->asked[at].t = t;
	t->request = (uint64_t)n->asked[at].generation << 32 | (at + 1);
	o = vbm_negotiation_begin_outcome(n, NO_SLOT, VBM_OUTCOME_REQUEST, 0, t->listener->context);
	o->listener = t->listener->id;
	o->request = t->request;
	memcpy(&o->address, &t->address, sizeof(t->address));
	vbm_handshake_tell(&t->h, &o->peer);
	if (!t->gids.is_any)
		o->gid = t->gids.own;
	vbm_negotiation_end_outcome(n);
	return true;
}

struct negotiation *vbm_negotiation_asked(struct vbm_negotiator *n, uint64_t request)
{
	struct asked_client *c = asked_of(n, request);

	return c ? c->t : NULL;
}

void vbm_negotiation_unask(struct negotiation *t)
{
	struct asked_client *c = asked_of(t->n, t->request);

	t->request = 0;
	if (!c)
		return;
	c->t = NULL;
	c->generation++;
	c->next_free = t->n->free_asked;
	t->n->free_asked = (uint32_t)(c - t->n->asked);
}
