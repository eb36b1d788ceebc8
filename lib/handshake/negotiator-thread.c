/* SPDX-License-Identifier: BSD-2-Clause */
/* The thread of a negotiator: the requests of the program, and its work without a thread. */
#include "lib/handshake/negotiation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/base/fail.h"

static struct listener *find_listener(struct vbm_negotiator *n, int id)
{
	struct ring *r;

	for (r = n->listeners.next; r != &n->listeners; r = r->next)
		if (container_of(r, struct listener, link)->id == id)
			return container_of(r, struct listener, link);
	return NULL;
}

static void request_listen(struct vbm_negotiator *n, const struct negotiator_request *r)
{
	struct vbm_outcome *o;
	struct listener *l;
	int rc = vbm_listener_open(&l, n, r);

	o = vbm_negotiation_begin_outcome(n, r->slot, VBM_OUTCOME_LISTENING, rc, r->context);
	o->listener = r->listener;
	if (l)
		memcpy(&o->address, &l->own, sizeof(l->own));
	vbm_negotiation_end_outcome(n);
}

/* End the job, together with its negotiation if a client has the job already. */
static void end_job(struct vbm_negotiator *n, struct negotiator_job *j, int error, const char *why)
{
	if (j->negotiation) {
		vbm_negotiation_end_with(j->negotiation, error, why);
		return;
	}
	vbm_fail(&j->error, error, "%s", why);
	vbm_negotiation_end_job(n, j, error, NULL);
}

static void device_has_gone(struct vbm_negotiator *n, const struct ibv_context *context)
{
	for (uint32_t i = 0; i < n->depth; i++) {
		struct negotiator_job *j = &n->job[i];

		if (j->qp && j->qp->context == context)
			end_job(n, j, ENODEV, "the device has gone");
	}
}

/* @listener as in struct negotiator_job. */
static struct negotiator_job *begin_job(struct vbm_negotiator *n, const struct negotiator_request *r, int listener)
{
	struct negotiator_job *j = &n->job[r->slot];

	*j = (struct negotiator_job){.qp = r->qp, .context = r->context, .listener = listener, .slot = r->slot,
			  .generation = r->generation};
	ring_init(&j->link);
	vbm_negotiator_watch_device(n, r->qp->context, device_has_gone);
	return j;
}

static void request_offer(struct vbm_negotiator *n, const struct negotiator_request *r)
{
	struct listener *l = find_listener(n, r->listener);
	struct negotiator_job *j;

	if (!l) {
		vbm_fail(&n->job[r->slot].error, ENOENT, "there is no listener %d", r->listener);
		vbm_negotiation_report(n, r, VBM_OUTCOME_CONNECTED, ENOENT);
		return;
	}
	j = begin_job(n, r, l->id);
	j->is_offer = true;
	ring_add(&l->offers, &j->link);
	if (!ring_empty(&l->in[PLACE_WAITING]))
		vbm_timer_arm(&n->loop, &l->serve, loop_now(&n->loop));
}

static void request_connect(struct vbm_negotiator *n, const struct negotiator_request *r)
{
	size_t length = r->options.handshake.private_length;
	struct negotiation *t = vbm_negotiation_alloc(length);

	if (!t) {
		vbm_fail(&n->job[r->slot].error, ENOMEM, "out of memory");
		vbm_negotiation_report(n, r, VBM_OUTCOME_CONNECTED, ENOMEM);
		return;
	}
	vbm_negotiation_init(t, n, NULL);
	t->options = r->options.handshake;
	memcpy(t->private_data, r->private_data, length);
	t->options.private_data = t->private_data;
	t->address = r->address;
	t->job = begin_job(n, r, 0);
	t->job->negotiation = t;
	vbm_negotiation_dial(t);
}

/* The program's private data for one client. */
static void take_private(struct negotiation *t, const struct negotiator_request *r)
{
	vbm_negotiation_unask(t);
	memcpy(t->private_data, r->private_data, r->options.handshake.private_length);
	t->h.private_data = t->private_data;
	t->h.private_length = (uint8_t)r->options.handshake.private_length;
}

/* The request is about a queue pair that the client cannot get. */
static void refuse_qp(struct vbm_negotiator *n, const struct negotiator_request *r, int error, const char *why)
{
	vbm_fail(&n->job[r->slot].error, error, "%s", why);
	vbm_negotiation_report(n, r, VBM_OUTCOME_CONNECTED, error);
}

static void request_accept(struct vbm_negotiator *n, const struct negotiator_request *r)
{
	struct negotiation *t = vbm_negotiation_asked(n, r->client);

	if (!t && r->qp)
		refuse_qp(n, r, ECONNRESET, "the client does not wait any more");
	if (!t)
		return;
	take_private(t, r);
	t->decided = true;
	if (r->qp && !vbm_handshake_fits(&t->gids, r->qp)) {
		refuse_qp(n, r, EPROTO, "the GID of the queue pair is not the address at which the client came");
		t->action = vbm_handshake_step(&t->h, HANDSHAKE_REFUSE, HANDSHAKE_BUSY);
	} else if (r->qp) {
		vbm_negotiation_take_job(t, begin_job(n, r, t->listener->id));
	}
	vbm_negotiation_drive(t);
}

static void request_reject(struct vbm_negotiator *n, const struct negotiator_request *r)
{
	struct negotiation *t = vbm_negotiation_asked(n, r->client);

	if (!t)
		return;
	take_private(t, r);
	t->action = vbm_handshake_step(&t->h, HANDSHAKE_REFUSE, HANDSHAKE_BY_PROGRAM);
	vbm_negotiation_drive(t);
}

/* The slot of a finished job is free, or has another job with another generation. */
static void request_cancel(struct vbm_negotiator *n, const struct negotiator_request *r)
{
	struct negotiator_job *j = &n->job[r->slot];

	if (j->qp && j->generation == r->generation)
		end_job(n, j, ECANCELED, "cancelled");
}

static void request_close(struct vbm_negotiator *n, const struct negotiator_request *r)
{
	struct listener *l = find_listener(n, r->listener);

	if (l)
		vbm_listener_close(l, r);
	else
		vbm_negotiation_report(n, r, VBM_OUTCOME_CLOSED, ENOENT);
}

static void take_requests(struct vbm_negotiator *n)
{
	static void (*const take[])(struct vbm_negotiator *, const struct negotiator_request *) = {
		[REQUEST_LISTEN] = request_listen, [REQUEST_OFFER] = request_offer,
		[REQUEST_CONNECT] = request_connect, [REQUEST_CANCEL] = request_cancel,
		[REQUEST_CLOSE] = request_close, [REQUEST_ACCEPT] = request_accept,
		[REQUEST_REJECT] = request_reject,
	};
	const struct negotiator_request *r;

	for (; !queue_empty(&n->to_thread); queue_pop(&n->to_thread)) {
		r = &n->request[queue_first(&n->to_thread)];
		take[r->kind](n, r);
	}
}

void vbm_negotiator_end(struct vbm_negotiator *n)
{
	/* The program collects nothing any more, so nobody reads the outcomes written here. */
	vbm_mover_fini(&n->mover);
	while (!ring_empty(&n->listeners))
		vbm_listener_close(of_ring(&n->listeners, struct listener, link), NULL);
	while (!ring_empty(&n->negotiations))
		vbm_negotiation_end_with(of_ring(&n->negotiations, struct negotiation, link),
					 ECANCELED, "the negotiator is destroyed");
}

/*
 * Wake the program once for all outcomes of a round, because each wake-up costs a context
 * switch.
 */
static void tell_program(struct vbm_negotiator *n)
{
	if (!n->untold)
		return;
	n->untold = false;
	if (!__atomic_exchange_n(&n->armed, 0, __ATOMIC_SEQ_CST))
		return;
	__atomic_store_n(&n->notified, 1, __ATOMIC_RELEASE);
	vbm_loop_raise(n->notify_fd);
}

/* A callback of the program may hand something in, which is taken after it has returned. */
void vbm_negotiator_take(struct vbm_negotiator *n)
{
	if (n->working)
		return;
	n->working = true;
	loop_forget_now(&n->loop);
	take_requests(n);
	n->working = false;
}

int vbm_negotiator_work(struct vbm_negotiator *n, int timeout_ms)
{
	int rc;

	n->working = true;
	rc = -vbm_loop_run(&n->loop, timeout_ms);
	take_requests(n);
	n->working = false;
	return rc;
}

void *vbm_negotiator_run(void *negotiator)
{
	struct vbm_negotiator *n = negotiator;
	bool idle;

	while (!__atomic_load_n(&n->stop, __ATOMIC_ACQUIRE)) {
		take_requests(n);
		vbm_loop_settle(&n->loop);
		tell_program(n);
		__atomic_store_n(&n->asleep, 1, __ATOMIC_SEQ_CST);
		/* Requests may have arrived after the last check. */
		idle = queue_empty(&n->to_thread) && !__atomic_load_n(&n->stop, __ATOMIC_ACQUIRE);
		vbm_loop_run(&n->loop, idle ? -1 : 0);
		__atomic_store_n(&n->asleep, 0, __ATOMIC_SEQ_CST);
	}
	vbm_negotiator_end(n);
	return NULL;
}
