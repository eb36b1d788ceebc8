/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a negotiation: who gets its socket and its queue pair. */
#include "lib/handshake/negotiation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/fail.h"

/* A listener that had too many clients can accept one now. */
static void leave_listener(struct listener *l)
{
	vbm_door_left(&l->door);
	if (l->closing && !l->door.count)
		l->finish(l);
}

/* 0, or why the queue pair cannot be offered again. Nothing is lost while it is in INIT. */
static int make_ready(const struct listener *l, struct negotiator_job *j)
{
	int rc = l->n->verbs->back_to_init(j->qp, &j->error);

	if (rc == 0 && l->options.prepare) {
		rc = l->options.prepare(j->qp, j->context);
		if (rc)
			vbm_fail(&j->error, rc, "the program cannot prepare queue pair %u again",
				 j->qp->local.qp_num);
	}
	return rc;
}

/*
 * A peer that fails must not use up an offer. False: the job ends, with *@result. The timer
 * looks for the next client later, because this may be the end of another one.
 */
static bool offer_again(struct negotiation *t, int *result)
{
	struct listener *l = t->listener;
	struct negotiator_job *j = t->job;

	if (!j->is_offer || !*result || *result == ECANCELED || *result == ENODEV || t->at_fault)
		return false;
	if (!t->n->verbs->in_init(j->qp)) {
		if (!j->qp->options.srq && !l->options.prepare)
			return false;
		j->error.code = 0;
		*result = make_ready(l, j);
		if (*result)
			return false;
	}
	j->error.code = 0;
	j->negotiation = NULL;
	t->job = NULL;
	ring_add(&l->offers, &j->link);
	vbm_timer_arm(&t->n->loop, &l->serve, loop_now(&t->n->loop));
	return true;
}

void vbm_negotiation_end(struct negotiation *t, int result)
{
	struct vbm_negotiator *n = t->n;
	int of_job = result;
	bool is_over;

	if (t->moving) {
		t->ended = result;
		return;
	}
	is_over = t->job && !offer_again(t, &of_job);
	vbm_timer_disarm(&t->timer);
	vbm_negotiation_forget(t);
	vbm_negotiation_unask(t);
	vbm_auth_end(t->auth);
	if (of_job && is_over)
		n->verbs->give_up(t->job->qp);
	if (is_over)
		vbm_negotiation_end_job(n, t->job, of_job, t);
	if (result)
		close(t->watch.fd);
	if (!result && t->place == PLACE_HALFWAY)
		vbm_grace_answered(&t->listener->grace, loop_now(&n->loop) - t->since);
	vbm_negotiation_place(t, PLACE_NONE);
	ring_remove(&t->link);
	if (t->listener)
		leave_listener(t->listener);
	free(t);
}

void vbm_negotiation_end_with(struct negotiation *t, int error, const char *what)
{
	if (t->job)
		vbm_fail(&t->job->error, error, "%s: %s", what, strerror(error));
	vbm_negotiation_end(t, error);
}
