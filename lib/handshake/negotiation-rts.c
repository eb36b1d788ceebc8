/* SPDX-License-Identifier: BSD-2-Clause */
/* The queue pair of a negotiation goes to RTS, in this thread or in another one. */
#include "lib/handshake/negotiation.h"

#include <errno.h>

/* That the peer cannot be reached is no fault of the queue pair. */
static bool is_unreachable(int rc)
{
	return rc == ETIMEDOUT || rc == EHOSTUNREACH || rc == ENETUNREACH;
}

bool vbm_negotiation_in_rts(struct negotiation *t, int rc)
{
	/* These calls can take time, and what follows must not count it. */
	loop_forget_now(&t->n->loop);
	if (rc) {
		t->at_fault = !is_unreachable(rc);
		vbm_negotiation_end(t, rc);
		return false;
	}
	t->action = vbm_handshake_step(&t->h, HANDSHAKE_IN_RTS, 0);
	vbm_negotiation_place(t, PLACE_HALFWAY);
	return true;
}

static void move(struct move *m)
{
	struct negotiation *t = container_of(m, struct negotiation, move);

	t->move_result = t->n->verbs->to_rts(&t->h, t->job->qp, &t->move_error);
}

/*
 * Only a GID that is not the peer's address can be one that no host has, and make the call
 * take a second. Another thread makes it then. True: it does.
 */
static bool is_moved_elsewhere(struct negotiation *t, void (*done)(struct move *m))
{
	if (!negotiation_options(t)->foreign_gid)
		return false;
	t->move = (struct move){.call = move, .done = done};
	t->move_result = ECANCELED;	/* if the call is never made */
	t->moving = vbm_mover_take(&t->n->mover, &t->move);
	if (!t->moving)
		return false;
	vbm_timer_disarm(&t->timer);
	vbm_negotiation_forget(t);
	return true;
}

bool vbm_negotiation_to_rts(struct negotiation *t, void (*done)(struct move *m))
{
	if (!t->job && !vbm_negotiation_find_job(t))
		return false;
	if (t->action == HANDSHAKE_STOP)
		return true;
	if (is_moved_elsewhere(t, done))
		return false;
	return vbm_negotiation_in_rts(t, t->n->verbs->to_rts(&t->h, t->job->qp, &t->job->error));
}
