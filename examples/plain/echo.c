/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The job of examples/echo.c with librdmacm and libibverbs alone, so by rdma_cm only.
 *
 *	echo PORT			the server
 *	echo PORT HOST COUNT		the client
 */
#include <err.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>

#define DEPTH 16
#define PATIENCE_MS 60000	/* an emulated machine is slow */
#define RETRY_MS 50

static struct message {
	char text[64];
} messages[2 * DEPTH], *const out = messages, *const in = messages + DEPTH;
static struct rdma_event_channel *channel;
static struct ibv_comp_channel *completions;
static struct ibv_cq *cq;
static struct ibv_mr *memory;

static void receive(struct rdma_cm_id *id, struct message *into)
{
	if (rdma_post_recv(id, into, into, sizeof(*into), memory))
		err(1, "cannot receive");
}

static void send_it(struct rdma_cm_id *id, struct message *what)
{
	if (rdma_post_send(id, what, what, sizeof(*what), memory, IBV_SEND_SIGNALED))
		err(1, "cannot send");
}

/* 0, or an errno value: ECONNREFUSED when nobody listens. *@id may be NULL, else it is the event's. */
static int expect(enum rdma_cm_event_type wanted, struct rdma_cm_id **id, int timeout_ms)
{
	struct pollfd p = {.fd = channel->fd, .events = POLLIN};
	struct rdma_cm_event *event;
	int rc = poll(&p, 1, timeout_ms);

	if (rc != 1)
		return rc ? errno : ETIMEDOUT;
	if (rdma_get_cm_event(channel, &event))
		return errno;
	if (id)
		*id = event->id;
	if (event->event == wanted)
		rc = 0;
	else if (event->event == RDMA_CM_EVENT_REJECTED)
		rc = ECONNREFUSED;
	else
		rc = event->status < 0 ? -event->status : EPROTO;
	rdma_ack_cm_event(event);
	return rc;
}

static void drop(struct rdma_cm_id *id)
{
	if (memory)
		rdma_dereg_mr(memory);
	if (id->qp)
		rdma_destroy_qp(id);
	if (cq)
		ibv_destroy_cq(cq);
	if (completions)
		ibv_destroy_comp_channel(completions);
	memory = NULL;
	cq = NULL;
	completions = NULL;
	rdma_destroy_id(id);
}

/* Each queue has room for all messages, and one completion queue has room for both. */
static int make_qp(struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = {.max_send_wr = 2 * DEPTH, .max_recv_wr = 2 * DEPTH, .max_send_sge = 1, .max_recv_sge = 1},
	};

	completions = ibv_create_comp_channel(id->verbs);
	cq = completions ? ibv_create_cq(id->verbs, 4 * DEPTH, NULL, completions, 0) : NULL;
	if (!cq || ibv_req_notify_cq(cq, 0))
		return errno;
	attr.send_cq = attr.recv_cq = cq;
	if (rdma_create_qp(id, NULL, &attr))
		return errno;
	memory = rdma_reg_msgs(id, messages, sizeof(messages));
	return memory ? 0 : errno;
}

static int wait_for_any(struct pollfd *p, int n, int timeout_ms)
{
	int rc = poll(p, (nfds_t)n, timeout_ms);

	return rc > 0 || (rc < 0 && errno == EINTR) ? 0 : rc ? errno : ETIMEDOUT;
}

/* The next completion. ENOTCONN: an event of the connection came first. */
static int next(struct ibv_wc *wc)
{
	struct pollfd p[] = {{.fd = completions->fd, .events = POLLIN}, {.fd = channel->fd, .events = POLLIN}};
	struct ibv_cq *which;
	void *context;
	int n, rc;

	while ((n = ibv_poll_cq(cq, 1, wc)) == 0) {
		rc = wait_for_any(p, 2, PATIENCE_MS);
		if (rc)
			return rc;
		if (p[0].revents) {
			if (ibv_get_cq_event(completions, &which, &context))
				return errno;
			ibv_ack_cq_events(which, 1);
			rc = ibv_req_notify_cq(cq, 0);
			if (rc)
				return rc;
		} else if (p[1].revents) {
			return ENOTCONN;
		}
	}
	return n < 0 ? EIO : 0;
}

/* One listener for both families. */
static struct rdma_cm_id *listen_at(int port)
{
	struct sockaddr_in6 any = {.sin6_family = AF_INET6, .sin6_port = htobe16((uint16_t)port)};
	struct rdma_cm_id *listener;
	int off = 0;

	if (rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP) ||
	    rdma_set_option(listener, RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, &off, sizeof(off)) ||
	    rdma_bind_addr(listener, (struct sockaddr *)&any) || rdma_listen(listener, 1))
		err(1, "cannot listen at port %d", port);
	return listener;
}

/* The client ends the connection, when it has all echoes. */
static void serve(int port)
{
	struct rdma_cm_id *listener = listen_at(port), *id;
	int rc = expect(RDMA_CM_EVENT_CONNECT_REQUEST, &id, -1);
	struct ibv_wc wc;

	if (rc || (rc = make_qp(id)))
		errx(1, "no client: %s", strerror(rc));
	for (int i = 0; i < 2 * DEPTH; i++)
		receive(id, &messages[i]);
	if (rdma_accept(id, NULL))
		err(1, "rdma_accept");
	rc = expect(RDMA_CM_EVENT_ESTABLISHED, NULL, PATIENCE_MS);
	if (rc)
		errx(1, "the client does not connect: %s", strerror(rc));
	while ((rc = next(&wc)) == 0 && wc.status == IBV_WC_SUCCESS)
		if (wc.opcode == IBV_WC_RECV)
			send_it(id, (struct message *)(uintptr_t)wc.wr_id);
		else
			receive(id, (struct message *)(uintptr_t)wc.wr_id);
	rc = rc == 0 || rc == ENOTCONN ? expect(RDMA_CM_EVENT_DISCONNECTED, NULL, PATIENCE_MS) : rc;
	if (rc)
		errx(1, "the connection ends: %s", strerror(rc));
	rdma_disconnect(id);
	drop(id);
	rdma_destroy_id(listener);
}

static void check(int i)
{
	if (memcmp(&in[i % DEPTH], &out[i % DEPTH], sizeof(*in)))
		errx(1, "instead of '%s' there came '%s'", out[i % DEPTH].text, in[i % DEPTH].text);
}

static void exchange(struct rdma_cm_id *id, int count)
{
	int sent = 0, acknowledged = 0, echoed = 0, rc;
	struct ibv_wc wc;

	while (acknowledged < count || echoed < count) {
		/* A message is in its place until it is acknowledged, and its echo has come. */
		while (sent < count && sent < acknowledged + DEPTH && sent < echoed + DEPTH) {
			receive(id, &in[sent % DEPTH]);
			snprintf(out[sent % DEPTH].text, sizeof(out->text), "message %d of queue pair %u", sent,
				 id->qp->qp_num);
			send_it(id, &out[sent++ % DEPTH]);
		}
		rc = next(&wc);
		if (rc || wc.status)
			errx(1, "%s", rc ? strerror(rc) : ibv_wc_status_str(wc.status));
		if (wc.opcode == IBV_WC_RECV)
			check(echoed++);
		else
			acknowledged++;
	}
}

/* 0, or an errno value, and *@id is gone. */
static int connect_to(struct sockaddr *address, struct rdma_cm_id **id)
{
	int rc = rdma_create_id(channel, id, NULL, RDMA_PS_TCP) ? errno : 0;

	if (rc)
		return rc;
	rc = rdma_resolve_addr(*id, NULL, address, PATIENCE_MS) ? errno :
		expect(RDMA_CM_EVENT_ADDR_RESOLVED, NULL, PATIENCE_MS);
	if (rc == 0)
		rc = rdma_resolve_route(*id, PATIENCE_MS) ? errno :
			expect(RDMA_CM_EVENT_ROUTE_RESOLVED, NULL, PATIENCE_MS);
	if (rc == 0)
		rc = make_qp(*id);
	if (rc == 0)
		rc = rdma_connect(*id, NULL) ? errno : expect(RDMA_CM_EVENT_ESTABLISHED, NULL, PATIENCE_MS);
	if (rc)
		drop(*id);
	return rc;
}

/* Try each address, and all of them again while nobody listens: the server may start later. */
static struct rdma_cm_id *connect_host(const char *host, const char *port)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list, *ai;
	time_t end = time(NULL) + PATIENCE_MS / 1000;
	struct rdma_cm_id *id = NULL;
	int rc = getaddrinfo(host, port, &hints, &list);

	if (rc)
		errx(1, "%s: %s", host, gai_strerror(rc));
	do {
		if (rc)
			poll(NULL, 0, RETRY_MS);
		for (ai = list, rc = ENOENT; ai && rc; ai = ai->ai_next)
			rc = connect_to(ai->ai_addr, &id);
	} while (rc == ECONNREFUSED && time(NULL) < end);
	if (rc)
		errx(1, "cannot connect to %s: %s", host, strerror(rc));
	freeaddrinfo(list);
	return id;
}

static void talk(const char *port, const char *host, int count)
{
	struct rdma_cm_id *id = connect_host(host, port);

	exchange(id, count);
	if (rdma_disconnect(id))
		err(1, "rdma_disconnect");
	printf("%d echoes\n", count);
	drop(id);
}

int main(int argc, char **argv)
{
	if (argc != 2 && argc != 4)
		errx(2, "usage: echo PORT [HOST COUNT]");
	channel = rdma_create_event_channel();
	if (!channel)
		err(1, "rdma_create_event_channel");
	if (argc == 2)
		serve((int)strtol(argv[1], NULL, 10));
	else
		talk(argv[1], argv[2], (int)strtol(argv[3], NULL, 10));
	rdma_destroy_event_channel(channel);
	return 0;
}
