/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "lib/base/fail.h"
#include "lib/handshake/drive.h"
#include "lib/base/loop.h"

/* One end, driven by a call that waits. */
struct handshake_call {
	struct vbm_qp *qp;
	int socket;
	struct vbm_handshake_options options;
	struct vbm_handshake_peer peer;
	struct handshake h;
	int64_t end;		/* of the step under way; see vbm_loop_end_after() */
	int refused;		/* the return value of the program's callback */
};

/* 0, or the errno of poll(2). When the time is up, the handshake gets an event. */
static int wait_for_socket(struct handshake_call *c, enum handshake_action *action)
{
	struct pollfd p = {.fd = c->socket, .events = *action == HANDSHAKE_SEND ? POLLOUT : POLLIN};
	int left = vbm_loop_ms_left(c->end), n = left > 0 ? poll(&p, 1, left) : 0;

	if (n < 0 && errno != EINTR)
		return errno;
	if (n == 0)
		*action = vbm_handshake_step(&c->h, HANDSHAKE_TIMEOUT, 0);
	return 0;
}

/* Send or receive until the state machine is in another state. */
static int carry(struct handshake_call *c, enum handshake_action *action)
{
	uint8_t state = c->h.state;
	int rc = 0;

	c->end = vbm_loop_end_after(c->options.timeout_ms > 0 ? c->options.timeout_ms :
							       HANDSHAKE_STEP_MS);
	while (rc == 0 && c->h.state == state) {
		rc = wait_for_socket(c, action);
		if (rc == 0 && c->h.state == state)
			rc = vbm_handshake_carry(&c->h, c->socket, action);
		rc = rc == EAGAIN ? 0 : rc;
	}
	if (rc)
		vbm_fail(&c->qp->error, rc, "the handshake's socket fails: %s", strerror(rc));
	return rc;
}

/* The peer's values are known and valid: ask the program, then move the queue pair to RTS. */
static int to_rts(struct handshake_call *c, enum handshake_action *action)
{
	int rc;

	if (c->options.request && !c->h.is_client) {
		vbm_handshake_tell(&c->h, &c->peer);
		c->refused = c->options.request(c->options.context, &c->peer, &c->options);
		if (c->refused == 0)
			c->refused = vbm_handshake_check(&c->options, &c->qp->error);
		if (c->options.private_length <= VBM_HANDSHAKE_PRIVATE_MAX) {
			c->h.private_data = c->options.private_data;
			c->h.private_length = (uint8_t)c->options.private_length;
		}
		if (c->refused) {
			*action = vbm_handshake_step(&c->h, HANDSHAKE_REFUSE, HANDSHAKE_BY_PROGRAM);
			return 0;
		}
	}
	rc = vbm_handshake_to_rts(&c->h, c->qp, &c->qp->error);
	if (rc == 0)
		*action = vbm_handshake_step(&c->h, HANDSHAKE_IN_RTS, 0);
	return rc;
}

static int run(struct handshake_call *c)
{
	enum handshake_action action = vbm_handshake_step(&c->h, HANDSHAKE_BEGIN, 0);
	int rc = 0;

	while (rc == 0 && action != HANDSHAKE_DONE && action != HANDSHAKE_STOP)
		rc = action == HANDSHAKE_GO_TO_RTS ? to_rts(c, &action) : carry(c, &action);
	if (rc == 0 && action == HANDSHAKE_STOP)
		rc = vbm_handshake_explain(&c->h, c->qp, &c->qp->error);
	if (rc)
		vbm_handshake_give_up(c->qp);
	return c->refused ? c->refused : rc;
}

static int handshake(struct vbm_qp *qp, int socket, const struct vbm_handshake_options *options,
		     struct vbm_handshake_peer *peer, bool is_client)
{
	struct handshake_call c = {.qp = qp, .socket = socket};
	int rc;

	if (peer)
		memset(peer, 0, sizeof(*peer));
	if (!qp)
		return EINVAL;
	if (!qp->qp || qp->qp->state != IBV_QPS_INIT)
		return -vbm_fail(&qp->error, EINVAL, "the queue pair is not in INIT");
	if (socket < 0)
		return -vbm_fail(&qp->error, EBADF, "%d is not a socket", socket);
	vbm_handshake_options_init(&c.options);
	rc = options ? vbm_handshake_take_options(&c.options, options, &qp->error) : 0;
	if (rc)
		return rc;
	rc = vbm_handshake_prepare(&c.h, is_client, qp, socket, NULL, &c.options, &qp->error);
	if (rc)
		return rc;
	__atomic_store_n(&qp->connecting, 1, __ATOMIC_RELEASE);
	rc = run(&c);
	__atomic_store_n(&qp->connecting, 0, __ATOMIC_RELEASE);
	if (peer && (rc == 0 || c.h.flag == HANDSHAKE_REFUSAL))
		vbm_handshake_tell(&c.h, peer);
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
