/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects of many queue pairs on a host's RDMA device: one point of TAP for each promise of
 * verbatim/domain.h.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rdma/rdma_cma.h>

#include <verbatim/domain.h>
#include <verbatim/endpoint.h>
#include <verbatim/log.h>
#include <verbatim/negotiator.h>
#include <verbatim/transfer.h>

#include "../help/descriptors.h"
#include "../help/points.h"

#define CLIENTS 100
#define ROWS 16
#define WAIT_MS 60000
#define PORT "7490"

static const char *node;
static union {
	struct sockaddr sa;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
} own;

static struct vbm_domain *make_domain(const struct vbm_domain_options *o)
{
	struct vbm_domain *d;
	struct vbm_error err;

	if (vbm_create_domain(&d, &own.sa, o, &err))
		die(err.msg);
	return d;
}

static struct vbm_qp *make_qp(const struct vbm_qp_options *o)
{
	struct vbm_error err;
	struct vbm_qp *q;

	if (vbm_create_qp(&q, o && o->domain ? NULL : &own.sa, o, &err))
		die(err.msg);
	if (vbm_qp_to_init(q))
		die(q->error.msg);
	return q;
}

static struct vbm_qp_options in_domain(struct vbm_domain *d)
{
	struct vbm_qp_options o;

	vbm_qp_options_init(&o);
	o.max_send_wr = o.max_recv_wr = 4;
	o.domain = d;
	return o;
}

/* Without a domain: one device for all, which is closed when the last queue pair ends. */
static void devices_are_open_once(void)
{
	int before = open_descriptors(), one, two;
	struct vbm_qp *first, *second;

	first = make_qp(NULL);
	one = open_descriptors() - before;
	second = make_qp(NULL);
	two = open_descriptors() - before;
	ok(first->context == second->context && first->pd != second->pd, "two queue pairs have one device");
	ok(two - one == 1, "the second one costs the descriptor of its channel");
	vbm_destroy_qp(first);
	ok(vbm_reset_qp(second) == 0, "the device stays open for the other one");
	vbm_destroy_qp(second);
	ok(open_descriptors() == before, "and is closed with the last one");
}

static void lives(void)
{
	struct vbm_domain *d = make_domain(NULL);
	struct vbm_qp_options o = in_domain(d);
	struct vbm_qp *q = make_qp(&o), *alone = make_qp(NULL);
	static char memory[64];
	struct ibv_mr *mr;

	ok(q->pd == d->pd && q->context == d->context && alone->context == d->context && alone->pd != d->pd,
	   "a queue pair in a domain has its objects");
	ok(memcmp(&q->local.gid, &d->place.gid, 16) == 0 && q->place.gid_index == d->place.gid_index,
	   "and its address");
	mr = ibv_reg_mr(d->pd, memory, sizeof(memory), IBV_ACCESS_LOCAL_WRITE);
	ok(vbm_destroy_domain(d) == EBUSY && strstr(d->error.msg, "1 queue pairs"),
	   "a domain with a queue pair is not destroyed");
	ok(mr && vbm_destroy_qp(q) == 0, "memory of the domain is in no queue pair's way");
	ok(vbm_destroy_domain(d) == EBUSY && strstr(d->error.msg, "ibv_dealloc_pd"), "but in the domain's");
	ibv_dereg_mr(mr);
	ok(vbm_destroy_domain(d) == 0 && vbm_destroy_domain(NULL) == 0, "when it is gone, the domain ends");
	vbm_destroy_qp(alone);
}

static void of_the_program(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = list && list[0] ? ibv_open_device(list[0]) : NULL;
	struct vbm_domain_options o, both;
	struct vbm_domain *d, *none;
	struct vbm_qp_options wrong;
	struct vbm_error err;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct vbm_qp *q;

	if (!context)
		die("no device");
	ibv_free_device_list(list);
	pd = ibv_alloc_pd(context);
	vbm_domain_options_init(&o);
	o.pd = pd;
	d = make_domain(&o);
	ok(d->pd == pd && d->context == context, "a domain of the program's protection domain");
	ok(vbm_destroy_domain(d) == 0 && ibv_dealloc_pd(pd) == 0, "leaves it to the program");
	vbm_domain_options_init(&o);
	o.context = context;
	d = make_domain(&o);
	ok(d->pd && d->context == context && d->pd->context == context, "a domain of the program's context");
	both = o;
	both.for_rdma_cm = 1;
	ok(vbm_create_domain(&none, &own.sa, &both, &err) == EINVAL && !none, "which is not librdmacm's");
	both.size = 0;
	ok(vbm_create_domain(&none, &own.sa, &both, &err) == EINVAL &&
	   vbm_create_domain(NULL, &own.sa, NULL, NULL) == EINVAL, "and other mistakes");
	cq = ibv_create_cq(context, 4, NULL, NULL, 0);
	wrong = in_domain(NULL);
	wrong.cq = cq;
	ok(vbm_create_qp(&q, &own.sa, &wrong, &err) == EINVAL && strstr(err.msg, "member cq"),
	   "a completion queue of another context is refused");
	wrong.domain = d;
	ok(vbm_create_qp(&q, &own.sa, &wrong, &err) == 0 && q->cq == cq && !q->channel, "of this one it is taken");
	vbm_destroy_qp(q);
	ok(vbm_destroy_domain(d) == 0 && ibv_destroy_cq(cq) == 0 && ibv_close_device(context) == 0,
	   "and is the program's afterwards");
}

static void elsewhere(void)
{
	struct sockaddr_in other = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct vbm_domain *d = make_domain(NULL), *none;
	struct vbm_qp_options o = in_domain(d);
	struct vbm_error err;
	struct vbm_qp *q;

	ok(vbm_create_domain(&none, (struct sockaddr *)&other, NULL, &err) == EADDRNOTAVAIL && !none,
	   "there is no domain of an address without a device");
	ok(vbm_create_qp(&q, (struct sockaddr *)&other, &o, &err) == EADDRNOTAVAIL && !q &&
	   strstr(err.msg, d->place.device), "nor a queue pair of such an address in a domain");
	ok(vbm_create_qp(&q, &own.sa, &o, &err) == 0, "of the domain's own address there is");
	vbm_destroy_qp(q);
	ok(vbm_destroy_domain(d) == 0, "and none is counted that was not made");
}

struct server {
	struct vbm_domain *domain;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_mr *mr;
	uint64_t table[ROWS];
	uint64_t mail[CLIENTS];
	struct vbm_qp *qp[CLIENTS];
};

struct client {
	struct vbm_qp *qp;
	struct ibv_mr *mr;
	uint64_t row, key;
};

static struct server server;
static struct client client[CLIENTS];

static void open_server(void)
{
	struct ibv_srq_init_attr srq = {.attr = {.max_wr = CLIENTS, .max_sge = 1}};
	struct vbm_recv recv = {.length = 8};
	struct vbm_qp_options o;

	server.domain = make_domain(NULL);
	server.channel = ibv_create_comp_channel(server.domain->context);
	server.cq = ibv_create_cq(server.domain->context, 2 * CLIENTS, NULL, server.channel, 0);
	server.srq = ibv_create_srq(server.domain->pd, &srq);
	server.mr = ibv_reg_mr(server.domain->pd, &server, sizeof(server),
			       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	if (!server.cq || !server.srq || !server.mr)
		die("no objects of the server");
	for (int i = 0; i < CLIENTS; i++) {
		recv.addr = &server.mail[i];
		recv.wr_id = (uint64_t)i;
		recv.lkey = server.mr->lkey;
		if (vbm_post_srq_recvs(server.srq, &recv, 1, NULL))
			die("no receive");
	}
	for (uint64_t i = 0; i < ROWS; i++)
		server.table[i] = i * 1000 + 7;
	o = in_domain(server.domain);
	o.cq = server.cq;
	o.srq = server.srq;
	for (int i = 0; i < CLIENTS; i++)
		server.qp[i] = make_qp(&o);
}

static void open_clients(struct vbm_domain *d)
{
	struct vbm_qp_options o = in_domain(d);

	for (int i = 0; i < CLIENTS; i++) {
		client[i].qp = make_qp(&o);
		client[i].mr = i ? client[0].mr : ibv_reg_mr(d->pd, client, sizeof(client), IBV_ACCESS_LOCAL_WRITE);
		if (!client[i].mr)
			die("no memory region");
	}
}

/* All outcomes are good; the client of @context keeps the key that the server has told. */
static bool collect(struct vbm_negotiator *n, struct vbm_outcome *o, int wanted)
{
	int have = 0, count;

	while (have < wanted) {
		if (vbm_negotiator_wait(n, o + have, wanted - have, WAIT_MS, &count))
			return false;
		have += count;
	}
	for (int i = 0; i < wanted; i++)
		if (o[i].result)
			return false;
	return true;
}

/* Each client learns the one key of the table with the server's answer. */
static bool connect_all(struct vbm_outcome *o)
{
	uint32_t key = server.mr->rkey;
	struct vbm_listen_options options;
	struct vbm_negotiator *n;
	int listener, i;
	bool good;

	vbm_listen_options_init(&options);
	options.handshake.private_data = &key;
	options.handshake.private_length = sizeof(key);
	options.handshake.timeout_ms = WAIT_MS;
	if (vbm_create_negotiator(&n, NULL, NULL))
		die("no negotiator");
	good = !vbm_negotiator_listen(n, &own.sa, &options, NULL, &listener) && collect(n, o, 1);
	for (i = 0; good && i < CLIENTS; i++)
		good = !vbm_negotiator_offer(n, listener, server.qp[i], NULL) &&
		       !vbm_negotiator_connect(n, client[i].qp, (struct sockaddr *)&o[0].address, NULL, &client[i]);
	good = good && collect(n, o, 2 * CLIENTS);
	for (i = 0; good && i < 2 * CLIENTS; i++)
		if (o[i].context)
			memcpy(&((struct client *)o[i].context)->key, o[i].peer.private_data, sizeof(key));
	vbm_destroy_negotiator(n);
	return good;
}

static bool completes(struct vbm_qp *q)
{
	struct ibv_wc wc;
	int n;

	return !vbm_wait_completions(q, &wc, 1, WAIT_MS, &n) && wc.status == IBV_WC_SUCCESS;
}

static bool reads_its_row(struct client *c, size_t row)
{
	struct vbm_send read = {
		.opcode = IBV_WR_RDMA_READ, .flags = IBV_SEND_SIGNALED, .addr = &c->row, .length = 8,
		.lkey = c->mr->lkey, .rkey = (uint32_t)c->key, .remote_addr = (uintptr_t)&server.table[row],
	};

	return !vbm_post_sends(c->qp, &read, 1, NULL) && completes(c->qp) && c->row == server.table[row];
}

static bool sends_its_row(struct client *c)
{
	struct vbm_send send = {
		.opcode = IBV_WR_SEND, .flags = IBV_SEND_SIGNALED, .addr = &c->row, .length = 8, .lkey = c->mr->lkey,
	};

	return !vbm_post_sends(c->qp, &send, 1, NULL) && completes(c->qp);
}

/* The server polls one queue, and the completions say whose they are. */
static bool hears_from_all(void)
{
	bool heard[CLIENTS] = {false};
	struct ibv_wc wc[16];
	int got = 0, n, i, k;

	while (got < CLIENTS) {
		if (vbm_poll_completions(server.qp[got], wc, 16, &n))
			return false;
		for (i = 0; i < n; i++) {
			for (k = 0; k < CLIENTS && server.qp[k]->local.qp_num != wc[i].qp_num; k++)
				;
			if (k == CLIENTS || heard[k] || wc[i].status)
				return false;
			heard[k] = true;
		}
		got += n;
	}
	return true;
}

static void close_all(struct vbm_domain *clients, const struct vbm_outcome *o)
{
	bool good = true;

	for (int i = 0; i < 2 * CLIENTS; i++)
		if (o[i].socket >= 0)
			close(o[i].socket);
	for (int i = 0; i < CLIENTS; i++)
		good = !vbm_destroy_qp(server.qp[i]) && !vbm_destroy_qp(client[i].qp) && good;
	good = !ibv_dereg_mr(client[0].mr) && !ibv_dereg_mr(server.mr) && !ibv_destroy_srq(server.srq) &&
	       !ibv_destroy_cq(server.cq) && !ibv_destroy_comp_channel(server.channel) && good;
	ok(good && !vbm_destroy_domain(clients) && !vbm_destroy_domain(server.domain), "all of it ends");
}

static void a_hundred_clients(void)
{
	static struct vbm_outcome o[2 * CLIENTS];
	int before = open_descriptors(), made;
	struct vbm_domain *clients;
	bool good = true;
	int i, n = 0;
	struct ibv_wc wc;

	open_server();
	made = open_descriptors() - before;
	ok(made <= 4, "a hundred queue pairs of a server share their descriptors");
	if (made > 4)
		printf("# %d descriptors\n", made);
	clients = make_domain(NULL);
	open_clients(clients);
	ok(connect_all(o), "a hundred clients connect");
	made = open_descriptors() - before;
	ok(made <= 4 + 2 * CLIENTS + CLIENTS, "each end has a socket, and a client its channel");
	if (made > 4 + 3 * CLIENTS)
		printf("# %d descriptors\n", made);
	for (i = 0; i < CLIENTS; i++)
		good = reads_its_row(&client[i], (size_t)i % ROWS) && good;
	ok(good, "each reads the table, which is registered once and has one key");
	for (i = 0; i < CLIENTS; i++)
		good = sends_its_row(&client[i]) && good;
	ok(good && hears_from_all(), "the server has a message of each in one completion queue");
	ok(vbm_wait_completions(server.qp[0], &wc, 1, 0, &n) == EOPNOTSUPP,
	   "which no single queue pair waits for");
	close_all(clients, o);
	ok(open_descriptors() == before, "no descriptor is left");
}

static void *dial(void *arg)
{
	struct vbm_endpoint *ep = arg;

	return vbm_connect(ep, node, PORT) ? arg : NULL;
}

/* Both ends of an endpoint in a domain, by one of the ways. */
static void endpoints(enum vbm_way way, struct vbm_domain *d, const char *what)
{
	struct vbm_endpoint *listener, *ep, *request = NULL;
	struct vbm_endpoint_options o;
	struct vbm_error err;
	pthread_t thread;
	void *failed;
	bool good;

	vbm_endpoint_options_init(&o);
	o.way = way;
	o.timeout_ms = WAIT_MS;
	o.qp.domain = d;
	if (vbm_create_endpoint(&listener, &o, &err) || vbm_create_endpoint(&ep, &o, &err))
		die(err.msg);
	if (vbm_listen(listener, node, PORT) || pthread_create(&thread, NULL, dial, ep))
		die(listener->error.msg);
	good = !vbm_get_request(listener, &request, WAIT_MS) && !vbm_accept(request, NULL, 0);
	pthread_join(thread, &failed);
	ok(good && !failed && ep->qp->pd == d->pd && request->qp->pd == d->pd, what);
	if (failed)
		printf("# %s\n", ep->error.msg);
	vbm_destroy_endpoint(ep);
	vbm_destroy_endpoint(request);
	vbm_destroy_endpoint(listener);
}

static void by_both_ways(void)
{
	const struct sockaddr_in nobody = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0xc000024d)};
	struct vbm_domain *plain = make_domain(NULL), *d, *none;
	struct vbm_domain_options o;
	struct vbm_endpoint_options eo;
	struct vbm_endpoint *ep;
	struct vbm_error err;
	unsigned long long before;

	endpoints(VBM_WAY_HANDSHAKE, plain, "endpoints by the handshake in a domain");
	vbm_domain_options_init(&o);
	o.for_rdma_cm = 1;
	before = vbm_count_failures();
	d = make_domain(&o);
	ok(vbm_count_failures() == before, "a domain that is made has no failure");
	ok(vbm_create_domain(&none, (const struct sockaddr *)&nobody, &o, &err) == EADDRNOTAVAIL && !none &&
	   strstr(err.msg, "no RDMA device has") && vbm_count_failures() == before + 1,
	   "an address that no device has is one failure");
	ok(d->context != plain->context && d->pd->context == d->context, "librdmacm has its own context");
	endpoints(VBM_WAY_RDMA_CM, d, "endpoints by rdma_cm in a domain for it");
	endpoints(VBM_WAY_HANDSHAKE, d, "which suits the handshake, too");
	vbm_endpoint_options_init(&eo);
	eo.qp.domain = plain;
	if (vbm_create_endpoint(&ep, &eo, &err))
		die(err.msg);
	ok(vbm_connect(ep, node, PORT) == EINVAL && strstr(ep->error.msg, "for_rdma_cm"),
	   "another domain is refused there, with the reason");
	vbm_destroy_endpoint(ep);
	ok(vbm_destroy_domain(d) == 0 && vbm_destroy_domain(plain) == 0, "and all domains end");
}

int main(int argc, char **argv)
{
	own.in.sin_family = AF_INET;
	if (argc != 2 || inet_pton(AF_INET, argv[1], &own.in.sin_addr) != 1) {
		own.in6 = (struct sockaddr_in6){.sin6_family = AF_INET6};
		if (argc != 2 || inet_pton(AF_INET6, argv[1], &own.in6.sin6_addr) != 1) {
			fputs("usage: domain-program ADDRESS\n", stderr);
			return 2;
		}
	}
	node = argv[1];
	devices_are_open_once();
	lives();
	of_the_program();
	elsewhere();
	a_hundred_clients();
	by_both_ways();
	return end_points();
}
