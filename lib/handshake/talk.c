/* SPDX-License-Identifier: BSD-2-Clause */
/* One handshake over one socket: its steps, none of which waits, and the calls that wait for them. */
#include "lib/handshake/talk.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/base/fail.h"
#include "lib/base/loop.h"

static void set_connecting(struct handshake_talk *t, int on)
{
	__atomic_store_n(&t->qp->connecting, on, __ATOMIC_RELEASE);
}

/* The program's word about the client: 0, or an errno value that refuses it. */
static int ask_program(struct handshake_talk *t)
{
	int rc;

	vbm_handshake_tell(&t->h, &t->peer);
	rc = t->options.request(t->options.context, &t->peer, &t->options);
	if (rc == 0)
		rc = vbm_handshake_check(&t->options, &t->qp->error);
	if (t->options.private_length <= VBM_HANDSHAKE_PRIVATE_MAX) {
		t->h.private_data = t->options.private_data;
		t->h.private_length = (uint8_t)t->options.private_length;
	}
	return rc;
}

/* The peer's values are known and valid: ask the program, then move the queue pair to RTS. */
static int to_rts(struct handshake_talk *t)
{
	int rc;

	if (t->options.request && !t->h.is_client)
		t->refused = ask_program(t);
	if (t->refused) {
		t->action = vbm_handshake_step(&t->h, HANDSHAKE_REFUSE, HANDSHAKE_BY_PROGRAM);
		return 0;
	}
	rc = vbm_handshake_to_rts(&t->h, t->qp, &t->qp->error);
	if (rc == 0)
		t->action = vbm_handshake_step(&t->h, HANDSHAKE_IN_RTS, 0);
	return rc;
}

/* *@is_ready: the socket took or gave something. */
static int carry(struct handshake_talk *t, bool *is_ready)
{
	int rc = vbm_handshake_carry(&t->h, t->socket, &t->action);

	*is_ready = rc != EAGAIN;
	if (!*is_ready || rc == 0)
		return 0;
	return -vbm_fail(&t->qp->error, rc, "the handshake's socket fails: %s", strerror(rc));
}

static void end_talk(struct handshake_talk *t, bool has_failed)
{
	if (has_failed)
		vbm_handshake_give_up(t->qp);
	set_connecting(t, 0);
	vbm_auth_end(t->auth);
	t->auth = NULL;
	t->is_over = true;
}

static int finish_talk(struct handshake_talk *t, int rc)
{
	if (rc == 0 && t->action == HANDSHAKE_STOP)
		rc = vbm_handshake_explain(&t->h, t->qp, &t->qp->error);
	end_talk(t, rc != 0);
	t->result = t->refused ? t->refused : rc;
	return t->result;
}

/* Who is the peer? *@is_ready as for carry(). */
static int authenticate(struct handshake_talk *t, bool *is_ready)
{
	int rc = vbm_auth_go(t->auth);

	*is_ready = rc != EAGAIN;
	t->events = (short)t->auth->pub.events;
	if (!*is_ready)
		return 0;
	if (rc)
		return -vbm_fail(&t->qp->error, rc, "the program refused the peer of queue pair %u: %s",
				 t->qp->local.qp_num, strerror(rc));
	vbm_auth_end(t->auth);
	t->auth = NULL;
	t->action = vbm_handshake_step(&t->h, HANDSHAKE_BEGIN, 0);
	return 0;
}

int vbm_talk_go(struct handshake_talk *t)
{
	bool is_ready = true;
	int rc = 0;

	if (t->is_over)
		return t->result;
	if (t->auth)
		rc = authenticate(t, &is_ready);
	if (!is_ready)
		return 0;
	while (rc == 0 && is_ready && t->action != HANDSHAKE_DONE && t->action != HANDSHAKE_STOP)
		rc = t->action == HANDSHAKE_GO_TO_RTS ? to_rts(t) : carry(t, &is_ready);
	if (is_ready)
		return finish_talk(t, rc);
	t->events = t->action == HANDSHAKE_SEND ? POLLOUT : POLLIN;
	return 0;
}

int vbm_talk_begin(struct handshake_talk *t, bool is_client, struct vbm_qp *qp, int socket,
		   const struct vbm_handshake_options *options)
{
	int rc;

	memset(t, 0, sizeof(*t));
	t->qp = qp;
	t->socket = socket;
	t->options = *options;
	rc = vbm_handshake_prepare(&t->h, is_client, qp, socket, NULL, &t->options, &qp->error);
	t->is_over = rc != 0;
	t->result = rc;
	if (rc)
		return rc;
	set_connecting(t, 1);
	if (!t->options.authenticate) {
		t->action = vbm_handshake_step(&t->h, HANDSHAKE_BEGIN, 0);
		return vbm_talk_go(t);
	}
	t->auth = vbm_auth_begin(t->options.authenticate, t->options.context, socket, is_client);
	return t->auth ? vbm_talk_go(t) : finish_talk(t, -vbm_fail(&qp->error, ENOMEM, "out of memory"));
}

int vbm_talk_time_is_up(struct handshake_talk *t)
{
	t->action = vbm_handshake_step(&t->h, HANDSHAKE_TIMEOUT, 0);
	return finish_talk(t, 0);
}

void vbm_talk_drop(struct handshake_talk *t)
{
	end_talk(t, true);
}

/* Wait until @end for the socket, and go on. */
static int go_on(struct handshake_talk *t, int64_t end)
{
	int left = vbm_loop_ms_left(end), interrupt = t->options.interrupt;
	struct pollfd p[2] = {
		{.fd = t->socket, .events = t->events}, {.fd = interrupt ? interrupt : -1, .events = POLLIN},
	};
	int n = left > 0 ? poll(p, 2, left) : 0;

	if (n > 0 && p[1].revents) {
		vbm_fail(&t->qp->error, ECANCELED, "the program has interrupted the handshake");
		vbm_talk_drop(t);
		return ECANCELED;
	}
	if (n == 0)
		return vbm_talk_time_is_up(t);
	if (n > 0 || errno == EINTR)
		return vbm_talk_go(t);
	vbm_fail(&t->qp->error, errno, "the handshake's socket fails: %s", strerror(errno));
	vbm_talk_drop(t);
	return t->qp->error.code;
}

/* Each state has the time of one step. */
static int run(struct handshake_talk *t, bool is_client, struct vbm_qp *qp, int socket,
	       const struct vbm_handshake_options *options)
{
	int ms = options->timeout_ms > 0 ? options->timeout_ms : HANDSHAKE_STEP_MS;
	int64_t end = vbm_loop_end_after(ms);
	int rc = vbm_talk_begin(t, is_client, qp, socket, options);
	uint8_t state = t->h.state;

	while (!t->is_over) {
		if (t->h.state != state)
			end = vbm_loop_end_after(ms);
		state = t->h.state;
		rc = go_on(t, end);
	}
	return rc;
}

static int handshake(struct vbm_qp *qp, int socket, const struct vbm_handshake_options *options,
		     struct vbm_handshake_peer *peer, bool is_client)
{
	struct vbm_handshake_options own;
	struct handshake_talk t;
	int rc;

	if (peer)
		memset(peer, 0, sizeof(*peer));
	if (!qp)
		return EINVAL;
	if (!qp->qp || qp->qp->state != IBV_QPS_INIT)
		return -vbm_fail(&qp->error, EINVAL, "the queue pair is not in INIT");
	if (socket < 0)
		return -vbm_fail(&qp->error, EBADF, "%d is not a socket", socket);
	vbm_handshake_options_init(&own);
	rc = options ? vbm_handshake_take_options(&own, options, &qp->error) : 0;
	if (rc)
		return rc;
	vbm_handshake_mind_peer(socket, own.keepalive_ms ? own.keepalive_ms : -1, qp->options.traffic_class);
	rc = run(&t, is_client, qp, socket, &own);
	if (peer && (rc == 0 || t.h.flag == HANDSHAKE_REFUSAL))
		vbm_handshake_tell(&t.h, peer);
	return rc;
}

int vbm_handshake_client(struct vbm_qp *qp, int socket, const struct vbm_handshake_options *options,
			 struct vbm_handshake_peer *peer)
{
	return handshake(qp, socket, options, peer, true);
}

int vbm_handshake_server(struct vbm_qp *qp, int socket, const struct vbm_handshake_options *options,
			 struct vbm_handshake_peer *peer)
{
	return handshake(qp, socket, options, peer, false);
}
