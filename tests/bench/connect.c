/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connections on one device, both ends in this process: by the negotiation
 * thread, and by rdma_cm. The time to make queue pairs is not counted, and the
 * time to close sockets and to destroy ids is not counted either.
 *
 *	connect ADDRESS COUNT
 *
 * Prints "handshake N" and "rdma_cm N", each in connections a second, one after
 * another; "handshakes N" and "rdma_cms N", the same with 50 under way at a
 * time; and "many COUNT MS" for that many handshakes at once.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <rdma/rdma_cma.h>

#include <verbatim/negotiator.h>

#define MANY 1000
#define AT_ONCE 50

static struct sockaddr_in own = {.sin_family = AF_INET};
static struct sockaddr_storage server;
static struct vbm_qp *qps[2 * MANY];
static struct vbm_outcome got[2 * MANY];
static int sockets[2 * MANY];

static void die(const char *what)
{
	fprintf(stderr, "connect: %s: %s\n", what, strerror(errno));
	exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct vbm_qp *make(void)
{
	struct vbm_qp_options o;
	struct vbm_error err;
	struct vbm_qp *qp;

	vbm_qp_options_init(&o);
	o.max_send_wr = o.max_recv_wr = 1;
	if (vbm_create_qp(&qp, (struct sockaddr *)&own, &o, &err) || vbm_qp_to_init(qp))
		die("a queue pair");
	return qp;
}

/* The outcomes' sockets go to @sockets. */
static void collect(struct vbm_negotiator *n, int wanted, int *socket)
{
	int have = 0, count, i;

	for (; have < wanted; have += count)
		if (vbm_negotiator_wait(n, got + have, wanted - have, 60000, &count))
			die("collect");
	for (i = 0; i < wanted; i++) {
		errno = got[i].result;
		if (errno)
			die("an outcome");
		socket[i] = got[i].socket;
	}
}

/* Seconds for @count connections, @at_once of them under way. */
static double handshakes(int count, int at_once)
{
	struct vbm_listen_options o = {.handshake.timeout_ms = 60000};
	struct vbm_negotiator *n;
	double took, began;
	int listener, i, k;

	if (vbm_create_negotiator(&n, 2 * MANY, NULL) ||
	    vbm_negotiator_listen(n, (struct sockaddr *)&own, &o, NULL, &listener))
		die("the negotiator");
	collect(n, 1, sockets);
	server = got[0].address;
	for (i = 0; i < 2 * count; i++)
		qps[i] = make();
	began = now();
	for (i = 0; i < count; i += at_once) {
		for (k = i; k < i + at_once; k++)
			if (vbm_negotiator_offer(n, listener, qps[2 * k], NULL) ||
			    vbm_negotiator_connect(n, qps[2 * k + 1], (struct sockaddr *)&server,
						   &o.handshake, NULL))
				die("connect");
		collect(n, 2 * at_once, sockets + 2 * i);
	}
	took = now() - began;
	vbm_destroy_negotiator(n);
	for (i = 0; i < 2 * count; i++) {
		close(sockets[i]);
		vbm_destroy_qp(qps[i]);
	}
	return took;
}

static double qp_time;

static void give_qp(struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1},
	};
	double began = now();

	if (rdma_create_qp(id, NULL, &attr))
		die("rdma_create_qp");
	qp_time += now() - began;
}

/* What the program does with an event: 1 when an end is connected by it. */
static int answer(struct rdma_cm_id *id, enum rdma_cm_event_type event, struct rdma_conn_param *param)
{
	switch (event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		if (rdma_resolve_route(id, 5000))
			die("rdma_resolve_route");
		return 0;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		give_qp(id);
		if (rdma_connect(id, param))
			die("rdma_connect");
		return 0;
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		give_qp(id);
		if (rdma_accept(id, param))
			die("rdma_accept");
		return 0;
	case RDMA_CM_EVENT_ESTABLISHED:
		return 1;
	default:
		die(rdma_event_str(event));
		return 0;
	}
}

static void dial_cm(struct rdma_event_channel *ec, struct rdma_cm_id **id, uint16_t port)
{
	struct sockaddr_in to = own;

	to.sin_port = port;
	if (rdma_create_id(ec, id, NULL, RDMA_PS_TCP) ||
	    rdma_resolve_addr(*id, NULL, (struct sockaddr *)&to, 5000))
		die("rdma_resolve_addr");
}

static double by_cm(int count, int at_once)
{
	struct rdma_conn_param param = {.responder_resources = 1, .initiator_depth = 1, .retry_count = 7,
					.rnr_retry_count = 7};
	struct rdma_event_channel *ec = rdma_create_event_channel();
	struct rdma_cm_id *listener, **id = calloc(2 * (size_t)count, sizeof(struct rdma_cm_id *));
	struct rdma_cm_event *e;
	struct rdma_cm_id *of;
	enum rdma_cm_event_type what;
	double took, began;
	int i, k, established, servers = count;

	qp_time = 0;
	if (!ec || !id || rdma_create_id(ec, &listener, NULL, RDMA_PS_TCP) ||
	    rdma_bind_addr(listener, (struct sockaddr *)&own) || rdma_listen(listener, MANY))
		die("rdma_listen");
	began = now();
	for (i = 0; i < count; i += at_once) {
		for (k = i; k < i + at_once; k++)
			dial_cm(ec, &id[k], rdma_get_src_port(listener));
		for (established = 0; established < 2 * at_once;) {
			if (rdma_get_cm_event(ec, &e))
				die("rdma_get_cm_event");
			of = e->id;
			what = e->event;
			rdma_ack_cm_event(e);
			if (what == RDMA_CM_EVENT_CONNECT_REQUEST)
				id[servers++] = of;
			established += answer(of, what, &param);
		}
	}
	took = now() - began - qp_time;
	for (i = 0; i < 2 * count; i++) {
		rdma_destroy_qp(id[i]);
		rdma_destroy_id(id[i]);
	}
	rdma_destroy_id(listener);
	rdma_destroy_event_channel(ec);
	free(id);
	return took;
}

int main(int argc, char **argv)
{
	struct rlimit files = {16384, 16384};
	int count = argc > 2 ? atoi(argv[2]) : 0;

	if (count < AT_ONCE || count > MANY || inet_pton(AF_INET, argv[1], &own.sin_addr) != 1) {
		fputs("usage: connect ADDRESS COUNT, of 50 to 1000\n", stderr);
		return 2;
	}
	if (setrlimit(RLIMIT_NOFILE, &files))
		die("setrlimit");
	count -= count % AT_ONCE;
	printf("handshake %.0f\n", count / handshakes(count, 1));
	printf("rdma_cm %.0f\n", count / by_cm(count, 1));
	printf("handshakes %.0f\n", count / handshakes(count, AT_ONCE));
	printf("rdma_cms %.0f\n", count / by_cm(count, AT_ONCE));
	printf("many %d %.0f\n", MANY / 4, handshakes(MANY / 4, MANY / 4) * 1e3);
	printf("many %d %.0f\n", MANY, handshakes(MANY, MANY) * 1e3);
	return 0;
}
