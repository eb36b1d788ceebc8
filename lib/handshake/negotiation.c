/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/handshake/negotiation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/base/fail.h"
#include "lib/base/mem.h"

/*
 * The queue cannot overflow: each request has one outcome, and the queue has as many
 * entries as there are slots.
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
void vbm_negotiation_end_job(struct vbm_negotiator *n, struct negotiator_job *j, int result, int listener,
		    const struct negotiation *t)
{
	struct vbm_outcome *o = vbm_negotiation_begin_outcome(n, j->slot, VBM_OUTCOME_CONNECTED, result, j->context);

	o->qp = j->qp;
	o->listener = listener;
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

static int64_t step_ns(const struct negotiation *t)
{
	const struct vbm_handshake_options *o = t->listener ? &t->listener->options.handshake :
						&t->options;

	return (o->timeout_ms > 0 ? o->timeout_ms : HANDSHAKE_STEP_MS) * NS_PER_MS;
}

/* 0 or a negative errno. Only the first call for a socket can fail. */
static int look_for(struct negotiation *t, uint32_t events)
{
	int rc = 0;

	if (!t->events)
		rc = vbm_loop_add(&t->n->loop, &t->watch, events);
	else if (t->events != events)
		vbm_loop_modify(&t->n->loop, &t->watch, events);
	t->events = rc ? 0 : events;
	return rc;
}

/* A listener that had too many clients can accept one now. */
static void leave_listener(struct listener *l)
{
	l->pending--;
	if (l->resume.next)
		vbm_timer_arm(&l->n->loop, &l->resume, l->n->loop.now);
}

static void forget(struct negotiation *t)
{
	if (t->events)
		vbm_loop_remove(&t->n->loop, &t->watch);
	t->events = 0;
}

/* Ends the negotiation and its job. After a success the program owns the socket. */
void vbm_negotiation_end(struct negotiation *t, int result)
{
	struct vbm_negotiator *n = t->n;

	vbm_timer_disarm(&t->timer);
	forget(t);
	if (result && t->job)
		n->verbs->give_up(t->job->qp);
	if (t->job)
		vbm_negotiation_end_job(n, t->job, result, t->listener ? t->listener->id : 0, t);
	if (result)
		close(t->watch.fd);
	if (t->listener)
		leave_listener(t->listener);
	ring_remove(&t->link);
	ring_remove(&t->node);
	free(t);
}

/* Also sets the job's error, if no call of the library has set it. */
void vbm_negotiation_end_with(struct negotiation *t, int error, const char *what)
{
	if (t->job)
		vbm_fail(&t->job->error, error, "%s: %s", what, strerror(error));
	vbm_negotiation_end(t, error);
}

static void begin_step(struct negotiation *t)
{
	vbm_timer_arm(&t->n->loop, &t->timer, t->n->loop.now + step_ns(t));
}

/*
 * The thread may have been in calls for other queue pairs when the peer's bytes arrived.
 * True: they end the step.
 */
static bool is_late_only_here(struct negotiation *t)
{
	uint8_t state = t->h.state;
	int rc = 0;

	while (rc == 0 && t->h.state == state &&
	       (t->action == HANDSHAKE_SEND || t->action == HANDSHAKE_RECEIVE)) {
		rc = vbm_handshake_carry(&t->h, t->watch.fd, &t->action);
		t->dialing = t->dialing && rc;
	}
	return t->h.state != state;
}

static void time_is_up(struct timer *timer)
{
	struct negotiation *t = container_of(timer, struct negotiation, timer);

	if (is_late_only_here(t)) {
		begin_step(t);
		vbm_negotiation_drive(t);
		return;
	}
	if (t->dialing) {
		vbm_negotiation_end_with(t, ETIMEDOUT, "the server does not answer");
		return;
	}
	if (t->action == HANDSHAKE_GO_TO_RTS)
		t->action = vbm_handshake_step(&t->h, HANDSHAKE_REFUSE, HANDSHAKE_BUSY);
	else
		t->action = vbm_handshake_step(&t->h, HANDSHAKE_TIMEOUT, 0);
	vbm_negotiation_drive(t);
}

static struct negotiator_job *find_offer(const struct listener *l, const struct handshake_gids *gids)
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

/*
 * The server's first message was right. Finds a queue pair for it; false when there is
 * none yet.
 */
static bool take_job(struct negotiation *t)
{
	struct listener *l = t->listener;
	struct negotiator_job *j;

	if (!t->has_gids)
		vbm_handshake_gids(&t->gids, t->watch.fd, l->has_one ? &l->own : NULL, &t->address,
				   &l->options.handshake);
	t->has_gids = true;
	j = find_offer(l, &t->gids);
	ring_remove(&t->node);
	if (!j) {
		ring_add(&l->waiting, &t->node);
		look_for(t, EPOLLRDHUP);	/* if it fails, the timer ends the negotiation */
		return false;
	}
	if (!vbm_handshake_adopt(&t->h, j->qp, &t->gids)) {
		t->action = HANDSHAKE_STOP;	/* the queue pair stays for other clients */
		return true;
	}
	ring_remove(&j->link);
	j->negotiation = t;
	t->job = j;
	return true;
}

/* False: the negotiation is over, or waits for a queue pair. */
static bool to_rts(struct negotiation *t)
{
	int rc;

	if (!t->job && !take_job(t))
		return false;
	if (t->action == HANDSHAKE_STOP)
		return true;
	rc = t->n->verbs->to_rts(&t->h, t->job->qp, &t->job->error);
	/* These calls can take a second, and what follows must not count it. */
	t->n->loop.now = vbm_loop_now();
	if (rc) {
		vbm_negotiation_end(t, rc);
		return false;
	}
	t->action = vbm_handshake_step(&t->h, HANDSHAKE_IN_RTS, 0);
	return true;
}

/*
 * A client whose peer does not know version 1 tries version 0, if the client has no data
 * that version 0 cannot carry.
 */
static bool ask_again(struct negotiation *t)
{
	if (t->listener || t->h.error != EPROTONOSUPPORT || t->h.private_length ||
	    t->options.version != VBM_HANDSHAKE_ANY)
		return false;
	t->options.version = VBM_HANDSHAKE_ONLY_0;
	forget(t);
	close(t->watch.fd);
	vbm_negotiation_dial(t);
	return true;
}

static void stop(struct negotiation *t)
{
	int error = t->h.error ? t->h.error : EPROTO;

	if (ask_again(t))
		return;
	if (t->job)
		vbm_handshake_explain(&t->h, t->job->qp, &t->job->error);
	vbm_negotiation_end(t, error);
}

void vbm_negotiation_drive(struct negotiation *t)
{
	uint8_t state = t->h.state;
	bool sends;
	int rc;

	for (;;) {
		if (t->h.state != state)
			begin_step(t);
		state = t->h.state;
		if (t->action == HANDSHAKE_DONE) {
			vbm_negotiation_end(t, 0);
			return;
		}
		if (t->action == HANDSHAKE_STOP) {
			stop(t);
			return;
		}
		if (t->action == HANDSHAKE_GO_TO_RTS) {
			if (!to_rts(t))
				return;
			continue;
		}
		sends = t->action == HANDSHAKE_SEND;
		rc = vbm_handshake_carry(&t->h, t->watch.fd, &t->action);
		if (rc == 0) {
			t->dialing = false;
			if (!sends || t->action != HANDSHAKE_RECEIVE)
				continue;
			/* The peer's time to answer begins now. */
			begin_step(t);
			rc = EAGAIN;
		}
		if (rc == EAGAIN)
			rc = -look_for(t, t->action == HANDSHAKE_SEND ? EPOLLOUT : EPOLLIN);
		if (rc)
			vbm_negotiation_end_with(t, rc, t->dialing ? "connect fails" : "the handshake's socket fails");
		return;
	}
}

void vbm_negotiation_begin(struct negotiation *t)
{
	t->action = vbm_handshake_step(&t->h, HANDSHAKE_BEGIN, 0);
	begin_step(t);
	vbm_negotiation_drive(t);
}

static void negotiation_ready(struct watch *w, uint32_t events)
{
	struct negotiation *t = container_of(w, struct negotiation, watch);

	/* While the negotiation waits for a queue pair, the only event is that the client goes. */
	if (t->action == HANDSHAKE_GO_TO_RTS && events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))
		t->action = vbm_handshake_step(&t->h, HANDSHAKE_CLOSED, 0);
	if (t->action != HANDSHAKE_GO_TO_RTS)
		vbm_negotiation_drive(t);
}

void vbm_negotiation_dial(struct negotiation *t)
{
	int rc;

	t->watch.fd = socket(t->address.sa.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (t->watch.fd < 0) {
		vbm_negotiation_end_with(t, errno, "socket fails");
		return;
	}
	if (connect(t->watch.fd, &t->address.sa, addr_len(&t->address)) && errno != EINPROGRESS) {
		vbm_negotiation_end_with(t, errno, "connect fails");
		return;
	}
	/*
	 * On a fast network the connection is made by now. If it is not made yet, send(2)
	 * returns EAGAIN.
	 */
	t->dialing = true;
	rc = vbm_handshake_prepare(&t->h, true, t->job->qp, t->watch.fd, &t->address, &t->options,
				   &t->job->error);
	if (rc)
		vbm_negotiation_end(t, rc);
	else
		vbm_negotiation_begin(t);
}

struct negotiation *vbm_negotiation_make(struct vbm_negotiator *n, struct listener *l, size_t private_length)
{
	struct negotiation *t = vbm_mem_alloc(sizeof(*t) + private_length);

	if (!t)
		return NULL;
	memset(t, 0, offsetof(struct negotiation, h));
	vbm_handshake_await(&t->h, l ? &l->options.handshake : &(struct vbm_handshake_options){0});
	t->n = n;
	t->listener = l;
	t->watch.fd = -1;
	t->watch.ready = negotiation_ready;
	t->timer.fire = time_is_up;
	t->since = n->loop.now;
	ring_init(&t->node);
	ring_add(&n->negotiations, &t->link);
	if (l)
		l->pending++;
	return t;
}
