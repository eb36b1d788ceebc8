/* SPDX-License-Identifier: BSD-2-Clause */
#include <verbatim/handshake.h>

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "fail.h"
#include "handshake-state.h"
#include "loop.h"

#define STEP_MS 5000

static int64_t now_ms(void)
{
	return vbm_loop_now() / 1000000;
}

/*
 * Write or read the bytes of one message. HANDSHAKE_EVENTS means that a call
 * failed, which errno tells.
 */
static enum handshake_event carry(int socket, uint8_t *bytes, bool write, int timeout_ms)
{
	struct pollfd p = {.fd = socket, .events = write ? POLLOUT : POLLIN};
	int64_t deadline = now_ms() + timeout_ms, left;
	size_t done = 0;
	ssize_t n;

	while (done < HANDSHAKE_BYTES) {
		left = deadline - now_ms();
		n = left > 0 ? poll(&p, 1, (int)left) : 0;
		if (n == 0)
			return HANDSHAKE_TIMEOUT;
		if (n > 0 && write)
			n = send(socket, bytes + done, HANDSHAKE_BYTES - done,
				 MSG_NOSIGNAL | MSG_DONTWAIT);
		else if (n > 0)
			n = recv(socket, bytes + done, HANDSHAKE_BYTES - done, MSG_DONTWAIT);
		if ((n == 0 && !write) || (n < 0 && (errno == ECONNRESET || errno == EPIPE)))
			return HANDSHAKE_CLOSED;
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return HANDSHAKE_EVENTS;
		done += n > 0 ? (size_t)n : 0;
	}
	return write ? HANDSHAKE_SENT : HANDSHAKE_RECEIVED;
}

/* What was begun with the peer's values is not left half-way. */
static int give_up(struct vbm_qp *qp, int code)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};

	if (qp->qp->state != IBV_QPS_INIT)
		ibv_modify_qp(qp->qp, &attr, IBV_QP_STATE);
	return code;
}

static int run(struct vbm_qp *qp, int socket, int timeout_ms, struct handshake *h)
{
	enum handshake_action action = vbm_handshake_step(h, HANDSHAKE_BEGIN, NULL);
	enum handshake_event event;
	uint8_t in[HANDSHAKE_BYTES];
	int rc;

	while (action != HANDSHAKE_DONE && action != HANDSHAKE_STOP) {
		if (action == HANDSHAKE_GO_TO_RTS) {
			qp->peer = h->peer;
			rc = vbm_modify_qp_to_rts(qp);
			if (rc)
				return give_up(qp, rc);
			event = HANDSHAKE_IN_RTS;
		} else {
			event = carry(socket, action == HANDSHAKE_SEND ? h->out : in,
				      action == HANDSHAKE_SEND, timeout_ms);
			if (event == HANDSHAKE_EVENTS)
				return give_up(qp, -vbm_fail(&qp->error, errno, "the handshake's "
							     "socket fails: %s", strerror(errno)));
		}
		action = vbm_handshake_step(h, event, in);
	}
	if (action == HANDSHAKE_DONE)
		return 0;
	return give_up(qp, -vbm_fail(&qp->error, h->error, "the handshake of queue pair %u fails: "
				     "%s%s", qp->local.qp_num,
				     h->error == EPROTO ? "the peer sent " : "", h->why));
}

static int handshake(struct vbm_qp *qp, int socket, int timeout_ms, bool is_client)
{
	struct handshake h;

	if (!qp)
		return EINVAL;
	if (!qp->qp || qp->qp->state != IBV_QPS_INIT)
		return -vbm_fail(&qp->error, EINVAL, "the queue pair is not in INIT");
	vbm_handshake_init(&h, is_client, &qp->local);
	return run(qp, socket, timeout_ms > 0 ? timeout_ms : STEP_MS, &h);
}

int vbm_handshake_client(struct vbm_qp *qp, int socket, int timeout_ms)
{
	return handshake(qp, socket, timeout_ms, true);
}

int vbm_handshake_server(struct vbm_qp *qp, int socket, int timeout_ms)
{
	return handshake(qp, socket, timeout_ms, false);
}
