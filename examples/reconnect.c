/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A client that goes on after its server has died. A completed send says only that the
 * message is in the server's memory, so the server answers each message when it has printed
 * it. The client sends a message without an answer again over the next connection.
 *
 *	reconnect rdma_cm|handshake PORT serve [COUNT]	dies at message COUNT
 *	reconnect rdma_cm|handshake PORT HOST COUNT
 */
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <verbatim/domain.h>
#include <verbatim/endpoint.h>
#include <verbatim/memory.h>
#include <verbatim/transfer.h>

#define PATIENCE_MS 60000	/* an emulated machine is slow */

static char message[64];
static struct vbm_endpoint_options options;
static struct vbm_memory memory;	/* in a domain, so it outlives the connections */

static struct vbm_endpoint *new_endpoint(void)
{
	struct vbm_endpoint *ep;
	struct vbm_error error;

	if (vbm_create_endpoint(&ep, &options, &error))
		errx(1, "%s", error.msg);
	return ep;
}

/* NULL for an answer, which is empty. */
static void receive(struct vbm_endpoint *ep, char *into)
{
	struct vbm_recv recv = {.addr = into, .length = into ? sizeof(message) : 0, .lkey = memory.lkey};

	if (vbm_post_recvs(ep->qp, &recv, 1, NULL))
		errx(1, "cannot receive");
}

/* @imm says how many messages come after this one. */
static int send_it(struct vbm_endpoint *ep, const char *what, uint32_t imm)
{
	struct vbm_send send = {
		.opcode = IBV_WR_SEND_WITH_IMM, .flags = IBV_SEND_SIGNALED, .imm = imm,
		.addr = what, .length = what ? sizeof(message) : 0, .lkey = memory.lkey,
	};

	return vbm_post_sends(ep->qp, &send, 1, NULL);
}

/* The next completion is good. When the peer has died, those of all posted requests are not. */
static int completes(struct vbm_endpoint *ep, struct ibv_wc *wc)
{
	int n, rc;

	while ((rc = vbm_wait_completions(ep->qp, wc, 1, 100, &n)) == ETIMEDOUT)
		vbm_endpoint_event(ep, NULL, NULL);
	return rc == 0 && wc->status == IBV_WC_SUCCESS;
}

static void serve(const char *port, int count)
{
	struct vbm_endpoint *ep, *listener = new_endpoint();
	uint32_t left = 1;
	struct ibv_wc wc;

	if (vbm_listen(listener, NULL, port) || vbm_get_request(listener, &ep, -1))
		errx(1, "%s", listener->error.msg);
	receive(ep, message);
	if (vbm_accept(ep, NULL, 0))
		errx(1, "%s", ep->error.msg);
	while (left) {
		if (!completes(ep, &wc))
			errx(1, "the client has gone");
		if (wc.opcode == IBV_WC_RECV) {
			left = vbm_completion_imm(&wc);
			printf("%s\n", message);
			fflush(stdout);
			if (--count == 0)
				raise(SIGKILL);
			receive(ep, message);
			send_it(ep, NULL, 0);
		}
	}
	/* The client ends the connection when it has the last answer. */
	vbm_wait_disconnect(ep, -1);
	vbm_destroy_endpoint(ep);
	vbm_destroy_endpoint(listener);
}

static struct vbm_endpoint *connected(const char *host, const char *port)
{
	struct vbm_endpoint *ep = new_endpoint();

	if (vbm_connect(ep, host, port))
		errx(1, "%s", ep->error.msg);
	return ep;
}

/* The message has left, and its answer is here. */
static int is_answered(struct vbm_endpoint *ep, uint32_t left)
{
	struct ibv_wc wc;

	receive(ep, NULL);
	return send_it(ep, message, left) == 0 && completes(ep, &wc) && completes(ep, &wc);
}

static void tell(const char *port, const char *host, int count)
{
	struct vbm_endpoint *ep = connected(host, port);
	int i = 1;

	while (i <= count) {
		snprintf(message, sizeof(message), "message %d of %d", i, count);
		if (is_answered(ep, (uint32_t)(count - i))) {
			i++;
			continue;
		}
		printf("no answer to message %d\n", i);
		vbm_destroy_endpoint(ep);
		ep = connected(host, port);
	}
	vbm_disconnect(ep);
	vbm_destroy_endpoint(ep);
}

int main(int argc, char **argv)
{
	struct vbm_domain_options for_both_ways = {.size = sizeof(for_both_ways), .for_rdma_cm = 1};
	struct vbm_error error;
	int serves = argc > 3 && strcmp(argv[3], "serve") == 0;

	if (argc != 5 && !(serves && argc == 4))
		errx(2, "usage: reconnect rdma_cm|handshake PORT serve [COUNT] | HOST COUNT");
	vbm_endpoint_options_init(&options);
	options.way = strcmp(argv[1], "rdma_cm") == 0 ? VBM_WAY_RDMA_CM : VBM_WAY_HANDSHAKE;
	options.timeout_ms = PATIENCE_MS;
	options.retry_ms = 50;		/* until the next server is there */
	if (vbm_create_domain(&options.qp.domain, NULL, &for_both_ways, &error) ||
	    vbm_register_memory(&memory, options.qp.domain->pd, message, sizeof(message), IBV_ACCESS_LOCAL_WRITE, &error))
		errx(1, "%s", error.msg);
	if (serves)
		serve(argv[2], argc == 5 ? (int)strtol(argv[4], NULL, 10) : -1);
	else
		tell(argv[2], argv[3], (int)strtol(argv[4], NULL, 10));
	vbm_deregister_memory(&memory);
	return vbm_destroy_domain(options.qp.domain);
}
