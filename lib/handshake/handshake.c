/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/base/fail.h"
#include "lib/base/loop.h"
#include "lib/handshake/talk.h"

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
