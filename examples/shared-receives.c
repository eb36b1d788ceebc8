/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A shared receive queue: a few receives for the messages of all clients, whoever sends
 * next. The server prints each line with the number of its client, and ends when COUNT
 * clients have said goodbye, by an empty message.
 *
 *	shared-receives rdma_cm|handshake PORT serve COUNT
 *	shared-receives rdma_cm|handshake PORT HOST LINE...
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <verbatim/domain.h>
#include <verbatim/endpoint.h>
#include <verbatim/memory.h>
#include <verbatim/transfer.h>

#define CLIENTS 64
#define DEPTH 8			/* receives of the server */
#define PATIENCE_MS 60000	/* an emulated machine is slow */

static char line[DEPTH][64];
static struct vbm_endpoint_options options;
static struct vbm_memory memory;

static void receive(uint64_t i)
{
	struct vbm_recv recv = {.wr_id = i, .addr = line[i], .length = sizeof(*line), .lkey = memory.lkey};

	if (vbm_post_srq_recvs(options.qp.srq, &recv, 1, NULL))
		errx(1, "cannot receive");
}

static struct ibv_wc next_completion(struct vbm_qp *qp)
{
	struct ibv_wc wc;
	int n, rc = vbm_wait_completions(qp, &wc, 1, PATIENCE_MS, &n);

	if (rc || wc.status)
		errx(1, "%s", rc ? strerror(rc) : ibv_wc_status_str(wc.status));
	return wc;
}

/* The completion queue is that of all clients, so any of them can wait for it. */
static void print_lines(struct vbm_endpoint **client, int left)
{
	struct vbm_endpoint *ep;
	struct ibv_wc wc;

	while (left > 0) {
		wc = next_completion(client[0]->qp);
		ep = vbm_find_qp(options.qp.completions, wc.qp_num)->user;
		if (wc.byte_len)
			printf("client %d: %.64s\n", *(int *)ep->context, line[wc.wr_id]);
		else
			left--;
		receive(wc.wr_id);
	}
}

/*
 * vbm_accept() waits, so a client that falls silent delays the others for the time limit.
 * echo-server.c has a loop that waits for nobody.
 */
static void serve(struct vbm_endpoint *listener, const char *port, int count)
{
	struct vbm_endpoint *client[CLIENTS];
	int number[CLIENTS], i = 0;

	for (uint64_t r = 0; r < DEPTH; r++)
		receive(r);
	if (vbm_listen(listener, NULL, port))
		errx(1, "%s", listener->error.msg);
	while (i < count) {
		if (vbm_get_request(listener, &client[i], -1))
			errx(1, "%s", listener->error.msg);
		number[i] = i + 1;
		client[i]->context = &number[i];
		if (vbm_accept(client[i], NULL, 0) == 0)
			i++;
		else
			vbm_destroy_endpoint(client[i]);
	}
	print_lines(client, count);
	while (i-- > 0) {
		vbm_wait_disconnect(client[i], PATIENCE_MS);
		vbm_destroy_endpoint(client[i]);
	}
}

static void tell(struct vbm_endpoint *ep, const char *port, const char *host, char **words)
{
	struct vbm_send send = {
		.opcode = IBV_WR_SEND, .flags = IBV_SEND_SIGNALED, .addr = line[0], .lkey = memory.lkey,
	};

	if (vbm_connect(ep, host, port))
		errx(1, "%s", ep->error.msg);
	do {
		send.length = *words ? (uint32_t)snprintf(line[0], sizeof(*line), "%.63s", *words) + 1 : 0;
		if (vbm_post_sends(ep->qp, &send, 1, NULL))
			errx(1, "cannot send");
		next_completion(ep->qp);
	} while (*words++);
	vbm_disconnect(ep);
}

int main(int argc, char **argv)
{
	struct vbm_domain_options for_both_ways = {.size = sizeof(for_both_ways), .for_rdma_cm = 1};
	struct ibv_srq_init_attr attr = {.attr = {.max_wr = DEPTH, .max_sge = 1}};
	struct vbm_domain *domain;
	struct vbm_endpoint *ep;
	struct vbm_error error;

	if (argc < 5)
		errx(2, "usage: shared-receives rdma_cm|handshake PORT serve COUNT | HOST LINE...");
	vbm_endpoint_options_init(&options);
	options.way = strcmp(argv[1], "rdma_cm") == 0 ? VBM_WAY_RDMA_CM : VBM_WAY_HANDSHAKE;
	options.timeout_ms = PATIENCE_MS;
	options.retry_ms = 50;		/* the server may start later than its clients */
	options.qp.rnr_retry = 7;	/* a message that finds no receive tries again, for ever */
	if (vbm_create_domain(&domain, NULL, &for_both_ways, &error) ||
	    vbm_create_completions(&options.qp.completions, domain, 1024, &error) ||
	    vbm_register_memory(&memory, domain->pd, line, sizeof(line), IBV_ACCESS_LOCAL_WRITE, &error))
		errx(1, "%s", error.msg);
	options.qp.domain = domain;
	options.qp.srq = ibv_create_srq(domain->pd, &attr);
	if (!options.qp.srq)
		err(1, "ibv_create_srq");
	if (vbm_create_endpoint(&ep, &options, &error))
		errx(1, "%s", error.msg);
	if (strcmp(argv[3], "serve") == 0)
		serve(ep, argv[2], (int)strtol(argv[4], NULL, 10));
	else
		tell(ep, argv[2], argv[3], argv + 4);
	vbm_destroy_endpoint(ep);
	vbm_destroy_completions(options.qp.completions);
	ibv_destroy_srq(options.qp.srq);
	vbm_deregister_memory(&memory);
	return vbm_destroy_domain(domain);
}
