/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends COUNT messages to examples/echo-server.c, 16 at a time, and compares what comes
 * back.
 *
 *	echo-client rdma_cm|handshake PORT HOST COUNT
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <verbatim/endpoint.h>
#include <verbatim/memory.h>
#include <verbatim/transfer.h>

#define DEPTH 16
#define ECHO 1		/* wr_id of a receive */
#define PATIENCE_MS 60000	/* an emulated machine is slow */

static struct message {
	char text[64];
} messages[2 * DEPTH], *const out = messages, *const in = messages + DEPTH;
static struct vbm_memory memory;

static void receive(struct vbm_endpoint *ep, int i)
{
	struct vbm_recv recv = {.wr_id = ECHO, .addr = &in[i % DEPTH], .length = sizeof(*in), .lkey = memory.lkey};

	if (vbm_post_recvs(ep->qp, &recv, 1, NULL))
		errx(1, "cannot receive");
}

static void send_next(struct vbm_endpoint *ep, int i)
{
	struct vbm_send send = {
		.opcode = IBV_WR_SEND, .flags = IBV_SEND_SIGNALED,
		.addr = &out[i % DEPTH], .length = sizeof(*out), .lkey = memory.lkey,
	};

	snprintf(out[i % DEPTH].text, sizeof(out->text), "message %d of queue pair %u", i, ep->qp->local.qp_num);
	if (vbm_post_sends(ep->qp, &send, 1, NULL))
		errx(1, "cannot send");
}

static void check(int i)
{
	if (memcmp(&in[i % DEPTH], &out[i % DEPTH], sizeof(*in)))
		errx(1, "instead of '%s' there came '%s'", out[i % DEPTH].text, in[i % DEPTH].text);
}

static void talk(struct vbm_endpoint *ep, int count)
{
	int sent = 0, acknowledged = 0, echoed = 0, n, rc;
	struct ibv_wc wc;

	while (acknowledged < count || echoed < count) {
		/* A message is in its place until it is acknowledged, and its echo has come. */
		while (sent < count && sent < acknowledged + DEPTH && sent < echoed + DEPTH) {
			receive(ep, sent);
			send_next(ep, sent++);
		}
		rc = vbm_wait_completions(ep->qp, &wc, 1, PATIENCE_MS, &n);
		if (rc || wc.status)
			errx(1, "%s", rc ? strerror(rc) : ibv_wc_status_str(wc.status));
		if (wc.wr_id == ECHO)
			check(echoed++);
		else
			acknowledged++;
	}
}

int main(int argc, char **argv)
{
	struct vbm_endpoint_options options;
	struct vbm_endpoint *ep;
	struct vbm_error error;

	if (argc != 5)
		errx(2, "usage: echo-client rdma_cm|handshake PORT HOST COUNT");
	vbm_endpoint_options_init(&options);
	options.way = strcmp(argv[1], "rdma_cm") == 0 ? VBM_WAY_RDMA_CM : VBM_WAY_HANDSHAKE;
	options.timeout_ms = PATIENCE_MS;
	options.retry_ms = 50;		/* the server may start later */
	if (vbm_create_endpoint(&ep, &options, &error))
		errx(1, "%s", error.msg);
	if (vbm_connect(ep, argv[3], argv[2]))
		errx(1, "%s", ep->error.msg);
	if (vbm_register_memory(&memory, ep->qp->pd, messages, sizeof(messages), IBV_ACCESS_LOCAL_WRITE, &error))
		errx(1, "%s", error.msg);
	talk(ep, (int)strtol(argv[4], NULL, 10));
	if (vbm_disconnect(ep))
		errx(1, "%s", ep->error.msg);
	printf("%s echoes\n", argv[4]);
	vbm_deregister_memory(&memory);
	return vbm_destroy_endpoint(ep);
}
