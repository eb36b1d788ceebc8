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

#define GRACE_MS 200
#define LATE_MS 100
#define GRACE_HALFWAY_MS 800	/* the peer has calls of ibv_modify_qp(3) to make */

static const struct vbm_handshake_options *options_of(const struct negotiation *t)
{
	return t->listener ? &t->listener->options.handshake : &t->options;
}

static int64_t step_ns(const struct negotiation *t)
{
	const struct vbm_handshake_options *o = options_of(t);

	return (o->timeout_ms > 0 ? o->timeout_ms : HANDSHAKE_STEP_MS) * NS_PER_MS;
}

/*
 * 0 or a negative errno. Only the first call for a socket can fail. Each event is reported
 * once: most negotiations wait once, and a socket for which epoll waits no more need not be
 * removed before the program gets it. A listener's client is not lost when memory runs out:
 * it is looked at again without epoll until there is some.
 */
static int look_for(struct negotiation *t, uint32_t events)
{
	int rc = 0;

	if ((t->events & events) == events)
		return 0;
	if (!t->in_epoll)
		rc = vbm_loop_add(&t->n->loop, &t->watch, events | EPOLLONESHOT);
	else
		vbm_loop_modify(&t->n->loop, &t->watch, events | EPOLLONESHOT);
	t->in_epoll = rc == 0;
	t->events = rc ? 0 : events;
	if (rc == 0)
		vbm_timer_disarm(&t->again);
	if (rc == 0 || !t->listener || !loop_is_short(-rc))
		return rc;
	vbm_timer_arm(&t->n->loop, &t->again, loop_now(&t->n->loop) + NEGOTIATION_RETRY_MS * NS_PER_MS);
	return 0;
}

/* A listener that had too many clients can accept one now. */
static void leave_listener(struct listener *l)
{
	l->pending--;
	if (l->closing && !l->pending)
		l->finish(l);
	else if (l->resume.next)
		vbm_timer_arm(&l->n->loop, &l->resume, loop_now(&l->n->loop));
}

static void forget(struct negotiation *t)
{
	vbm_timer_disarm(&t->again);
	if (!t->events)
		return;
	vbm_loop_remove(&t->n->loop, &t->watch);
	t->in_epoll = false;
	t->events = 0;
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

/*
 * Ends the negotiation and its job, or says that they end when the call that another thread
 * makes for them has returned. After a success the program owns the socket.
 */
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
	forget(t);
	vbm_negotiation_unask(t);
	vbm_auth_end(t->auth);
	if (of_job && is_over)
		n->verbs->give_up(t->job->qp);
	if (is_over)
		vbm_negotiation_end_job(n, t->job, of_job, t);
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

/* The time of a step begins when this end waits for the peer. */
static void begin_step(struct negotiation *t)
{
	t->timed = t->h.state;
	t->excused = false;
	t->since = loop_now(&t->n->loop);
	vbm_timer_arm(&t->n->loop, &t->timer, t->since + step_ns(t));
	if (t->listener)
		vbm_negotiation_press(t->listener);
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

/*
 * When this end looks at its timers much too late, the peer may have waited for this end. The
 * step then gets its time once more.
 */
static bool was_late(struct negotiation *t)
{
	if (t->excused || loop_now(&t->n->loop) - t->timer.at < LATE_MS * NS_PER_MS)
		return false;
	begin_step(t);
	t->excused = true;
	return true;
}

/* The second call of connect(2) says how the first one ends. */
static int reach(struct negotiation *t)
{
	if (connect(t->watch.fd, &t->address.sa, addr_len(&t->address)) && errno != EISCONN)
		return errno == EINPROGRESS || errno == EALREADY || errno == EINTR ? EAGAIN : errno;
	t->dialing = false;
	return 0;
}

/*
 * Ask the program who the peer is. 0: it knows, and the first message may come. EAGAIN: it
 * does not know yet. Otherwise the negotiation is over.
 */
static int ask_who(struct negotiation *t)
{
	int rc = t->dialing ? reach(t) : 0;

	rc = rc ? rc : vbm_auth_go(t->auth);
	loop_forget_now(&t->n->loop);
	if (rc == EAGAIN && t->hung_up)
		rc = ECONNRESET;
	if (rc == EAGAIN) {
		if (t->timed != t->h.state)
			begin_step(t);
		rc = -look_for(t, t->dialing ? EPOLLOUT : (uint32_t)t->auth->pub.events | EPOLLRDHUP);
		rc = rc ? rc : EAGAIN;
	}
	if (rc == EAGAIN)
		return rc;
	if (rc) {
		vbm_negotiation_end_with(t, rc, t->dialing ? "connect fails" :
					 "the program has not taken the peer for the right one");
		return rc;
	}
	vbm_auth_end(t->auth);
	t->auth = NULL;
	t->action = vbm_handshake_step(&t->h, HANDSHAKE_BEGIN, 0);
	if (t->listener) {
		ring_remove(&t->node);	/* it has been silent for the shortest time */
		ring_add(&t->listener->silent, &t->node);
	}
	return 0;
}

bool vbm_negotiation_revive(struct negotiation *t)
{
	int rc = t->auth ? ask_who(t) : -1;

	if (rc == EAGAIN || (rc < 0 && !is_late_only_here(t)))
		return false;
	if (rc > 0)
		return true;
	begin_step(t);
	vbm_negotiation_drive(t);
	return true;
}

static void time_is_up(struct timer *timer)
{
	struct negotiation *t = container_of(timer, struct negotiation, timer);

	if (vbm_negotiation_revive(t) || was_late(t))
		return;
	if (t->dialing) {
		vbm_negotiation_end_with(t, ETIMEDOUT, "the server does not answer");
		return;
	}
	if (t->auth) {
		vbm_negotiation_end_with(t, ETIMEDOUT, "the peer has not said in time who it is");
		return;
	}
	vbm_negotiation_unask(t);
	if (t->action == HANDSHAKE_GO_TO_RTS)
		t->action = vbm_handshake_step(&t->h, HANDSHAKE_REFUSE, HANDSHAKE_BUSY);
	else
		t->action = vbm_handshake_step(&t->h, HANDSHAKE_TIMEOUT, 0);
	vbm_negotiation_drive(t);
}

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

int64_t vbm_negotiation_grace_ns(const struct listener *l, bool halfway)
{
	int ms = l->options.grace_ms > 0 ? l->options.grace_ms : halfway ? GRACE_HALFWAY_MS : GRACE_MS;

	return ms * NS_PER_MS;
}

void vbm_negotiation_press(struct listener *l)
{
	const struct negotiation *oldest = of_ring(&l->halfway, struct negotiation, node);

	if (!ring_empty(&l->waiting) && !ring_empty(&l->halfway) && !l->press.next)
		vbm_timer_arm(&l->n->loop, &l->press, oldest->since + vbm_negotiation_grace_ns(l, true));
}

/* The client waits for a queue pair or for the program; true: it is refused. */
static bool let_wait(struct negotiation *t)
{
	struct listener *l = t->listener;

	ring_remove(&t->node);
	if (!l->options.decide || t->decided) {
		ring_add(&l->waiting, &t->node);
		vbm_negotiation_press(l);
	} else if (!t->request && !vbm_negotiation_ask(t)) {
		t->action = vbm_handshake_step(&t->h, HANDSHAKE_REFUSE, HANDSHAKE_BUSY);
		return true;
	}
	if (t->timed != t->h.state)
		begin_step(t);
	/* It is enough for the third message, too. */
	look_for(t, EPOLLIN | EPOLLRDHUP);
	return false;
}

void vbm_negotiation_take_job(struct negotiation *t, struct negotiator_job *j)
{
	t->job = j;
	j->negotiation = t;
	vbm_handshake_adopt(&t->h, j->qp, &t->gids);
	vbm_handshake_mind_peer(t->watch.fd, -1, j->qp->options.traffic_class);
}

/*
 * The server's first message was right. Finds a queue pair for it; false when there is
 * none yet.
 */
static bool take_job(struct negotiation *t)
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
	ring_remove(&t->node);
	ring_remove(&j->link);
	vbm_negotiation_take_job(t, j);
	return true;
}

/* That the peer cannot be reached is no fault of the queue pair. */
static bool is_unreachable(int rc)
{
	return rc == ETIMEDOUT || rc == EHOSTUNREACH || rc == ENETUNREACH;
}

/* The call has returned @rc. False: the negotiation is over. */
static bool in_rts(struct negotiation *t, int rc)
{
	/* These calls can take time, and what follows must not count it. */
	loop_forget_now(&t->n->loop);
	if (rc) {
		t->at_fault = !is_unreachable(rc);
		vbm_negotiation_end(t, rc);
		return false;
	}
	t->action = vbm_handshake_step(&t->h, HANDSHAKE_IN_RTS, 0);
	if (t->listener)
		ring_add(&t->listener->halfway, &t->node);
	return true;
}

static void move(struct move *m)
{
	struct negotiation *t = container_of(m, struct negotiation, move);

	t->move_result = t->n->verbs->to_rts(&t->h, t->job->qp, &t->move_error);
}

static void has_moved(struct move *m)
{
	struct negotiation *t = container_of(m, struct negotiation, move);

	t->moving = false;
	if (t->ended) {
		vbm_negotiation_end(t, t->ended);
		return;
	}
	if (t->move_result)
		t->job->error = t->move_error;
	if (in_rts(t, t->move_result))
		vbm_negotiation_drive(t);
}

/*
 * Only a GID that is not the peer's address can be one that no host has, and make the call
 * take a second. Another thread makes it then. True: it does.
 */
static bool is_moved_elsewhere(struct negotiation *t)
{
	if (!options_of(t)->foreign_gid)
		return false;
	t->move = (struct move){.call = move, .done = has_moved};
	t->move_result = ECANCELED;	/* if the call is never made */
	t->moving = vbm_mover_take(&t->n->mover, &t->move);
	if (!t->moving)
		return false;
	vbm_timer_disarm(&t->timer);
	forget(t);
	return true;
}

/* False: the negotiation is over, or waits for a queue pair or for another thread. */
static bool to_rts(struct negotiation *t)
{
	if (!t->job && !take_job(t))
		return false;
	if (t->action == HANDSHAKE_STOP)
		return true;
	if (is_moved_elsewhere(t))
		return false;
	return in_rts(t, t->n->verbs->to_rts(&t->h, t->job->qp, &t->job->error));
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
	t->in_epoll = false;
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
	bool sends;
	int rc;

	if (t->auth && ask_who(t))
		return;
	for (;;) {
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
			rc = EAGAIN;	/* the peer's answer is not there yet */
		}
		if (rc == EAGAIN) {
			if (t->timed != t->h.state)
				begin_step(t);
			rc = -look_for(t, t->action == HANDSHAKE_SEND ? EPOLLOUT : EPOLLIN);
			t->at_fault = rc != 0;
		}
		if (rc)
			vbm_negotiation_end_with(t, rc, t->dialing ? "connect fails" : "the handshake's socket fails");
		return;
	}
}

void vbm_negotiation_begin(struct negotiation *t)
{
	const struct vbm_handshake_options *o = options_of(t);

	if (o->authenticate && !t->auth)
		t->auth = vbm_auth_begin(o->authenticate, o->context, t->watch.fd, !t->listener);
	if (o->authenticate && !t->auth) {
		vbm_negotiation_end_with(t, ENOMEM, "nobody can find out who the peer is");
		return;
	}
	if (!t->auth)
		t->action = vbm_handshake_step(&t->h, HANDSHAKE_BEGIN, 0);
	vbm_negotiation_drive(t);
}

static void look_again(struct timer *again)
{
	vbm_negotiation_drive(container_of(again, struct negotiation, again));
}

static void negotiation_ready(struct watch *w, uint32_t events)
{
	struct negotiation *t = container_of(w, struct negotiation, watch);

	t->events = 0;
	t->hung_up = events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR);
	/* While the negotiation waits for a queue pair, the only event is that the client goes. */
	if (t->action == HANDSHAKE_GO_TO_RTS && t->hung_up)
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
	vbm_handshake_mind_peer(t->watch.fd, t->options.keepalive_ms ? t->options.keepalive_ms : -1,
				t->job->qp->options.traffic_class);
	if (connect(t->watch.fd, &t->address.sa, addr_len(&t->address)) && errno != EINPROGRESS) {
		vbm_negotiation_end_with(t, errno, "connect fails");
		return;
	}
	/*
	 * On a fast network the connection is made by now. If it is not made yet, send(2)
	 * returns EAGAIN.
	 */
	t->dialing = true;
	t->hung_up = false;
	rc = vbm_handshake_prepare(&t->h, true, t->job->qp, t->watch.fd, &t->address, &t->options,
				   &t->job->error);
	if (rc)
		vbm_negotiation_end(t, rc);
	else
		vbm_negotiation_begin(t);
}

struct negotiation *vbm_negotiation_alloc(size_t private_length)
{
	return vbm_mem_alloc(sizeof(struct negotiation) + private_length);
}

void vbm_negotiation_init(struct negotiation *t, struct vbm_negotiator *n, struct listener *l)
{
	memset(t, 0, offsetof(struct negotiation, h));
	vbm_handshake_await(&t->h, l ? &l->options.handshake : &(struct vbm_handshake_options){0});
	t->n = n;
	t->listener = l;
	t->watch.fd = -1;
	t->watch.ready = negotiation_ready;
	t->timer.fire = time_is_up;
	t->again.fire = look_again;
	t->timed = HANDSHAKE_STATES;
	ring_init(&t->node);
	ring_add(&n->negotiations, &t->link);
	if (l)
		l->pending++;
}
