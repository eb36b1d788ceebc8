/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connections of libverbatim on a host's RDMA device, by both ways: one point of
 * TAP for each promise of verbatim/endpoint.h.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../help/descriptors.h"
#include "endpoint-program.h"
#include "net/nl.h"

const char *self, *nobody, *rdma_device;
enum vbm_way way;

static const char *name_of_way(void)
{
	return by_cm() ? "rdma_cm" : "handshake";
}

struct vbm_endpoint_options usual(void)
{
	struct vbm_endpoint_options o;

	vbm_endpoint_options_init(&o);
	o.way = way;
	o.timeout_ms = PATIENCE_MS;
	return o;
}

struct vbm_endpoint *create(const struct vbm_endpoint_options *o)
{
	struct vbm_error error;
	struct vbm_endpoint *ep;

	if (vbm_create_endpoint(&ep, o, &error))
		die(error.msg);
	return ep;
}

struct vbm_endpoint *listener_of(const struct vbm_endpoint_options *o, const char *node)
{
	struct vbm_endpoint *ep = create(o);

	if (vbm_listen(ep, node, PORT))
		die(ep->error.msg);
	return ep;
}

static void *call(void *arg)
{
	struct call *c = arg;

	c->result = vbm_connect(c->ep, self, c->port);
	return NULL;
}

void dial(struct call *c, const struct vbm_endpoint_options *o, const char *port)
{
	*c = (struct call){.ep = create(o), .port = port};
	if (pthread_create(&c->thread, NULL, call, c))
		die("no thread");
}

int dialled(struct call *c)
{
	pthread_join(c->thread, NULL);
	return c->result;
}

bool returns(const struct vbm_endpoint *ep, int result, int wanted)
{
	if (result != wanted)
		printf("# %d, not %d: %s\n", result, wanted, ep ? ep->error.msg : "there is no endpoint");
	return result == wanted;
}

bool make_pair(struct pair *p, const struct vbm_endpoint_options *o)
{
	struct call c;
	bool good;

	*p = (struct pair){.listener = listener_of(o, self)};
	dial(&c, o, PORT);
	p->client = c.ep;
	good = returns(p->listener, vbm_get_request(p->listener, &p->server, PATIENCE_MS), 0);
	if (good)
		good = returns(p->server, vbm_accept(p->server, NULL, 0), 0);
	return returns(p->client, dialled(&c), 0) && good;
}

void end_pair(struct pair *p)
{
	vbm_destroy_endpoint(p->client);
	vbm_destroy_endpoint(p->server);
	vbm_destroy_endpoint(p->listener);
}

enum ibv_qp_state state_of(const struct vbm_endpoint *ep)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return !ep->qp || ibv_query_qp(ep->qp->qp, &attr, IBV_QP_STATE, &init) ? IBV_QPS_UNKNOWN :
									     attr.qp_state;
}

static bool completed(struct vbm_endpoint *ep)
{
	struct ibv_wc wc;
	int n;

	return !vbm_wait_completions(ep->qp, &wc, 1, PATIENCE_MS, &n) && wc.status == IBV_WC_SUCCESS;
}

/* Eight bytes from @from to @to. */
static bool carries(struct vbm_endpoint *from, struct vbm_endpoint *to)
{
	static uint64_t memory[2];
	struct ibv_mr *out = ibv_reg_mr(from->qp->pd, &memory[0], 8, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *in = ibv_reg_mr(to->qp->pd, &memory[1], 8, IBV_ACCESS_LOCAL_WRITE);
	struct vbm_recv recv = {.addr = &memory[1], .length = 8, .lkey = in ? in->lkey : 0};
	struct vbm_send send = {
		.opcode = IBV_WR_SEND, .flags = IBV_SEND_SIGNALED, .addr = &memory[0], .length = 8,
		.lkey = out ? out->lkey : 0,
	};
	bool good;

	memory[0]++;
	good = out && in && !vbm_post_recvs(to->qp, &recv, 1, NULL) &&
	       !vbm_post_sends(from->qp, &send, 1, NULL) && completed(to) && completed(from) &&
	       memory[1] == memory[0];
	if (out)
		ibv_dereg_mr(out);
	if (in)
		ibv_dereg_mr(in);
	return good;
}

bool still_serves(struct vbm_endpoint *listener)
{
	struct vbm_endpoint_options o = usual();
	struct vbm_endpoint *server = NULL;
	struct call c;
	bool good;

	dial(&c, &o, PORT);
	good = returns(listener, vbm_get_request(listener, &server, PATIENCE_MS), 0);
	if (good)
		good = returns(server, vbm_accept(server, NULL, 0), 0);
	good = returns(c.ep, dialled(&c), 0) && good;
	good = good && carries(c.ep, server);
	vbm_destroy_endpoint(c.ep);
	vbm_destroy_endpoint(server);
	return good;
}

static bool knows(const struct vbm_qp *q, const struct vbm_qp *peer)
{
	return q->peer.qp_num == peer->local.qp_num &&
	       memcmp(&q->peer.gid, &peer->local.gid, sizeof(q->peer.gid)) == 0;
}

static void connects(void)
{
	struct vbm_endpoint_options o = usual();
	struct pair p;
	bool good;

	good = make_pair(&p, &o);
	ok(good && p.client->state == VBM_ENDPOINT_CONNECTED &&
	   p.server->state == VBM_ENDPOINT_CONNECTED, "two ends connect");
	if (!good)
		return;
	ok(state_of(p.client) == IBV_QPS_RTS && state_of(p.server) == IBV_QPS_RTS, "both are in RTS");
	ok(knows(p.client->qp, p.server->qp) && knows(p.server->qp, p.client->qp),
	   "each knows the other");
	ok(!p.client->id == !by_cm() && !p.server->id == !by_cm() &&
	   (p.client->socket >= 0) == !by_cm(), "what is underneath is the way's");
	ok(p.client->qp->options.rnr_retry == 6 && p.server->qp->options.rnr_retry == 6,
	   "a receive that is missing does not hang either");
	ok(carries(p.client, p.server) && carries(p.server, p.client), "messages go both ways");
	ok(vbm_connect(p.client, self, PORT) == EINVAL && vbm_listen(p.client, self, PORT) == EINVAL &&
	   vbm_accept(p.client, NULL, 0) == EINVAL, "a connection is not begun again");
	ok(vbm_wait_disconnect(p.server, 10) == ETIMEDOUT, "it does not end by itself");
	vbm_destroy_endpoint(p.client);
	p.client = NULL;
	ok(returns(p.server, vbm_wait_disconnect(p.server, PATIENCE_MS), 0) &&
	   p.server->state == VBM_ENDPOINT_DISCONNECTED && state_of(p.server) == IBV_QPS_ERR,
	   "an end that is destroyed ends it");
	ok(vbm_disconnect(p.server) == 0 && vbm_wait_disconnect(p.server, 0) == 0,
	   "what has ended can be ended");
	ok(vbm_reset_qp(p.server->qp) == (by_cm() ? EOPNOTSUPP : 0) &&
	   state_of(p.server) == (by_cm() ? IBV_QPS_ERR : IBV_QPS_INIT),
	   "the queue pair can be used again, unless rdma_cm has it");
	ok(still_serves(p.listener), "the listener still serves");
	end_pair(&p);
}

static bool has_terms(const struct vbm_endpoint *ep, int max_rd_atomic, int max_dest_rd_atomic)
{
	const struct vbm_qp_terms *t = &ep->qp->terms;
	bool good = t->max_rd_atomic == max_rd_atomic && t->max_dest_rd_atomic == max_dest_rd_atomic;

	if (!good)
		printf("# terms: %d/%d, not %d/%d\n", t->max_rd_atomic, t->max_dest_rd_atomic, max_rd_atomic,
		       max_dest_rd_atomic);
	return good;
}

/* The server is willing to have 4 and 8, the client 2 and 16; the client's MTU is the smaller. */
static void agrees(void)
{
	struct vbm_endpoint_options o = usual(), asks = usual();
	struct vbm_qp_terms *server, *client;
	struct pair p = {NULL};
	struct call c;
	bool good;

	o.qp.max_rd_atomic = 4;
	o.qp.max_dest_rd_atomic = 8;
	asks.qp.max_rd_atomic = 2;
	asks.qp.max_dest_rd_atomic = 16;
	asks.qp.mtu = 512;
	p.listener = listener_of(&o, self);
	dial(&c, &asks, PORT);
	p.client = c.ep;
	good = returns(p.listener, vbm_get_request(p.listener, &p.server, PATIENCE_MS), 0) &&
	       returns(p.server, vbm_accept(p.server, NULL, 0), 0);
	good = returns(p.client, dialled(&c), 0) && good;
	ok(good && has_terms(p.server, 4, 2) && has_terms(p.client, 2, 4), "the smaller number holds for both");
	server = &p.server->qp->terms;
	client = &p.client->qp->terms;
	ok(server->mtu == client->mtu && (by_cm() ? client->mtu >= 256 : client->mtu == 512) &&
	   server->sq_psn == client->rq_psn && server->rq_psn == client->sq_psn,
	   "and the MTU and the packet numbers are each other's");
	ok(p.server->qp->options.max_rd_atomic == 4 && p.server->qp->options.max_dest_rd_atomic == 8 &&
	   p.client->qp->options.max_rd_atomic == 2 && p.client->qp->options.max_dest_rd_atomic == 16,
	   "the options keep what each end asked for");
	end_pair(&p);
}

/* Numbers beyond the device's: 200 is one that rdma_connect(3) refuses. */
static void agrees_to_the_most(void)
{
	struct vbm_endpoint_options o = usual();
	struct ibv_device_attr device;
	struct pair p;
	int most;

	for (most = 200; most <= 255; most += 55) {
		o.qp.max_rd_atomic = o.qp.max_dest_rd_atomic = (uint8_t)most;
		ok(make_pair(&p, &o) && !ibv_query_device(p.client->qp->context, &device) &&
		   has_terms(p.server, device.max_qp_init_rd_atom, device.max_qp_init_rd_atom) &&
		   has_terms(p.client, device.max_qp_init_rd_atom, device.max_qp_init_rd_atom) &&
		   p.client->qp->options.max_rd_atomic == device.max_qp_init_rd_atom,
		   "more than the device can have is as many as it can");
		end_pair(&p);
	}
}

/* The client knows where its peer is; the peer learns that from what arrives. */
static bool datagram(struct vbm_endpoint *from, struct vbm_endpoint *to)
{
	static char memory[40 + 8];	/* the GRH goes first */
	struct ibv_mr *in = ibv_reg_mr(to->qp->pd, memory, sizeof(memory), IBV_ACCESS_LOCAL_WRITE);
	struct vbm_recv recv = {.addr = memory, .length = sizeof(memory), .lkey = in ? in->lkey : 0};
	struct vbm_send send = {
		.opcode = IBV_WR_SEND, .flags = IBV_SEND_SIGNALED, .ah = from->ah,
		.remote_qpn = from->qp->peer.qp_num, .remote_qkey = from->remote_qkey,
	};
	bool good = in && !vbm_post_recvs(to->qp, &recv, 1, NULL) &&
		    !vbm_post_sends(from->qp, &send, 1, NULL) && completed(from) && completed(to);

	if (in)
		ibv_dereg_mr(in);
	return good;
}

static void datagrams(void)
{
	struct vbm_endpoint_options o = usual();
	struct vbm_endpoint *server;
	struct call c;
	struct pair p;

	o.qp.qp_type = IBV_QPT_UD;
	ok(make_pair(&p, &o) && p.client->ah && state_of(p.client) == IBV_QPS_RTS &&
	   state_of(p.server) == IBV_QPS_RTS, "datagrams: two ends find each other");
	ok(p.client->ah && p.client->qp->peer.qp_num == p.server->qp->local.qp_num &&
	   datagram(p.client, p.server), "and a message arrives");
	ok(vbm_disconnect(p.client) == 0 && p.client->state == VBM_ENDPOINT_DISCONNECTED,
	   "there is nobody to tell of the end");
	vbm_destroy_endpoint(p.client);
	dial(&c, &o, PORT);
	p.client = c.ep;
	ok(returns(p.listener, vbm_get_request(p.listener, &server, PATIENCE_MS), 0) &&
	   returns(server, vbm_reject(server, "no", 2), 0), "a request is rejected");
	ok(returns(c.ep, dialled(&c), ECONNREFUSED), "and the peer learns it");
	vbm_destroy_endpoint(server);
	end_pair(&p);
}

/* The default of this host's IPv6 sockets. */
static void set_bindv6only(const char *value)
{
	FILE *f = fopen("/proc/sys/net/ipv6/bindv6only", "w");

	if (!f || fputs(value, f) < 0 || fclose(f))
		die("no bindv6only");
}

static void listens_everywhere(void)
{
	struct vbm_endpoint_options o = usual();
	struct vbm_endpoint *listener = listener_of(&o, NULL), *other = create(&o);

	ok(still_serves(listener), "a listener on every address serves this one");
	/* The kernel's rdma_cm has this code where a wildcard has the port. */
	ok(returns(other, vbm_listen(other, self, PORT), by_cm() ? EADDRNOTAVAIL : EADDRINUSE) &&
	   other->state == VBM_ENDPOINT_FAILED, "the port is taken then");
	vbm_destroy_endpoint(other);
	vbm_destroy_endpoint(listener);
	set_bindv6only("1");
	listener = listener_of(&o, NULL);
	set_bindv6only("0");
	ok(still_serves(listener), "also where IPv6 sockets are for IPv6 only");
	vbm_destroy_endpoint(listener);
	listener = listener_of(&o, self);
	other = create(&o);
	ok(returns(other, vbm_listen(other, self, PORT), EADDRINUSE), "as it is by one of this address");
	vbm_destroy_endpoint(other);
	vbm_destroy_endpoint(listener);
	other = create(&o);
	ok(returns(other, vbm_listen(other, nobody, PORT), EADDRNOTAVAIL),
	   "another host's address is none to listen on");
	vbm_destroy_endpoint(other);
}

static void refused(void)
{
	struct vbm_endpoint_options o = usual();
	struct vbm_endpoint *ep;
	struct vbm_error error;

	ok(vbm_create_endpoint(NULL, NULL, NULL) == EINVAL && vbm_connect(NULL, self, PORT) == EINVAL &&
	   vbm_listen(NULL, self, PORT) == EINVAL && vbm_get_request(NULL, &ep, 0) == EINVAL &&
	   vbm_accept(NULL, NULL, 0) == EINVAL && vbm_reject(NULL, NULL, 0) == EINVAL &&
	   vbm_disconnect(NULL) == EINVAL && vbm_wait_disconnect(NULL, 0) == EINVAL &&
	   vbm_endpoint_event(NULL, NULL, NULL) == EINVAL && vbm_endpoint_timeout(NULL) == -1 &&
	   vbm_migrate_endpoint(NULL, NULL) == EINVAL && vbm_destroy_endpoint(NULL) == 0,
	   "NULL is EINVAL");
	ep = create(&o);
	ok(vbm_accept(ep, NULL, 0) == EINVAL && vbm_get_request(ep, &ep, 0) == EINVAL && !ep,
	   "an endpoint at rest has no requests");
	ep = create(&o);
	ok(vbm_disconnect(ep) == ENOTCONN && vbm_wait_disconnect(ep, 0) == ENOTCONN,
	   "and no connection");
	vbm_destroy_endpoint(ep);
	o.qp.qp_type = by_cm() ? IBV_QPT_UC : IBV_QPT_UD;
	ok(vbm_create_endpoint(&ep, &o, &error) == EPROTOTYPE && !ep, "a type that is not this way's");
	o = usual();
	o.private_data_len = 1;
	ok(vbm_create_endpoint(&ep, &o, &error) == EINVAL && !ep, "private data that are nowhere");
	o.way = (enum vbm_way)7;
	ok(vbm_create_endpoint(&ep, &o, &error) == EINVAL && !ep, "a way that is none");
}

struct world {
	int descriptors;
	struct rdma_resources made;
};

static struct world look_around(void)
{
	struct world w = {.descriptors = 0};
	struct netlink *nl = NULL;
	struct vbm_error err;
	uint32_t index;

	if (netlink_open(&nl, -1, &err) || netlink_rdma_find(nl, rdma_device, &index, &err) ||
	    netlink_rdma_resources(nl, index, &w.made, &err))
		die(err.msg);
	netlink_close(nl);
	w.descriptors = open_descriptors();
	return w;
}

static void group(void (*points)(void), const char *what)
{
	struct world before = look_around(), after;
	char text[80];
	bool same;

	points();
	after = look_around();
	same = memcmp(&before, &after, sizeof(before)) == 0;
	if (!same)
		printf("# descriptors %d %d, qp %u %u, cq %u %u, mr %u %u, pd %u %u, cm_id %u %u\n",
		       before.descriptors, after.descriptors, before.made.qp, after.made.qp,
		       before.made.cq, after.made.cq, before.made.mr, after.made.mr,
		       before.made.pd, after.made.pd, before.made.cm_id, after.made.cm_id);
	snprintf(text, sizeof(text), "nothing is left of %s", what);
	ok(same, text);
}

/* librdmacm keeps each device open that it has had to do with, from then on. */
static void warm_up(void)
{
	struct vbm_endpoint_options o;
	struct pair p;

	rdma_free_devices(rdma_get_devices(NULL));
	way = VBM_WAY_RDMA_CM;
	o = usual();
	if (!make_pair(&p, &o))
		die("no connection at all");
	end_pair(&p);
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fputs("usage: endpoint-program ADDRESS NOBODY DEVICE [ROLE WAY]\n", stderr);
		return 2;
	}
	self = argv[1];
	nobody = argv[2];
	rdma_device = argv[3];
	points_about = name_of_way;
	if (argc == 6) {
		way = atoi(argv[5]) ? VBM_WAY_HANDSHAKE : VBM_WAY_RDMA_CM;
		return strcmp(argv[4], "cuts") && strcmp(argv[4], "lets") ? peer(argv[4]) : cut_cable(argv[4]);
	}
	warm_up();
	for (way = VBM_WAY_RDMA_CM; way <= VBM_WAY_HANDSHAKE; way++) {
		group(refused, "what is refused");
		group(connects, "a connection");
		group(agrees, "an agreement");
		group(agrees_to_the_most, "an agreement to the most");
		group(listens_everywhere, "listeners");
		if (by_cm())
			group(datagrams, "datagrams");
		group(ends, "connections that fail");
		group(killed, "peers that are killed");
		group(channels, "channels");
		group(loops, "loops");
		group(options, "options");
		group(shortage, "scarcity");
	}
	for (way = VBM_WAY_RDMA_CM; way <= VBM_WAY_HANDSHAKE; way++)
		group(cycles, "cycles");
	for (way = VBM_WAY_RDMA_CM; way <= VBM_WAY_HANDSHAKE; way++)
		group(device_fails, "ports");
	way = VBM_WAY_RDMA_CM;
	device_goes();
	return end_points();
}
