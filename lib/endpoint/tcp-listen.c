/* SPDX-License-Identifier: BSD-2-Clause */
/* Listeners by the handshake, and their requests. */
#include "lib/endpoint/tcp.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/base/fail.h"
#include "lib/handshake/drive.h"
#include "lib/handshake/message.h"

int vbm_tcp_listen(struct endpoint *e, const struct rdma_addrinfo *at)
{
	const char *call;
	int rc = vbm_handshake_listener(&e->pub.socket, at->ai_src_addr, at->ai_src_len,
					e->options.backlog, &call);

	if (rc)
		return vbm_tcp_failed(e, call, rc);
	rc = vbm_callers_init(&e->callers, e->pub.socket, e->options.backlog);
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

int vbm_tcp_get_request(struct endpoint *e, int timeout_ms)
{
	struct endpoint *n;
	int s, rc;

	rc = vbm_callers_next(&e->callers, vbm_loop_end_after(timeout_ms),
			      e->options.timeout_ms, &s);
	if (rc)
		return vbm_tcp_failed(e, "vbm_get_request", rc);
	n = vbm_endpoint_for_request(e);
	if (!n) {
		close(s);
		return -vbm_fail(&e->pub.error, ENOMEM, "out of memory");
	}
	n->pub.socket = s;
	n->pub.state = VBM_ENDPOINT_REQUESTED;
	read_ahead(n);
	rc = vbm_tcp_make_qp(n);
	if (rc) {
		e->pub.error = n->pub.error;
		vbm_destroy_endpoint(&n->pub);
		return rc;
	}
	e->arrived = &n->pub;
	return 0;
}
