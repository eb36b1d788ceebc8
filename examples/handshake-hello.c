/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A connection without rdma_cm: the handshake of docs/handshake.md over a TCP
 * socket, then one message from the client, which the server prints.
 *
 *	handshake-hello PORT		the server
 *	handshake-hello PORT HOST	the client
 *
 * The queue pair uses the device that has the address of the socket's own end.
 */
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <verbatim/handshake.h>
#include <verbatim/transfer.h>

#define PATIENCE_MS 60000	/* an emulated machine is slow */

static char message[64];

static int complain(const char *what)
{
	perror(what);
	return -1;
}

/* A connected socket: to @host or, without a host, from the next client. */
static int meet(const char *host, const char *port)
{
	const struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM,
		.ai_family = host ? AF_UNSPEC : AF_INET6,
		.ai_flags = host ? 0 : AI_PASSIVE,
	};
	struct addrinfo *ai;
	int s, peer = -1, ret = getaddrinfo(host, port, &hints, &ai);

	if (ret) {
		fprintf(stderr, "%s: %s\n", host ? host : port, gai_strerror(ret));
		return -1;
	}
	s = socket(ai->ai_family, SOCK_STREAM, 0);
	if (s < 0)
		complain("socket");
	else if (host)
		peer = connect(s, ai->ai_addr, ai->ai_addrlen) ? complain("connect") : s;
	else if (bind(s, ai->ai_addr, ai->ai_addrlen) || listen(s, 1))
		complain("listen");
	else
		peer = accept(s, NULL, NULL);
	if (s >= 0 && s != peer)
		close(s);
	freeaddrinfo(ai);
	return peer;
}

/* The device and the GID are those of the address that the peer sees. */
static struct vbm_qp *make_qp(int s)
{
	struct sockaddr_storage own;
	socklen_t len = sizeof(own);
	struct vbm_error error;
	struct vbm_qp *qp;

	if (getsockname(s, (struct sockaddr *)&own, &len)) {
		complain("getsockname");
		return NULL;
	}
	if (vbm_create_qp(&qp, (struct sockaddr *)&own, NULL, &error)) {
		fprintf(stderr, "%s\n", error.msg);
		return NULL;
	}
	if (vbm_qp_to_init(qp)) {
		fprintf(stderr, "%s\n", qp->error.msg);
		vbm_destroy_qp(qp);
		return NULL;
	}
	return qp;
}

static int completed(struct vbm_qp *qp)
{
	struct ibv_wc wc;
	int n, rc = vbm_wait_completions(qp, &wc, 1, PATIENCE_MS, &n);

	if (rc || wc.status != IBV_WC_SUCCESS) {
		fprintf(stderr, "%s\n", rc ? strerror(rc) : ibv_wc_status_str(wc.status));
		return -1;
	}
	return 0;
}

static int talk(struct vbm_qp *qp, struct ibv_mr *mr, int s, int is_client)
{
	struct vbm_recv recv = {.addr = message, .length = sizeof(message), .lkey = mr->lkey};
	struct vbm_send send = {
		.opcode = IBV_WR_SEND, .flags = IBV_SEND_SIGNALED,
		.addr = message, .length = sizeof(message), .lkey = mr->lkey,
	};
	struct vbm_handshake_options options = {.size = sizeof(options), .timeout_ms = PATIENCE_MS};
	int rc;

	/* The client may send as soon as it has the server's answer. */
	rc = is_client ? 0 : vbm_post_recvs(qp, &recv, 1, NULL);
	if (rc == 0)
		rc = is_client ? vbm_handshake_client(qp, s, &options, NULL) :
				 vbm_handshake_server(qp, s, &options, NULL);
	if (rc) {
		fprintf(stderr, "%s\n", qp->error.msg);
		return -1;
	}
	if (is_client) {
		snprintf(message, sizeof(message), "Hello from queue pair %u", qp->local.qp_num);
		rc = vbm_post_sends(qp, &send, 1, NULL);
		return rc ? -1 : completed(qp);
	}
	if (completed(qp))
		return -1;
	printf("%s\n", message);
	return 0;
}

int main(int argc, char **argv)
{
	int s, ret = 1, is_client = argc == 3;
	struct ibv_mr *mr = NULL;
	struct vbm_qp *qp;
	char byte;

	if (argc < 2 || argc > 3) {
		fputs("usage: handshake-hello PORT [HOST]\n", stderr);
		return 2;
	}
	s = meet(is_client ? argv[2] : NULL, argv[1]);
	if (s < 0)
		return 1;
	qp = make_qp(s);
	if (qp)
		mr = ibv_reg_mr(qp->pd, message, sizeof(message), IBV_ACCESS_LOCAL_WRITE);
	if (mr)
		ret = talk(qp, mr, s, is_client) ? 1 : 0;
	/*
	 * The server keeps its queue pair until the client has closed, because the queue
	 * pair sends the acknowledgement.
	 */
	if (!is_client && ret == 0)
		ret = recv(s, &byte, 1, 0) ? 1 : 0;
	if (mr)
		ibv_dereg_mr(mr);
	vbm_destroy_qp(qp);
	close(s);
	return ret;
}
