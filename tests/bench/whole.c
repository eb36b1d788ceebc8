/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whole connections on one device, from the making of their queue pairs on, by a client and
 * a server, each in a thread of this process. They are made in two ways: by the handshake,
 * with a negotiator in the loop of each end, and a domain and a completion queue for all; and
 * by rdma_cm, as rdma_create_ep(3) does it one after another, and with events for many at a
 * time. Both servers make the queue pair when a request is there.
 *
 * Usage: whole ADDRESS COUNT
 *
 * Prints "whole N" and "whole_cm N", in connections a second, one after another, "wholes N"
 * and "wholes_cm N", with 50 under way at any time; and "descriptors N" and
 * "descriptors_cm N", in hundredths of those that one end of a connection has.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <rdma/rdma_cma.h>

#include <verbatim/domain.h>
#include <verbatim/negotiator.h>

#include "bench.h"
#include "cm.h"

#define MANY 500
#define AT_ONCE 50
#define ROUNDS 5

static struct sockaddr_in own = {.sin_family = AF_INET};
static char node[INET_ADDRSTRLEN], service[8];

/* A client or a server, with the data of its thread. */
struct end {
	int count, at_once, listener;
	struct vbm_domain *domain;
	struct ibv_cq *cq;
	struct vbm_negotiator *negotiator;
	struct vbm_qp *qp[MANY];
	int socket[MANY];
	struct rdma_cm_id *id[MANY];
	struct cm_end cm;
	struct sockaddr_storage server;
};

static int descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int count = 0;

	if (!dir)
		die("/proc/self/fd");
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static struct ibv_qp_init_attr qp_attr(void)
{
	return (struct ibv_qp_init_attr){
		.cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1},
		.qp_type = IBV_QPT_RC,
	};
}

static void give_qp(void *unused, struct rdma_cm_id *id, int i)
{
	struct ibv_qp_init_attr attr = qp_attr();

	(void)unused;
	(void)i;
	if (rdma_create_qp(id, NULL, &attr))
		die("rdma_create_qp");
}

static struct end *make_end(int count, int at_once)
{
	struct end *e = calloc(1, sizeof(*e));

	if (!e)
		die("memory");
	e->count = count;
	e->at_once = at_once;
	e->cm = (struct cm_end){.count = count, .at_once = at_once, .id = e->id, .give_qp = give_qp};
	return e;
}

/* ---- the handshake ---- */

static struct vbm_qp *make_qp(struct end *e)
{
	struct vbm_qp_options o;
	struct vbm_qp *qp;

	vbm_qp_options_init(&o);
	o.max_send_wr = o.max_recv_wr = 1;
	o.domain = e->domain;
	o.cq = e->cq;
	errno = vbm_create_qp(&qp, NULL, &o, NULL);
	if (errno || vbm_qp_to_init(qp))
		die("a queue pair");
	return qp;
}

static void connect_one(struct end *e, int i)
{
	e->qp[i] = make_qp(e);
	errno = vbm_negotiator_connect(e->negotiator, e->qp[i], (struct sockaddr *)&e->server, NULL, NULL);
	if (errno)
		die("connect");
}

static void *negotiate(void *end)
{
	struct vbm_outcome got[AT_ONCE];
	struct end *e = end;
	int given = 0, done = 0, found, i;

	while (!e->listener && given < e->at_once)
		connect_one(e, given++);
	while (done < e->count) {
		errno = vbm_negotiator_wait(e->negotiator, got, AT_ONCE, -1, &found);
		if (errno)
			die("wait for outcomes");
		for (i = 0; i < found; i++) {
			errno = got[i].result;
			if (errno)
				die("an outcome");
			if (got[i].kind == VBM_OUTCOME_REQUEST) {
				e->qp[given] = make_qp(e);
				vbm_negotiator_accept(e->negotiator, got[i].request, e->qp[given++], NULL, 0, NULL);
				continue;
			}
			e->socket[done++] = got[i].socket;
			if (!e->listener && given < e->count)
				connect_one(e, given++);
		}
	}
	return NULL;
}

static void open_end(struct end *e)
{
	struct vbm_negotiator_options o = {.size = sizeof(o), .in_loop = 1};

	errno = vbm_create_domain(&e->domain, (struct sockaddr *)&own, NULL, NULL);
	if (errno)
		die("a domain");
	e->cq = ibv_create_cq(e->domain->context, MANY, NULL, NULL, 0);
	errno = e->cq ? vbm_create_negotiator(&e->negotiator, &o, NULL) : errno;
	if (errno)
		die("an end");
}

static void close_end(struct end *e)
{
	for (int i = 0; i < e->count; i++) {
		close(e->socket[i]);
		vbm_destroy_qp(e->qp[i]);
	}
	vbm_destroy_negotiator(e->negotiator);
	ibv_destroy_cq(e->cq);
	vbm_destroy_domain(e->domain);
	free(e);
}

static double handshakes(int count, int at_once, int *held)
{
	struct end *client = make_end(count, at_once), *server = make_end(count, at_once);
	struct vbm_listen_options o = {.size = sizeof(o), .decide = 1};
	struct vbm_outcome listening;
	int found, before;
	double took;

	open_end(client);
	open_end(server);
	if (vbm_negotiator_listen(server->negotiator, (struct sockaddr *)&own, &o, NULL, &server->listener) ||
	    vbm_negotiator_wait(server->negotiator, &listening, 1, -1, &found) || listening.result)
		die("a listener");
	client->server = listening.address;
	before = descriptors();
	took = race(negotiate, server, negotiate, client);
	*held = descriptors() - before;
	close_end(client);
	close_end(server);
	return took;
}

/* ---- rdma_cm ---- */

static struct rdma_cm_id *create_ep(int flags)
{
	struct rdma_addrinfo hints = {.ai_flags = flags, .ai_port_space = RDMA_PS_TCP}, *found;
	struct ibv_qp_init_attr attr = qp_attr();
	struct rdma_cm_id *id;

	if (rdma_getaddrinfo(node, service, &hints, &found) || rdma_create_ep(&id, found, NULL, &attr))
		die("rdma_create_ep");
	rdma_freeaddrinfo(found);
	return id;
}

static void *accept_eps(void *end)
{
	struct end *e = end;

	for (int i = 0; i < e->count; i++)
		if (rdma_get_request(e->cm.listening, &e->id[i]) || rdma_accept(e->id[i], NULL))
			die("rdma_accept");
	return NULL;
}

static void *connect_eps(void *end)
{
	struct end *e = end;

	for (int i = 0; i < e->count; i++) {
		e->id[i] = create_ep(0);
		if (rdma_connect(e->id[i], NULL))
			die("rdma_connect");
	}
	return NULL;
}

static void listen_ep(struct end *server)
{
	snprintf(service, sizeof(service), "%d", 7471);
	server->cm.listening = create_ep(RAI_PASSIVE);
	if (rdma_listen(server->cm.listening, MANY))
		die("rdma_listen");
}

static void drop_cm(struct end *e)
{
	struct cm_end *cm = &e->cm;

	for (int i = 0; i < e->count; i++) {
		if (cm->channel)
			rdma_destroy_qp(e->id[i]);
		if (cm->channel)
			rdma_destroy_id(e->id[i]);
		else
			rdma_destroy_ep(e->id[i]);
	}
	if (cm->listening && cm->channel)
		rdma_destroy_id(cm->listening);
	else if (cm->listening)
		rdma_destroy_ep(cm->listening);
	if (cm->channel)
		rdma_destroy_event_channel(cm->channel);
	free(e);
}

static double by_cm(int count, int at_once, int *held)
{
	struct end *client = make_end(count, at_once), *server = make_end(count, at_once);
	bool by_ep = at_once == 1;
	double took;
	int before;

	if (by_ep)
		listen_ep(server);
	else
		cm_listen(&server->cm, &client->cm, &own);
	before = descriptors();
	took = by_ep ? race(accept_eps, server, connect_eps, client) :
		       race(cm_attend, &server->cm, cm_attend, &client->cm);
	*held = descriptors() - before;
	drop_cm(client);
	drop_cm(server);
	return took;
}

static const struct {
	const char *name;
	double (*run)(int count, int at_once, int *held);
	int at_once;
} ways[] = {
	{"whole", handshakes, 1}, {"whole_cm", by_cm, 1}, {"wholes", handshakes, AT_ONCE},
	{"wholes_cm", by_cm, AT_ONCE},
};
#define N_WAYS (sizeof(ways) / sizeof(*ways))

int main(int argc, char **argv)
{
	struct rlimit files = {16384, 16384};
	int count = argc > 2 ? atoi(argv[2]) : 0, held[N_WAYS];
	double took[N_WAYS] = {0};

	if (count < 1 || count > MANY || count % (ROUNDS * AT_ONCE) ||
	    inet_pton(AF_INET, argv[1], &own.sin_addr) != 1) {
		fputs("usage: whole ADDRESS COUNT, of 250 or 500\n", stderr);
		return 2;
	}
	snprintf(node, sizeof(node), "%s", argv[1]);
	if (setrlimit(RLIMIT_NOFILE, &files))
		die("setrlimit");
	/* The ways take turns, so that other load on the machine affects all of them. */
	for (int i = 0; i < ROUNDS; i++)
		for (size_t k = 0; k < N_WAYS; k++)
			took[k] += ways[k].run(count / ROUNDS, ways[k].at_once, &held[k]);
	for (size_t k = 0; k < N_WAYS; k++)
		printf("%s %.0f\n", ways[k].name, count / took[k]);
	printf("descriptors %d\n", held[0] * 50 * ROUNDS / count);
	printf("descriptors_cm %d\n", held[1] * 50 * ROUNDS / count);
	return 0;
}
