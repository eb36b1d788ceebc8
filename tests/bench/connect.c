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
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <rdma/rdma_cma.h>

#include <verbatim/negotiator.h>

#include "bare.h"
#include "bench.h"
#include "cm.h"
#include "negotiate.h"

#define MANY 1000
#define AT_ONCE 50
#define ROUNDS 5

static struct sockaddr_in own = {.sin_family = AF_INET};
static struct rdma_conn_param param = {
	.responder_resources = 1, .initiator_depth = 1, .retry_count = 7, .rnr_retry_count = 7,
};

/* A client or a server. Its connections are made in one of the three ways. */
struct end {
	int count;
	struct vbm_qp *qp[MANY];
	int socket[MANY];
	struct rdma_cm_id *id[MANY];
	struct sockaddr_storage server;
	struct negotiating n;
	struct cm_end cm;
	struct bare_end bare;
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

/* For a queue pair in INIT, rdma_create_qp(3) would do no more than this. */
static void give_qp(void *end, struct rdma_cm_id *id, int i)
{
	const struct end *e = end;

	id->qp = e->qp[i]->qp;
}

static void to_rts(void *end, int i)
{
	const struct end *e = end;

	if (vbm_qp_to_rtr(e->qp[i]) || vbm_qp_to_rts(e->qp[i]))
		die("RTS");
}

static struct end *make_end(int count, int at_once)
{
	struct end *e = calloc(1, sizeof(*e));

	if (!e)
		die("memory");
	e->count = count;
	e->n = (struct negotiating){.count = count, .ahead = at_once, .socket = e->socket, .context = e};
	e->cm = (struct cm_end){.count = count, .at_once = at_once, .id = e->id, .param = &param, .give_qp = give_qp,
				.context = e};
	e->bare = (struct bare_end){.count = count, .at_once = at_once, .socket = e->socket, .move = to_rts,
				    .context = e};
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
	vbm_destroy_negotiator(e->n.negotiator);
	if (e->cm.channel)
		rdma_destroy_event_channel(e->cm.channel);
	free(e);
}

/* ---- the negotiation threads ---- */

static void offer_one(const struct negotiating *n, int i)
{
	const struct end *e = n->context;

	if (vbm_negotiator_offer(n->negotiator, n->listener, e->qp[i], NULL))
		die("offer");
}

static void connect_one(const struct negotiating *n, int i)
{
	struct vbm_handshake_options o = {.size = sizeof(o), .timeout_ms = 60000};
	const struct end *e = n->context;

	if (vbm_negotiator_connect(n->negotiator, e->qp[i], (const struct sockaddr *)&e->server, &o, NULL))
		die("connect");
}

/* The seconds for @count connections, @at_once of them under way at any time. */
static double handshakes_with(int count, int at_once, int in_loop)
{
	struct vbm_negotiator_options form = {.size = sizeof(form), .in_loop = in_loop};
	struct end *client = make_end(count, at_once), *server = make_end(count, at_once);
	struct vbm_listen_options o = {.size = sizeof(o), .handshake.timeout_ms = 60000};
	double took;

	if (vbm_create_negotiator(&client->n.negotiator, &form, NULL) ||
	    vbm_create_negotiator(&server->n.negotiator, &form, NULL))
		die("the negotiators");
	client->n.hand_in = connect_one;
	server->n.hand_in = offer_one;
	server->n.ahead = count;	/* a server offers more queue pairs in advance */
	client->server = negotiate_listen(&server->n, (struct sockaddr *)&own, &o);
	took = race(negotiate, &server->n, negotiate, &client->n);
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

/* ---- rdma_cm, and the bare calls ---- */

static double by_cm(int count, int at_once)
{
	struct end *client = make_end(count, at_once), *server = make_end(count, at_once);
	double took;

	cm_listen(&server->cm, &client->cm, &own);
	took = race(cm_attend, &server->cm, cm_attend, &client->cm);
	rdma_destroy_id(server->cm.listening);
	drop_end(client);
	drop_end(server);
	return took;
}

static double bare(int count, int at_once)
{
	struct end *client = make_end(count, at_once), *server = make_end(count, at_once);
	double took;

	for (int i = 0; i < count; i++) {
		client->qp[i]->peer = server->qp[i]->local;
		server->qp[i]->peer = client->qp[i]->local;
	}
	bare_listen(&server->bare, &client->bare, &own);
	took = race(bare_accept, &server->bare, bare_dial, &client->bare);
	close(server->bare.listener);
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
