/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A server of many clients in one thread, with one epoll loop that never waits for one of
 * them. It sends each message back to the client that sent it, and ends when COUNT clients
 * have come and gone.
 *
 *	echo-server rdma_cm|handshake PORT COUNT
 *
 * All clients share a device, one memory region and one completion queue.
 * examples/echo.c is the client.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include <verbatim/domain.h>
#include <verbatim/endpoint.h>
#include <verbatim/memory.h>
#include <verbatim/transfer.h>

#define CLIENTS 64
#define DEPTH 32		/* messages of a client; it has 16 on their way */
#define TICK_MS 500		/* how often to look for time limits that are up */

/* A place for a client. Its endpoint has this as its context. */
struct client {
	struct vbm_endpoint *ep;	/* NULL: the place is free */
	uint64_t early;			/* messages that came before the end of vbm_accept() */
	uint32_t length[DEPTH];
	char message[DEPTH][64];
};

static struct client client[CLIENTS];
static struct vbm_endpoint *listener;
static struct vbm_completions *completions;
static struct vbm_memory memory;	/* all places */
static int epoll, left;

static void watch(int fd, void *what)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = what};

	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		err(1, "epoll_ctl");
}

/* These two fail only when the connection has ended, which its endpoint will tell. */
static void receive(struct client *c, uint64_t i)
{
	struct vbm_recv recv = {.wr_id = i, .addr = c->message[i], .length = sizeof(*c->message), .lkey = memory.lkey};

	vbm_post_recvs(c->ep->qp, &recv, 1, NULL);
}

static void send_back(struct client *c, uint64_t i)
{
	struct vbm_send send = {
		.wr_id = i, .opcode = IBV_WR_SEND, .flags = IBV_SEND_SIGNALED,
		.addr = c->message[i], .length = c->length[i], .lkey = memory.lkey,
	};

	vbm_post_sends(c->ep->qp, &send, 1, NULL);
}

/* A message goes back and, when it has gone, the next one may come to its place. */
static void complete(const struct ibv_wc *wc)
{
	struct vbm_qp *qp = vbm_find_qp(completions, wc->qp_num);
	struct client *c = qp ? ((struct vbm_endpoint *)qp->user)->context : NULL;

	if (!c || wc->status)
		return;		/* the client has gone */
	if (wc->opcode == IBV_WC_SEND) {
		receive(c, wc->wr_id);
		return;
	}
	c->length[wc->wr_id] = wc->byte_len;
	if (c->ep->state == VBM_ENDPOINT_CONNECTED)
		send_back(c, wc->wr_id);
	else
		c->early++;
}

/* Its descriptor is readable, or its time is up. */
static void look_after(struct client *c)
{
	vbm_endpoint_event(c->ep, NULL, NULL);
	if (c->ep->state == VBM_ENDPOINT_CONNECTED) {
		for (uint64_t i = 0; i < c->early; i++)
			send_back(c, i);
		c->early = 0;
	} else if (c->ep->state != VBM_ENDPOINT_ACCEPTING) {
		left -= c->ep->state == VBM_ENDPOINT_DISCONNECTED;
		vbm_destroy_endpoint(c->ep);
		c->ep = NULL;
	}
}

static void welcome(void)
{
	struct client *c = client;
	struct vbm_endpoint *ep;

	if (vbm_endpoint_event(listener, NULL, &ep) || !ep)
		return;
	while (c < client + CLIENTS && c->ep)
		c++;
	if (c == client + CLIENTS) {
		vbm_reject(ep, "full", 4);
		vbm_destroy_endpoint(ep);
		return;
	}
	*c = (struct client){.ep = ep};
	ep->context = c;
	for (uint64_t i = 0; i < DEPTH; i++)
		receive(c, i);
	if (vbm_accept(ep, NULL, 0) == 0 && vbm_endpoint_fd(ep) >= 0)
		watch(vbm_endpoint_fd(ep), c);
	look_after(c);
}

static void serve(void)
{
	struct epoll_event event;
	struct ibv_wc wc[16];
	int i, n;

	while (left > 0) {
		n = epoll_wait(epoll, &event, 1, TICK_MS);
		if (n <= 0 || event.data.ptr == listener)
			welcome();
		for (i = 0; i < CLIENTS; i++)
			if (client[i].ep && (n <= 0 || event.data.ptr == &client[i]))
				look_after(&client[i]);
		do {
			if (vbm_collect_completions(completions, wc, 16, &n))
				errx(1, "the device has gone");
			for (i = 0; i < n; i++)
				complete(&wc[i]);
		} while (n);
	}
}

int main(int argc, char **argv)
{
	struct vbm_domain_options for_both_ways = {.size = sizeof(for_both_ways), .for_rdma_cm = 1};
	struct vbm_endpoint_options options;
	struct vbm_domain *domain;
	struct vbm_error error;

	if (argc != 4)
		errx(2, "usage: echo-server rdma_cm|handshake PORT COUNT");
	left = (int)strtol(argv[3], NULL, 10);
	epoll = epoll_create1(EPOLL_CLOEXEC);
	if (vbm_create_domain(&domain, NULL, &for_both_ways, &error) ||
	    vbm_create_completions(&completions, domain, CLIENTS * DEPTH, &error) ||
	    vbm_register_memory(&memory, domain->pd, client, sizeof(client), IBV_ACCESS_LOCAL_WRITE, &error))
		errx(1, "%s", error.msg);
	vbm_endpoint_options_init(&options);
	options.way = strcmp(argv[1], "rdma_cm") == 0 ? VBM_WAY_RDMA_CM : VBM_WAY_HANDSHAKE;
	options.no_wait = 1;
	options.qp.domain = domain;
	options.qp.completions = completions;
	options.qp.max_send_wr = options.qp.max_recv_wr = DEPTH;
	if (vbm_create_endpoint(&listener, &options, &error))
		errx(1, "%s", error.msg);
	if (vbm_listen(listener, NULL, argv[2]))
		errx(1, "%s", listener->error.msg);
	watch(vbm_endpoint_fd(listener), listener);
	watch(completions->channel->fd, completions);
	serve();
	vbm_destroy_endpoint(listener);
	vbm_destroy_completions(completions);
	vbm_deregister_memory(&memory);
	return vbm_destroy_domain(domain);
}
