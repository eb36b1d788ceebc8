/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A client sends one message, and the server prints it. The first argument chooses the
 * way to connect.
 *
 *	endpoint-hello rdma_cm|handshake PORT		the server
 *	endpoint-hello rdma_cm|handshake PORT HOST	the client
 */
#include <stdio.h>
#include <string.h>

#include <verbatim/endpoint.h>
#include <verbatim/transfer.h>

#define PATIENCE_MS 60000	/* an emulated machine is slow */

static char message[64];

static int complain(const struct vbm_endpoint *ep)
{
	fprintf(stderr, "%s\n", ep->error.msg);
	return -1;
}

static int completed(struct vbm_endpoint *ep)
{
	struct ibv_wc wc;
	int n, rc = vbm_wait_completions(ep->qp, &wc, 1, PATIENCE_MS, &n);

	if (rc || wc.status != IBV_WC_SUCCESS) {
		fprintf(stderr, "%s\n", rc ? strerror(rc) : ibv_wc_status_str(wc.status));
		return -1;
	}
	return 0;
}

/* The client's message may arrive before vbm_accept() returns, so post the receive first. */
static int receive(struct vbm_endpoint *ep, struct ibv_mr *mr)
{
	struct vbm_recv recv = {.addr = message, .length = sizeof(message), .lkey = mr->lkey};

	if (vbm_post_recvs(ep->qp, &recv, 1, NULL) || vbm_accept(ep, NULL, 0))
		return complain(ep);
	if (completed(ep))
		return -1;
	printf("%s\n", message);
	/* The client disconnects, because it knows when its message was acknowledged. */
	return vbm_wait_disconnect(ep, PATIENCE_MS) ? complain(ep) : 0;
}

static int greet(struct vbm_endpoint *ep, struct ibv_mr *mr)
{
	struct vbm_send send = {
		.opcode = IBV_WR_SEND, .flags = IBV_SEND_SIGNALED,
		.addr = message, .length = sizeof(message), .lkey = mr->lkey,
	};

	snprintf(message, sizeof(message), "Hello from queue pair %u", ep->qp->local.qp_num);
	if (vbm_post_sends(ep->qp, &send, 1, NULL) || completed(ep))
		return -1;
	return vbm_disconnect(ep) ? complain(ep) : 0;
}

static int with_memory(struct vbm_endpoint *ep, int (*talk)(struct vbm_endpoint *, struct ibv_mr *))
{
	struct ibv_mr *mr = ibv_reg_mr(ep->qp->pd, message, sizeof(message), IBV_ACCESS_LOCAL_WRITE);
	int rc;

	if (!mr) {
		perror("ibv_reg_mr");
		return -1;
	}
	rc = talk(ep, mr);
	ibv_dereg_mr(mr);
	return rc;
}

static int serve(struct vbm_endpoint *listener, const char *port)
{
	struct vbm_endpoint *ep;
	int rc;

	if (vbm_listen(listener, NULL, port) || vbm_get_request(listener, &ep, -1))
		return complain(listener);
	rc = with_memory(ep, receive);
	vbm_destroy_endpoint(ep);
	return rc;
}

int main(int argc, char **argv)
{
	struct vbm_endpoint_options options;
	struct vbm_endpoint *ep;
	struct vbm_error error;
	int rc;

	if (argc < 3 || argc > 4) {
		fputs("usage: endpoint-hello rdma_cm|handshake PORT [HOST]\n", stderr);
		return 2;
	}
	vbm_endpoint_options_init(&options);
	options.timeout_ms = PATIENCE_MS;
	options.way = strcmp(argv[1], "handshake") == 0 ? VBM_WAY_HANDSHAKE : VBM_WAY_RDMA_CM;
	if (vbm_create_endpoint(&ep, &options, &error)) {
		fprintf(stderr, "%s\n", error.msg);
		return 1;
	}
	if (argc == 3)
		rc = serve(ep, argv[2]);
	else
		rc = vbm_connect(ep, argv[3], argv[2]) ? complain(ep) : with_memory(ep, greet);
	vbm_destroy_endpoint(ep);
	return rc ? 1 : 0;
}
