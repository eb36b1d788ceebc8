/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connections on one device, made by a client and a server, each in a thread of this
 * process. They are made in three ways: with a negotiator at each end, with rdma_cm, and
 * with the bare calls of a handshake, which every library needs. Queue pairs are created
 * and moved to INIT before the clock starts. Sockets, ids and queue pairs are closed after
 * it has stopped.
 *
 * Usage: connect ADDRESS COUNT
 *
 * Prints "handshake N", "rdma_cm N" and "calls N", in connections a second, one connection
 * after another; "handshakes N", "rdma_cms N" and "calls_at_once N", the same with 50
 * under way at any time; and "many COUNT MS" for that many handshakes at once.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <rdma/rdma_cma.h>

#include <verbatim/negotiator.h>

#include "bench.h"

#define MANY 1000
#define AT_ONCE 50
#define ROUNDS 5

static struct sockaddr_in own = {.sin_family = AF_INET};

/* A client or a server, with the data of its thread. */
struct end {
	int count, at_once;
	struct vbm_qp *qp[MANY];
	int socket[MANY];
	struct rdma_cm_id *id[MANY];
	struct sockaddr_storage server;
	struct vbm_negotiator *negotiator;
	struct rdma_event_channel *channel;
	int listener;
};

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

static struct end *make_end(int count, int at_once)
{
	struct end *e = calloc(1, sizeof(*e));

	if (!e)
		die("memory");
	e->count = count;
	e->at_once = at_once;
	for (int i = 0; i < count; i++) {
		e->qp[i] = make();
		e->socket[i] = -1;
	}
	return e;
}

static void drop_end(struct end *e)
{
	for (int i = 0; i < e->count; i++) {
		if (e->socket[i] >= 0)
			close(e->socket[i]);
		if (e->id[i])
			rdma_destroy_id(e->id[i]);
		vbm_destroy_qp(e->qp[i]);
	}
	vbm_destroy_negotiator(e->negotiator);
	if (e->channel)
		rdma_destroy_event_channel(e->channel);
	free(e);
}

/* ---- the negotiation threads ---- */

static void hand_in(struct end *e, int i)
{
	struct vbm_handshake_options o = {.size = sizeof(o), .timeout_ms = 60000};
	int rc = e->listener ? vbm_negotiator_offer(e->negotiator, e->listener, e->qp[i], NULL) :
		 vbm_negotiator_connect(e->negotiator, e->qp[i], (struct sockaddr *)&e->server, &o, NULL);

	if (rc)
		die("hand a queue pair in");
}

static void *negotiate(void *end)
{
	struct vbm_outcome got[AT_ONCE];
	struct end *e = end;
	int given, done, found, i;

	/* A server offers more queue pairs in advance. */
	for (given = 0; given < (e->listener ? e->count : e->at_once); given++)
		hand_in(e, given);
	for (done = 0; done < e->count; done += found) {
		if (vbm_negotiator_wait(e->negotiator, got, AT_ONCE, -1, &found))
			die("wait for outcomes");
		for (i = 0; i < found; i++) {
			errno = got[i].result;
			if (errno)
				die("an outcome");
			e->socket[done + i] = got[i].socket;
			if (given < e->count)
				hand_in(e, given++);
		}
	}
	return NULL;
}

/* The seconds for @count connections, @at_once of them under way at any time. */
static double handshakes_with(int count, int at_once, int in_loop)
{
	struct vbm_negotiator_options form = {.size = sizeof(form), .in_loop = in_loop};
	struct end *client = make_end(count, at_once), *server = make_end(count, at_once);
	struct vbm_listen_options o = {.size = sizeof(o), .handshake.timeout_ms = 60000};
	struct vbm_outcome listening;
	double took;
	int found;

	if (vbm_create_negotiator(&client->negotiator, &form, NULL) ||
	    vbm_create_negotiator(&server->negotiator, &form, NULL) ||
	    vbm_negotiator_listen(server->negotiator, (struct sockaddr *)&own, &o, NULL, &server->listener) ||
	    vbm_negotiator_wait(server->negotiator, &listening, 1, 60000, &found) || listening.result)
		die("the negotiators");
	client->server = listening.address;
	took = race(negotiate, server, negotiate, client);
	drop_end(client);
	drop_end(server);
	return took;
}

static double in_threads(int count, int at_once)
{
	return handshakes_with(count, at_once, 0);
}

static double in_loops(int count, int at_once)
{
	return handshakes_with(count, at_once, 1);
}

/* ---- rdma_cm ---- */

static void dial_cm(struct end *e, int i)
{
	if (rdma_create_id(e->channel, &e->id[i], e->qp[i], RDMA_PS_TCP) ||
	    rdma_resolve_addr(e->id[i], NULL, (struct sockaddr *)&e->server, 5000))
		die("rdma_resolve_addr");
}

/* For a queue pair in INIT, rdma_create_qp(3) would do no more than this. */
static void give_qp(struct rdma_cm_id *id, struct vbm_qp *qp)
{
	id->qp = qp->qp;
}

/* Handle an event. True when it completes a connection. */
static bool answer(struct rdma_cm_id *id, enum rdma_cm_event_type event)
{
	struct rdma_conn_param param = {.responder_resources = 1, .initiator_depth = 1, .retry_count = 7,
					.rnr_retry_count = 7};

	switch (event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		if (rdma_resolve_route(id, 5000))
			die("rdma_resolve_route");
		return false;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		give_qp(id, id->context);
		if (rdma_connect(id, &param))
			die("rdma_connect");
		return false;
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		if (rdma_accept(id, &param))
			die("rdma_accept");
		return false;
	case RDMA_CM_EVENT_ESTABLISHED:
		return true;
	default:
		die(rdma_event_str(event));
		return false;
	}
}

static void *attend(void *end)
{
	struct end *e = end;
	struct rdma_cm_event *event;
	enum rdma_cm_event_type what;
	struct rdma_cm_id *id;
	bool dials = e->server.ss_family;
	int given = 0, done = 0;

	while (dials && given < e->at_once)
		dial_cm(e, given++);
	while (done < e->count) {
		if (rdma_get_cm_event(e->channel, &event))
			die("rdma_get_cm_event");
		id = event->id;
		what = event->event;
		rdma_ack_cm_event(event);
		if (what == RDMA_CM_EVENT_CONNECT_REQUEST) {
			e->id[given] = id;
			give_qp(id, e->qp[given++]);
		}
		if (!answer(id, what))
			continue;
		done++;
		if (dials && given < e->count)
			dial_cm(e, given++);
	}
	return NULL;
}

static double by_cm(int count, int at_once)
{
	struct end *client = make_end(count, at_once), *server = make_end(count, at_once);
	struct sockaddr_in *to = (struct sockaddr_in *)&client->server;
	struct rdma_cm_id *listener;
	double took;

	client->channel = rdma_create_event_channel();
	server->channel = rdma_create_event_channel();
	if (!client->channel || !server->channel ||
	    rdma_create_id(server->channel, &listener, NULL, RDMA_PS_TCP) ||
	    rdma_bind_addr(listener, (struct sockaddr *)&own) || rdma_listen(listener, MANY))
		die("rdma_listen");
	*to = own;
	to->sin_port = rdma_get_src_port(listener);
	took = race(attend, server, attend, client);
	rdma_destroy_id(listener);
	drop_end(client);
	drop_end(server);
	return took;
}

/* ---- the bare calls: what the document's steps take, with blocking sockets ---- */

#define MESSAGE 72	/* bytes of version 1 */

static void exchange(int fd, bool out, struct vbm_qp *qp)
{
	uint8_t message[MESSAGE] = {0};
	ssize_t n = out ? send(fd, message, MESSAGE, MSG_NOSIGNAL) : recv(fd, message, MESSAGE, MSG_WAITALL);

	if (n != MESSAGE)
		die(out ? "send" : "recv");
	if (qp && (vbm_qp_to_rtr(qp) || vbm_qp_to_rts(qp)))
		die("RTS");
}

static void *accept_bare(void *end)
{
	struct end *e = end;
	int i, k;

	for (i = 0; i < e->count; i += e->at_once) {
		for (k = i; k < i + e->at_once; k++) {
			e->socket[k] = accept(e->listener, NULL, NULL);
			if (e->socket[k] < 0)
				die("accept");
			exchange(e->socket[k], false, e->qp[k]);
			exchange(e->socket[k], true, NULL);
		}
		for (k = i; k < i + e->at_once; k++)
			exchange(e->socket[k], false, NULL);
	}
	return NULL;
}

static void *dial_bare(void *end)
{
	struct end *e = end;
	int i, k;

	for (i = 0; i < e->count; i += e->at_once) {
		for (k = i; k < i + e->at_once; k++) {
			e->socket[k] = socket(AF_INET, SOCK_STREAM, 0);
			if (e->socket[k] < 0 || connect(e->socket[k], (struct sockaddr *)&e->server, sizeof(own)))
				die("connect");
			exchange(e->socket[k], true, NULL);
		}
		for (k = i; k < i + e->at_once; k++) {
			exchange(e->socket[k], false, e->qp[k]);
			exchange(e->socket[k], true, NULL);
		}
	}
	return NULL;
}

static double bare(int count, int at_once)
{
	struct end *client = make_end(count, at_once), *server = make_end(count, at_once);
	socklen_t len = sizeof(client->server);
	double took;

	for (int i = 0; i < count; i++) {
		client->qp[i]->peer = server->qp[i]->local;
		server->qp[i]->peer = client->qp[i]->local;
	}
	server->listener = socket(AF_INET, SOCK_STREAM, 0);
	if (server->listener < 0 || bind(server->listener, (struct sockaddr *)&own, sizeof(own)) ||
	    listen(server->listener, MANY) ||
	    getsockname(server->listener, (struct sockaddr *)&client->server, &len))
		die("listen");
	took = race(accept_bare, server, dial_bare, client);
	close(server->listener);
	drop_end(client);
	drop_end(server);
	return took;
}

static const struct {
	const char *name;
	double (*run)(int count, int at_once);
	int at_once;
} ways[] = {
	{"handshake", in_loops, 1}, {"handshake_thread", in_threads, 1}, {"rdma_cm", by_cm, 1},
	{"calls", bare, 1}, {"handshakes", in_loops, AT_ONCE}, {"handshakes_thread", in_threads, AT_ONCE},
	{"rdma_cms", by_cm, AT_ONCE},
	{"calls_at_once", bare, AT_ONCE},
};
#define N_WAYS (sizeof(ways) / sizeof(*ways))

int main(int argc, char **argv)
{
	struct rlimit files = {16384, 16384};
	int count = argc > 2 ? atoi(argv[2]) : 0;
	double took[N_WAYS] = {0};

	if (count < 1 || count > MANY || count % (ROUNDS * AT_ONCE) ||
	    inet_pton(AF_INET, argv[1], &own.sin_addr) != 1) {
		fputs("usage: connect ADDRESS COUNT, of 250, 500, 750 or 1000\n", stderr);
		return 2;
	}
	if (setrlimit(RLIMIT_NOFILE, &files))
		die("setrlimit");
	/* The ways take turns, so that other load on the machine affects all of them. */
	for (int i = 0; i < ROUNDS; i++)
		for (size_t k = 0; k < N_WAYS; k++)
			took[k] += ways[k].run(count / ROUNDS, ways[k].at_once);
	for (size_t k = 0; k < N_WAYS; k++)
		printf("%s %.0f\n", ways[k].name, count / took[k]);
	printf("many %d %.0f\n", MANY / 4, in_loops(MANY / 4, MANY / 4) * 1e3);
	printf("many %d %.0f\n", MANY, in_loops(MANY, MANY) * 1e3);
	return 0;
}
