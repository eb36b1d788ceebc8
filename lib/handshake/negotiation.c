/* SPDX-License-Identifier: BSD-2-Clause */
/* One handshake of a negotiator: what it waits for, its queue pair, how it goes on, and its end. */
#include "lib/handshake/negotiation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/base/fail.h"
#include "lib/base/mem.h"

#define SILENT_MS 200	/* without a first message */

static int64_t step_ns(const struct negotiation *t)
{
	const struct vbm_handshake_options *o = negotiation_options(t);

	return (o->timeout_ms > 0 ? o->timeout_ms : HANDSHAKE_STEP_MS) * NS_PER_MS;
}

/*
 * Each event is reported once: most negotiations wait once, and a socket for which epoll
 * waits no more need not be removed before the program gets it. A listener's client is not
 * lost when memory runs out: it is looked at again without epoll until there is some. 0 or a negative errno.
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
	vbm_timer_arm(&t->n->loop, &t->again, loop_now(&t->n->loop) + DOOR_RETRY_MS * NS_PER_MS);
	return 0;
}

static void forget_socket(struct negotiation *t)
{
	vbm_timer_disarm(&t->again);
	if (!t->events)
		return;
	vbm_loop_remove(&t->n->loop, &t->watch);
	t->in_epoll = false;
	t->events = 0;
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

/* A server's negotiation goes to the end of another ring. */
static void move_to(struct negotiation *t, enum negotiation_place place)
{
	struct listener *l = t->listener;

	ring_remove(&t->node);
	if (!l)
		return;
	if (t->place != PLACE_NONE)
		l->count[t->place]--;
	t->place = place;
	if (place != PLACE_NONE) {
		l->count[place]++;
		ring_add(&l->in[place], &t->node);
	}
	vbm_grace_waiting(&l->grace, l->count[PLACE_WAITING]);
}

int64_t vbm_negotiation_due(const struct negotiation *t)
{
	const struct listener *l = t->listener;
	int ms = l->options.grace_ms > 0 ? l->options.grace_ms : SILENT_MS;

	if (t->place == PLACE_HALFWAY)
		return t->since + vbm_grace_ns(&l->grace, l->count[PLACE_HALFWAY]);
	return t->since + ms * NS_PER_MS;
}

void vbm_negotiation_press(struct listener *l)
{
	const struct ring *halfway = &l->in[PLACE_HALFWAY];
	int64_t due;

	if (ring_empty(&l->in[PLACE_WAITING]) || ring_empty(halfway))
		return;
	due = vbm_negotiation_due(of_ring(halfway, struct negotiation, node));
	if (!l->press.next || due < l->press.at)
		vbm_timer_arm(&l->n->loop, &l->press, due);
}

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

/* After a success the program owns the socket. */
static void end_negotiation(struct negotiation *t, int result)
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
	forget_socket(t);
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
	move_to(t, PLACE_NONE);
	ring_remove(&t->link);
	if (t->listener)
		leave_listener(t->listener);
	free(t);
}

void vbm_negotiation_end_with(struct negotiation *t, int error, const char *what)
{
	if (t->job)
		vbm_fail(&t->job->error, error, "%s: %s", what, strerror(error));
	end_negotiation(t, error);
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

/* The client waits for a queue pair or for the program; true: it is refused. */
static bool let_wait(struct negotiation *t)
{
	struct listener *l = t->listener;

	move_to(t, !l->options.decide || t->decided ? PLACE_WAITING : PLACE_NONE);
	if (t->place == PLACE_WAITING) {
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

/* The server's first message was right. False: there is no queue pair for it yet. */
static bool find_job(struct negotiation *t)
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
	move_to(t, PLACE_NONE);
	ring_remove(&j->link);
	vbm_negotiation_take_job(t, j);
	return true;
}

/* An unreachable peer is no fault of the queue pair. */
static bool is_unreachable(int rc)
{
	return rc == ETIMEDOUT || rc == EHOSTUNREACH || rc == ENETUNREACH;
}

/* The call to RTS has returned @rc. False: the negotiation is over. */
static bool is_in_rts(struct negotiation *t, int rc)
{
	/* These calls can take time, and what follows must not count it. */
	loop_forget_now(&t->n->loop);
	if (rc) {
		t->at_fault = !is_unreachable(rc);
		end_negotiation(t, rc);
		return false;
	}
	t->action = vbm_handshake_step(&t->h, HANDSHAKE_IN_RTS, 0);
	move_to(t, PLACE_HALFWAY);
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
	forget_socket(t);
	return true;
}

/* False: the negotiation is over, or waits for a queue pair, or for another thread, which leads to @done. */
static bool to_rts(struct negotiation *t, void (*done)(struct move *m))
{
	if (!t->job && !find_job(t))
		return false;
	if (t->action == HANDSHAKE_STOP)
		return true;
	if (is_moved_elsewhere(t, done))
		return false;
	return is_in_rts(t, t->n->verbs->to_rts(&t->h, t->job->qp, &t->job->error));
}

/* The second call of connect(2) says how the first one ends. */
static int reach(struct negotiation *t)
{
	if (connect(t->watch.fd, &t->address.sa, addr_len(&t->address)) && errno != EISCONN)
		return errno == EINPROGRESS || errno == EALREADY || errno == EINTR ? EAGAIN : errno;
	t->dialing = false;
	return 0;
}

/* 0: the program knows who the peer is, and the first message may come. EAGAIN: not yet. Else all is over. */
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
		vbm_negotiation_end_with(t, rc, t->dialing ? "connect fails" : "the program refused the peer");
		return rc;
	}
	vbm_auth_end(t->auth);
	t->auth = NULL;
	t->action = vbm_handshake_step(&t->h, HANDSHAKE_BEGIN, 0);
	move_to(t, PLACE_SILENT);	/* at the end: it has been silent for the shortest time */
	return 0;
}

static void has_moved(struct move *m)
{
	struct negotiation *t = container_of(m, struct negotiation, move);

	t->moving = false;
	if (t->ended) {
		end_negotiation(t, t->ended);
		return;
	}
	if (t->move_result)
		t->job->error = t->move_error;
	if (is_in_rts(t, t->move_result))
		vbm_negotiation_drive(t);
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
	forget_socket(t);
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
	end_negotiation(t, error);
}

void vbm_negotiation_drive(struct negotiation *t)
{
	bool sends;
	int rc;

	if (t->auth && ask_who(t))
		return;
	for (;;) {
		if (t->action == HANDSHAKE_DONE) {
			end_negotiation(t, 0);
			return;
		}
		if (t->action == HANDSHAKE_STOP) {
			stop(t);
			return;
		}
		if (t->action == HANDSHAKE_GO_TO_RTS) {
			if (!to_rts(t, has_moved))
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
	const struct vbm_handshake_options *o = negotiation_options(t);

	if (o->authenticate && !t->auth)
		t->auth = vbm_auth_begin(o->authenticate, o->context, t->watch.fd, !t->listener);
	if (o->authenticate && !t->auth) {
		vbm_negotiation_end_with(t, ENOMEM, "no memory to identify the peer");
		return;
	}
	if (!t->auth)
		t->action = vbm_handshake_step(&t->h, HANDSHAKE_BEGIN, 0);
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
		end_negotiation(t, rc);
	else
		vbm_negotiation_begin(t);
}

#define LATE_MS 100

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
		vbm_negotiation_end_with(t, ETIMEDOUT, "the peer did not identify itself in time");
		return;
	}
	vbm_negotiation_unask(t);
	if (t->action == HANDSHAKE_GO_TO_RTS)
		t->action = vbm_handshake_step(&t->h, HANDSHAKE_REFUSE, HANDSHAKE_BUSY);
	else
		t->action = vbm_handshake_step(&t->h, HANDSHAKE_TIMEOUT, 0);
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
	t->place = PLACE_NONE;
	ring_init(&t->node);
	ring_add(&n->negotiations, &t->link);
	if (l)
		move_to(t, PLACE_SILENT);
}
