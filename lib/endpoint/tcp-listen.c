/* SPDX-License-Identifier: BSD-2-Clause */
/* Listeners by the handshake, and their requests. */
#include "lib/endpoint/tcp.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/base/fail.h"
#include "lib/handshake/drive.h"
#include "lib/handshake/message.h"

int vbm_tcp_listen(struct endpoint *e, const struct rdma_addrinfo *at)
{
	const char *call;
	int rc = vbm_handshake_listener_like(&e->pub.socket, at->ai_src_addr, at->ai_src_len, e->options.backlog,
					     e->options.keepalive_ms, e->options.qp.traffic_class, &call);

	if (rc)
		return vbm_tcp_failed(e, call, rc);
	rc = vbm_callers_init(&e->callers, e->pub.socket, e->options.backlog);
	e->callers.door.authenticate = e->options.authenticate;
	e->callers.door.context = e->pub.context;
	if (rc == 0)
		return 0;
	vbm_callers_clear(&e->callers);
	vbm_tcp_drop_socket(e);
	return vbm_tcp_failed(e, "vbm_listen", rc);
}

/*
 * Keep the private data of the first message, which is whole. It stays in the socket, and
 * the handshake reads it again.
 */
static void read_ahead(struct endpoint *e)
{
	uint8_t bytes[HANDSHAKE_BYTES_MAX];
	struct handshake_message m;
	size_t length = 0;
	ssize_t n = recv(e->pub.socket, bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT);

	if (n >= HANDSHAKE_HEAD && !vbm_handshake_head(bytes, &length) && length > HANDSHAKE_HEAD &&
	    (size_t)n >= length && !vbm_handshake_decode(&m, bytes))
		vbm_endpoint_keep_data(e, m.private_data, m.private_length);
}

/* The socket of the next caller with a request. */
static int next_caller(struct endpoint *e, int64_t end, int *s)
{
	struct pollfd p[2];
	int rc;

	for (;;) {
		rc = vbm_callers_next(&e->callers, vbm_loop_end_after(0), e->options.timeout_ms, s);
		if (rc == ETIMEDOUT && vbm_loop_ms_left(end) == 0)
			return vbm_tcp_none_in_time(e, "vbm_get_request");
		if (rc != ETIMEDOUT)
			return rc ? vbm_tcp_failed(e, "vbm_get_request", rc) : 0;
		p[0] = (struct pollfd){.fd = loop_fd(&e->callers.loop), .events = POLLIN};
		rc = vbm_endpoint_poll(e, p, 1, end);
		if (rc && rc != ETIMEDOUT)
			return rc;
	}
}

/* The request is rejected, as its peer learns by the end of the socket. */
static int drop_request(struct endpoint *e, struct endpoint *n, int code)
{
	e->pub.error = n->pub.error;
	vbm_destroy_endpoint(&n->pub);
	return code;
}

int vbm_tcp_get_request(struct endpoint *e, int timeout_ms)
{
	struct endpoint *n;
	int s, rc;

	rc = next_caller(e, vbm_loop_end_after(timeout_ms), &s);
	if (rc)
		return rc;
	n = vbm_endpoint_for_request(e);
	if (!n) {
		close(s);
		return -vbm_fail(&e->pub.error, ENOMEM, "out of memory");
	}
	n->pub.socket = s;
	n->pub.state = VBM_ENDPOINT_REQUESTED;
	read_ahead(n);
	rc = vbm_tcp_make_qp(n);
	if (rc)
		return drop_request(e, n, rc);
	rc = vbm_endpoint_take_qp(n);
	if (rc) {
		vbm_endpoint_undo_qp(n);
		return drop_request(e, n, rc);
	}
	e->arrived = &n->pub;
	return 0;
}
