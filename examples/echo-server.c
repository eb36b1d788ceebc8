/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A server of many clients in one thread with one epoll loop. It sends each message back to
 * the client that sent it, and ends when COUNT clients have come and gone.
 *
 *	echo-server rdma_cm|handshake PORT COUNT
 *
 * All clients share a device, one memory region, one completion queue and one shared
 * receive queue. examples/echo-client.c is the client.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include <verbatim/domain.h>
#include <verbatim/endpoint.h>
#include <verbatim/transfer.h>

#define CLIENTS 32
#define DEPTH 32	/* messages of one client that are on their way back */
#define BLOCKS (CLIENTS * DEPTH)

struct client {
	struct vbm_endpoint *ep;	/* NULL: nobody */
	int under_way;			/* echoes without a completion */
};

static char block[BLOCKS][64];
static struct client client[CLIENTS];
static struct vbm_endpoint *listener;
static struct vbm_endpoint_options options;
static struct ibv_mr *mr;
static int epoll, left;

static void watch(int fd, void *what)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = what};

	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		err(1, "epoll_ctl");
}

/* The next message of any client goes to this block. */
static void receive_into(uint64_t b)
{
	struct ibv_sge sge = {.addr = (uintptr_t)block[b], .length = sizeof(block[b]), .lkey = mr->lkey};
	struct ibv_recv_wr *bad, wr = {.wr_id = b, .sg_list = &sge, .num_sge = 1};

	if (ibv_post_srq_recv(options.qp.srq, &wr, &bad))
		errx(1, "the shared receive queue is full");
}

/* A block of a client that has gone, or that sends more than it may, is free again. */
static void send_back(struct client *c, uint64_t b, uint32_t length)
{
	struct vbm_send echo = {
		.wr_id = b + BLOCKS, .opcode = IBV_WR_SEND, .flags = IBV_SEND_SIGNALED,
		.addr = block[b], .length = length, .lkey = mr->lkey,
	};

	if (vbm_post_sends(c->ep->qp, &echo, 1, NULL))
		receive_into(b);
	else
		c->under_way++;
}

static void complete(const struct ibv_wc *wc)
{
	struct client *c = client;

	while (c < client + CLIENTS && !(c->ep && c->ep->qp->local.qp_num == wc->qp_num))
		c++;
	if (wc->wr_id >= BLOCKS)
		c->under_way--;
	if (wc->wr_id >= BLOCKS || wc->status || c == client + CLIENTS)
		receive_into(wc->wr_id % BLOCKS);
	else
		send_back(c, wc->wr_id, wc->byte_len);
}

static void welcome(void)
{
	struct client *c = client;
	struct vbm_endpoint *ep;

	if (vbm_endpoint_event(listener, NULL, &ep) || !ep)
		return;
	while (c < client + CLIENTS && c->ep)
		c++;
	if (c < client + CLIENTS && vbm_accept(ep, NULL, 0) == 0) {
		*c = (struct client){.ep = ep};
		if (ep->state == VBM_ENDPOINT_CONNECTED)
			watch(vbm_endpoint_fd(ep), c);
	} else {
		warnx("no connection: %s", c < client + CLIENTS ? ep->error.msg : "all places are taken");
		vbm_destroy_endpoint(ep);
	}
}

/* Whoever has disconnected goes when the last echo has completed. */
static void let_go(void)
{
	for (struct client *c = client; c < client + CLIENTS; c++) {
		if (!c->ep || c->ep->state == VBM_ENDPOINT_CONNECTED || c->under_way)
			continue;
		vbm_destroy_endpoint(c->ep);
		c->ep = NULL;
		left--;
	}
}

static void serve(struct ibv_cq *cq, struct ibv_comp_channel *channel)
{
	struct epoll_event event;
	struct ibv_wc wc;
	void *context;

	while (left > 0) {
		event.data.ptr = listener;	/* whose time may be up */
		epoll_wait(epoll, &event, 1, vbm_endpoint_timeout(listener));
		if (event.data.ptr == listener)
			welcome();
		else if (event.data.ptr != channel)
			vbm_endpoint_event(((struct client *)event.data.ptr)->ep, NULL, NULL);
		else if (ibv_get_cq_event(channel, &cq, &context) || ibv_req_notify_cq(cq, 0))
			err(1, "completion channel");
		else
			ibv_ack_cq_events(cq, 1);
		while (ibv_poll_cq(cq, 1, &wc) > 0)
			complete(&wc);
		let_go();
	}
}

int main(int argc, char **argv)
{
	struct vbm_domain_options for_both_ways = {.size = sizeof(for_both_ways), .for_rdma_cm = 1};
	struct ibv_srq_init_attr attr = {.attr = {.max_wr = BLOCKS, .max_sge = 1}};
	struct ibv_comp_channel *channel;
	struct vbm_domain *domain;
	struct vbm_error error;

	if (argc != 4)
		errx(2, "usage: echo-server rdma_cm|handshake PORT COUNT");
	left = (int)strtol(argv[3], NULL, 10);
	if (vbm_create_domain(&domain, NULL, &for_both_ways, &error))
		errx(1, "%s", error.msg);
	vbm_endpoint_options_init(&options);
	options.way = strcmp(argv[1], "rdma_cm") == 0 ? VBM_WAY_RDMA_CM : VBM_WAY_HANDSHAKE;
	options.qp.domain = domain;
	options.qp.max_send_wr = DEPTH;
	options.qp.srq = ibv_create_srq(domain->pd, &attr);
	channel = ibv_create_comp_channel(domain->context);
	options.qp.cq = ibv_create_cq(domain->context, BLOCKS, NULL, channel, 0);
	mr = ibv_reg_mr(domain->pd, block, sizeof(block), IBV_ACCESS_LOCAL_WRITE);
	epoll = epoll_create1(EPOLL_CLOEXEC);
	if (!options.qp.srq || !options.qp.cq || !mr || ibv_req_notify_cq(options.qp.cq, 0))
		err(1, "no queues and memory for the clients");
	for (uint64_t b = 0; b < BLOCKS; b++)
		receive_into(b);
	if (vbm_create_endpoint(&listener, &options, &error))
		errx(1, "%s", error.msg);
	if (vbm_listen(listener, NULL, argv[2]))
		errx(1, "%s", listener->error.msg);
	watch(vbm_endpoint_fd(listener), listener);
	watch(channel->fd, channel);
	serve(options.qp.cq, channel);
	vbm_destroy_endpoint(listener);
	ibv_destroy_cq(options.qp.cq);
	ibv_destroy_comp_channel(channel);
	ibv_destroy_srq(options.qp.srq);
	ibv_dereg_mr(mr);
	return vbm_destroy_domain(domain);
}
