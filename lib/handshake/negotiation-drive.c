/* SPDX-License-Identifier: BSD-2-Clause */
/* A negotiation goes on, as far as it can without waiting. */
#include "lib/handshake/negotiation.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/base/fail.h"

/* The second call of connect(2) says how the first one ends. */
static int reach(struct negotiation *t)
{
	if (connect(t->watch.fd, &t->address.sa, addr_len(&t->address)) && errno != EISCONN)
		return errno == EINPROGRESS || errno == EALREADY || errno == EINTR ? EAGAIN : errno;
	t->dialing = false;
	return 0;
}

int vbm_negotiation_ask_who(struct negotiation *t)
{
	int rc = t->dialing ? reach(t) : 0;

	rc = rc ? rc : vbm_auth_go(t->auth);
	loop_forget_now(&t->n->loop);
	if (rc == EAGAIN && t->hung_up)
		rc = ECONNRESET;
	if (rc == EAGAIN) {
		if (t->timed != t->h.state)
			vbm_negotiation_begin_step(t);
		rc = -vbm_negotiation_look_for(t, t->dialing ? EPOLLOUT : (uint32_t)t->auth->pub.events | EPOLLRDHUP);
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
	vbm_negotiation_place(t, PLACE_SILENT);	/* at the end: it has been silent for the shortest time */
	return 0;
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
	if (vbm_negotiation_in_rts(t, t->move_result))
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
	vbm_negotiation_forget(t);
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

	if (t->auth && vbm_negotiation_ask_who(t))
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
			if (!vbm_negotiation_to_rts(t, has_moved))
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
				vbm_negotiation_begin_step(t);
			rc = -vbm_negotiation_look_for(t, t->action == HANDSHAKE_SEND ? EPOLLOUT : EPOLLIN);
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
		vbm_negotiation_end_with(t, ENOMEM, "nobody can find out who the peer is");
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
		vbm_negotiation_end(t, rc);
	else
		vbm_negotiation_begin(t);
}
