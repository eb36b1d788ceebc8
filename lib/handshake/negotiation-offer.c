/* SPDX-License-Identifier: BSD-2-Clause */
/* A server's negotiation gets its queue pair, or waits for one. */
#include "lib/handshake/negotiation.h"

#include <string.h>
#include <sys/epoll.h>

struct negotiator_job *vbm_negotiation_find_offer(const struct listener *l, const struct handshake_gids *gids)
{
	struct negotiator_job *j;
	struct ring *r;

	for (r = l->offers.next; r != &l->offers; r = r->next) {
		j = container_of(r, struct negotiator_job, link);
		if (vbm_handshake_fits(gids, j->qp))
			return j;
	}
	return NULL;
}

/* The client waits for a queue pair or for the program; true: it is refused. */
static bool let_wait(struct negotiation *t)
{
	struct listener *l = t->listener;

	vbm_negotiation_place(t, !l->options.decide || t->decided ? PLACE_WAITING : PLACE_NONE);
	if (t->place == PLACE_WAITING) {
		vbm_negotiation_press(l);
	} else if (!t->request && !vbm_negotiation_ask(t)) {
		t->action = vbm_handshake_step(&t->h, HANDSHAKE_REFUSE, HANDSHAKE_BUSY);
		return true;
	}
	if (t->timed != t->h.state)
		vbm_negotiation_begin_step(t);
	/* It is enough for the third message, too. */
	vbm_negotiation_look_for(t, EPOLLIN | EPOLLRDHUP);
	return false;
}

void vbm_negotiation_take_job(struct negotiation *t, struct negotiator_job *j)
{
	t->job = j;
	j->negotiation = t;
	vbm_handshake_adopt(&t->h, j->qp, &t->gids);
	vbm_handshake_mind_peer(t->watch.fd, -1, j->qp->options.traffic_class);
}

bool vbm_negotiation_find_job(struct negotiation *t)
{
	struct listener *l = t->listener;
	struct negotiator_job *j = NULL;

	if (!t->has_gids)
		vbm_handshake_gids(&t->gids, t->watch.fd, l->has_one ? &l->own : NULL, &t->address,
				   &l->options.handshake);
	t->has_gids = true;
	if (!vbm_handshake_peer_fits(&t->h, &t->gids)) {
		t->action = HANDSHAKE_STOP;	/* the queue pairs stay for other clients */
		return true;
	}
	if (!l->options.decide || t->decided)
		j = vbm_negotiation_find_offer(l, &t->gids);
	if (!j)
		return let_wait(t);
	vbm_negotiation_place(t, PLACE_NONE);
	ring_remove(&j->link);
	vbm_negotiation_take_job(t, j);
	return true;
}
