/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Datagrams by rdma_cm. The server prints each line of a client and answers it. Nobody
 * repeats a datagram that is lost, so the client sends a line again when there is no answer,
 * and the server knows by its number whether it has the line already. The server ends after
 * the last line.
 *
 *	datagrams PORT			the server
 *	datagrams PORT HOST LINE...	the client
 */
#include <err.h>
#include <stdio.h>
#include <string.h>

#include <verbatim/endpoint.h>
#include <verbatim/memory.h>
#include <verbatim/transfer.h>

#define DEPTH 16
#define TRIES 10
#define ANSWER_MS 1000
#define PATIENCE_MS 60000	/* an emulated machine is slow */
#define LAST 0x80000000		/* added to the number of a line, in the immediate data */

static struct {
	struct {
		struct ibv_grh header;	/* the device writes it, also for IPv4 */
		char text[64];
	} in[DEPTH];
	char out[64];
} memory;

static struct vbm_memory registered;
static struct vbm_send to_peer = {
	.opcode = IBV_WR_SEND_WITH_IMM, .flags = IBV_SEND_SIGNALED,
	.addr = memory.out, .length = sizeof(memory.out), .remote_qkey = RDMA_UDP_QKEY,
};

static void receive(struct vbm_endpoint *ep, uint64_t i)
{
	struct vbm_recv recv = {.wr_id = i, .addr = &memory.in[i], .length = sizeof(*memory.in), .lkey = registered.lkey};

	if (vbm_post_recvs(ep->qp, &recv, 1, NULL))
		errx(1, "cannot receive");
}

static void prepare(struct vbm_endpoint *ep)
{
	struct vbm_error error;

	if (vbm_register_memory(&registered, ep->qp->pd, &memory, sizeof(memory), IBV_ACCESS_LOCAL_WRITE, &error))
		errx(1, "%s", error.msg);
	to_peer.lkey = registered.lkey;
	for (uint64_t i = 0; i < DEPTH; i++)
		receive(ep, i);
}

static void send_out(struct vbm_endpoint *ep, uint32_t number)
{
	to_peer.imm = number;
	if (vbm_post_sends(ep->qp, &to_peer, 1, NULL))
		errx(1, "cannot send");
}

/* The next datagram, which is in place wc->wr_id. 0: none came in time. */
static int arrives(struct vbm_endpoint *ep, struct ibv_wc *wc, int timeout_ms)
{
	int n;

	do {
		if (vbm_wait_completions(ep->qp, wc, 1, timeout_ms, &n))
			return 0;
		if (wc->status)
			errx(1, "%s", ibv_wc_status_str(wc->status));
	} while (wc->opcode != IBV_WC_RECV);
	return 1;
}

static void serve(struct vbm_endpoint *listener, const char *port)
{
	uint32_t number = 0, expected = 0;
	struct vbm_endpoint *ep;
	struct ibv_wc wc;

	if (vbm_listen(listener, NULL, port) || vbm_get_request(listener, &ep, -1))
		errx(1, "%s", listener->error.msg);
	prepare(ep);
	if (vbm_accept(ep, NULL, 0))
		errx(1, "%s", ep->error.msg);
	while (!(number & LAST) && arrives(ep, &wc, -1)) {
		number = vbm_completion_imm(&wc);
		if ((number & ~LAST) == expected) {
			printf("%.64s\n", memory.in[wc.wr_id].text);
			expected++;
		}
		if (!to_peer.ah)
			to_peer.ah = ibv_create_ah_from_wc(ep->qp->pd, &wc, &memory.in[wc.wr_id].header,
							   ep->qp->place.port_num);
		to_peer.remote_qpn = wc.src_qp;
		receive(ep, wc.wr_id);
		send_out(ep, number);
	}
	vbm_wait_completions(ep->qp, &wc, 1, ANSWER_MS, &(int){0});	/* the last answer has left */
	ibv_destroy_ah(to_peer.ah);
	vbm_deregister_memory(&registered);
	vbm_destroy_endpoint(ep);
}

static void tell(struct vbm_endpoint *ep, const char *port, const char *host, char **line)
{
	struct ibv_wc wc;
	int tries;

	if (vbm_connect(ep, host, port))
		errx(1, "%s", ep->error.msg);
	prepare(ep);
	to_peer.ah = ep->ah;
	to_peer.remote_qpn = ep->qp->peer.qp_num;
	to_peer.remote_qkey = ep->remote_qkey;
	for (uint32_t i = 0; line[i]; i++) {
		snprintf(memory.out, sizeof(memory.out), "%s", line[i]);
		tries = TRIES;
		do {
			if (tries-- == 0)
				errx(1, "no answer to line %u", i + 1);
			send_out(ep, i | (line[i + 1] ? 0 : LAST));
		} while (!arrives(ep, &wc, ANSWER_MS));
		printf("line %u is answered\n", (vbm_completion_imm(&wc) & ~LAST) + 1);
		receive(ep, wc.wr_id);
	}
	vbm_deregister_memory(&registered);
}

int main(int argc, char **argv)
{
	struct vbm_endpoint_options options;
	struct vbm_endpoint *ep;
	struct vbm_error error;

	if (argc != 2 && argc < 4)
		errx(2, "usage: datagrams PORT [HOST LINE...]");
	vbm_endpoint_options_init(&options);
	options.qp.qp_type = IBV_QPT_UD;
	options.timeout_ms = PATIENCE_MS;
	options.retry_ms = 50;		/* the server may start later than the client */
	if (vbm_create_endpoint(&ep, &options, &error))
		errx(1, "%s", error.msg);
	if (argc == 2)
		serve(ep, argv[1]);
	else
		tell(ep, argv[1], argv[2], argv + 3);
	return vbm_destroy_endpoint(ep);
}
