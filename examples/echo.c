/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages both ways, 16 on their way at the same time, and a clean end. The client sends
 * COUNT messages and compares what comes back. The server is for one client;
 * examples/echo-server.c is one for many.
 *
 *	echo rdma_cm|handshake PORT			the server
 *	echo rdma_cm|handshake PORT HOST COUNT		the client
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <verbatim/endpoint.h>
#include <verbatim/memory.h>
#include <verbatim/transfer.h>

#define DEPTH 16
#define TICK_MS 100
#define PATIENCE_MS 60000	/* an emulated machine is slow */

static struct message {
	char text[64];
} messages[2 * DEPTH], *const out = messages, *const in = messages + DEPTH;
static struct vbm_memory memory;

static void receive(struct vbm_endpoint *ep, struct message *into)
{
	struct vbm_recv recv = {
		.wr_id = (uintptr_t)into, .addr = into, .length = sizeof(*into), .lkey = memory.lkey,
	};

	if (vbm_post_recvs(ep->qp, &recv, 1, NULL))
		errx(1, "cannot receive");
}

static void send_it(struct vbm_endpoint *ep, const struct message *what)
{
	struct vbm_send send = {
		.wr_id = (uintptr_t)what, .opcode = IBV_WR_SEND, .flags = IBV_SEND_SIGNALED,
		.addr = what, .length = sizeof(*what), .lkey = memory.lkey,
	};

	if (vbm_post_sends(ep->qp, &send, 1, NULL))
		errx(1, "cannot send");
}

static void register_messages(struct vbm_endpoint *ep)
{
	struct vbm_error error;

	if (vbm_register_memory(&memory, ep->qp->pd, messages, sizeof(messages), IBV_ACCESS_LOCAL_WRITE, &error))
		errx(1, "%s", error.msg);
}

/* The client ends the connection, when it has all echoes. */
static void serve(struct vbm_endpoint *listener, const char *port)
{
	struct vbm_endpoint *ep;
	struct ibv_wc wc;
	int n;

	if (vbm_listen(listener, NULL, port) || vbm_get_request(listener, &ep, -1))
		errx(1, "%s", listener->error.msg);
	register_messages(ep);
	for (int i = 0; i < 2 * DEPTH; i++)
		receive(ep, &messages[i]);
	if (vbm_accept(ep, NULL, 0))
		errx(1, "%s", ep->error.msg);
	while (ep->state == VBM_ENDPOINT_CONNECTED)
		if (vbm_wait_completions(ep->qp, &wc, 1, TICK_MS, &n) || wc.status)
			vbm_endpoint_event(ep, NULL, NULL);
		else if (wc.opcode == IBV_WC_RECV)
			send_it(ep, (struct message *)(uintptr_t)wc.wr_id);
		else
			receive(ep, (struct message *)(uintptr_t)wc.wr_id);
	vbm_deregister_memory(&memory);
	vbm_destroy_endpoint(ep);
}

static void check(int i)
{
	if (memcmp(&in[i % DEPTH], &out[i % DEPTH], sizeof(*in)))
		errx(1, "instead of '%s' there came '%s'", out[i % DEPTH].text, in[i % DEPTH].text);
}

static void exchange(struct vbm_endpoint *ep, int count)
{
	int sent = 0, acknowledged = 0, echoed = 0, n, rc;
	struct ibv_wc wc;

	while (acknowledged < count || echoed < count) {
		/* A message is in its place until it is acknowledged, and its echo has come. */
		while (sent < count && sent < acknowledged + DEPTH && sent < echoed + DEPTH) {
			receive(ep, &in[sent % DEPTH]);
			snprintf(out[sent % DEPTH].text, sizeof(out->text), "message %d of queue pair %u", sent,
				 ep->qp->local.qp_num);
			send_it(ep, &out[sent++ % DEPTH]);
		}
		rc = vbm_wait_completions(ep->qp, &wc, 1, PATIENCE_MS, &n);
		if (rc || wc.status)
			errx(1, "%s", rc ? strerror(rc) : ibv_wc_status_str(wc.status));
		if (wc.opcode == IBV_WC_RECV)
			check(echoed++);
		else
			acknowledged++;
	}
}

static void talk(struct vbm_endpoint *ep, const char *port, const char *host, int count)
{
	if (vbm_connect(ep, host, port))
		errx(1, "%s", ep->error.msg);
	register_messages(ep);
	exchange(ep, count);
	if (vbm_disconnect(ep))
		errx(1, "%s", ep->error.msg);
	printf("%d echoes\n", count);
	vbm_deregister_memory(&memory);
}

int main(int argc, char **argv)
{
	struct vbm_endpoint_options options;
	struct vbm_endpoint *ep;
	struct vbm_error error;

	if (argc != 3 && argc != 5)
		errx(2, "usage: echo rdma_cm|handshake PORT [HOST COUNT]");
	vbm_endpoint_options_init(&options);
	options.way = strcmp(argv[1], "rdma_cm") == 0 ? VBM_WAY_RDMA_CM : VBM_WAY_HANDSHAKE;
	options.timeout_ms = PATIENCE_MS;
	options.retry_ms = 50;		/* the server may start later */
	if (vbm_create_endpoint(&ep, &options, &error))
		errx(1, "%s", error.msg);
	if (argc == 3)
		serve(ep, argv[2]);
	else
		talk(ep, argv[2], argv[3], (int)strtol(argv[4], NULL, 10));
	return vbm_destroy_endpoint(ep);
}
