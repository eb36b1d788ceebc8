/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of endpoint-program whose events come by the program's channel. */
#include <errno.h>
#include <poll.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <verbatim/negotiator.h>
#include <verbatim/resolve.h>

#include "endpoint-program.h"

#define SHORT_MS 300

static struct rdma_event_channel *channel(void)
{
	struct rdma_event_channel *ec = rdma_create_event_channel();

	if (!ec)
		die("no channel");
	return ec;
}

static struct vbm_endpoint_options on(struct rdma_event_channel *ec)
{
	struct vbm_endpoint_options o = usual();

	o.channel = ec;
	return o;
}

static int (*fetch)(struct rdma_event_channel *ec, struct rdma_cm_event **event) = vbm_get_cm_event;

/* One event for whomever it is; a request is put into *@request. The result of the step. */
static int step(struct rdma_event_channel *ec, struct vbm_endpoint **request)
{
	struct vbm_endpoint *ep, *arrived;
	struct rdma_cm_event *event;
	int rc;

	if (fetch(ec, &event))
		return -1;
	ep = event->id->context;
	rc = vbm_endpoint_event(ep, event, &arrived);
	if (arrived && request)
		*request = arrived;
	return rc;
}

/* Events until @ep is in @state; what the last step returned. */
static int until(struct rdma_event_channel *ec, const struct vbm_endpoint *ep,
		 enum vbm_endpoint_state state)
{
	int rc = 0;

	while (rc == 0 && ep->state != state)
		rc = step(ec, NULL);
	return rc;
}

/* Both ends on one channel, where everything but calls happens. */
static bool connects(struct rdma_event_channel *ec, const struct vbm_endpoint_options *o,
		     struct pair *p)
{
	struct vbm_endpoint_options no_list = *o;

	no_list.list = NULL;
	*p = (struct pair){.listener = listener_of(&no_list, self), .client = create(o)};
	if (vbm_connect(p->client, self, PORT) ||
	    p->client->state != (o->list ? VBM_ENDPOINT_RESOLVING_ADDR : VBM_ENDPOINT_TRANSLATING))
		return false;
	while (!p->server && step(ec, &p->server) == 0)
		;
	return p->server && p->server->state == VBM_ENDPOINT_REQUESTED &&
	       vbm_accept(p->server, NULL, 0) == 0 && p->server->state == VBM_ENDPOINT_ACCEPTING &&
	       until(ec, p->client, VBM_ENDPOINT_CONNECTED) == 0 &&
	       until(ec, p->server, VBM_ENDPOINT_CONNECTED) == 0;
}

static void by_events(void)
{
	struct rdma_event_channel *ec = channel();
	struct vbm_endpoint_options o = on(ec);
	struct vbm_endpoint *none;
	struct pair p;

	ok(connects(ec, &o, &p), "events connect both ends");
	ok(vbm_endpoint_timeout(p.client) == -1 && vbm_endpoint_timeout(p.listener) == -1,
	   "nothing is due then");
	ok(vbm_get_request(p.listener, &none, 0) == EINVAL &&
	   vbm_wait_disconnect(p.client, 0) == EINVAL, "to wait is for those without a channel");
	ok(vbm_disconnect(p.client) == 0 && p.client->state == VBM_ENDPOINT_DISCONNECTING &&
	   vbm_endpoint_timeout(p.client) > 0, "to disconnect begins");
	ok(until(ec, p.client, VBM_ENDPOINT_DISCONNECTED) == 0 &&
	   until(ec, p.server, VBM_ENDPOINT_DISCONNECTED) == 0 &&
	   state_of(p.server) == IBV_QPS_ERR, "and events end it at both ends");
	end_pair(&p);
	rdma_destroy_event_channel(ec);
}

/* With a list nothing of the library's own comes by the channel: rdma_cm's call will do. */
static void further_address(void)
{
	struct rdma_event_channel *ec = channel();
	struct vbm_endpoint_options o = on(ec);
	struct rdma_addrinfo *list, *second;
	struct pair p;

	if (vbm_getaddrinfo(self, OTHER_PORT, NULL, &list) ||
	    vbm_getaddrinfo(self, PORT, NULL, &second))
		return;
	list->ai_next = second;
	o.list = list;
	fetch = rdma_get_cm_event;
	ok(connects(ec, &o, &p), "events of rdma_cm alone try the next address of a list");
	fetch = vbm_get_cm_event;
	vbm_freeaddrinfo(list);
	end_pair(&p);
	rdma_destroy_event_channel(ec);
}

static void fails_by_events(void)
{
	struct rdma_event_channel *ec = channel();
	struct vbm_endpoint_options o = on(ec);
	struct vbm_endpoint *l = listener_of(&o, self), *ep = create(&o), *none;
	struct pollfd p = {.fd = ec->fd, .events = POLLIN};
	struct rdma_cm_event *event = NULL;

	ok(vbm_connect(ep, self, "no-such-service") == 0 &&
	   until(ec, ep, VBM_ENDPOINT_FAILED) == ENOENT, "a service that is none fails by an event");
	vbm_destroy_endpoint(ep);
	ep = create(&o);
	ok(vbm_connect(ep, self, OTHER_PORT) == 0 &&
	   until(ec, ep, VBM_ENDPOINT_FAILED) == ECONNREFUSED && ep->reason == 8,
	   "so does a port where nobody listens");
	vbm_destroy_endpoint(ep);
	o.timeout_ms = SHORT_MS;
	ep = create(&o);
	vbm_connect(ep, self, PORT);
	ok(until(ec, ep, VBM_ENDPOINT_CONNECTING) == 0 && vbm_endpoint_timeout(ep) <= SHORT_MS &&
	   !vbm_get_cm_event(ec, &event) && event->event == RDMA_CM_EVENT_CONNECT_REQUEST,
	   "the request of another is not answered");
	ok(vbm_endpoint_event(ep, event, &none) == EINVAL && vbm_endpoint_event(l, event, NULL) == EINVAL,
	   "an event goes to the endpoint that it is for");
	rdma_reject(event->id, NULL, 0);
	rdma_destroy_id(event->id);
	vbm_ack_cm_event(event);
	ok(until(ec, ep, VBM_ENDPOINT_FAILED) == ECONNREFUSED && ep->reason == 28, "and is refused");
	vbm_destroy_endpoint(ep);
	ep = create(&o);
	vbm_connect(ep, nobody, PORT);
	while (vbm_endpoint_timeout(ep) > 0)
		if (poll(&p, 1, vbm_endpoint_timeout(ep)) == 1)
			step(ec, NULL);
	if (ep->state != VBM_ENDPOINT_FAILED)
		ok(vbm_endpoint_event(ep, NULL, NULL) == ETIMEDOUT, "the time is up: ETIMEDOUT");
	ok(ep->state == VBM_ENDPOINT_FAILED && ep->error.code == ETIMEDOUT, "and it has failed");
	vbm_destroy_endpoint(ep);
	ep = create(&o);
	ok(vbm_connect(ep, self, PORT) == 0 && vbm_destroy_endpoint(ep) == 0,
	   "what is under way is cancelled");
	vbm_destroy_endpoint(l);
	rdma_destroy_event_channel(ec);
}

static void migrates(void)
{
	struct rdma_event_channel *one = channel(), *two = channel();
	struct vbm_endpoint_options o = usual();
	struct vbm_endpoint *ep = create(&o);
	struct pair p;

	ok(make_pair(&p, &o) && vbm_migrate_endpoint(p.client, one) == 0 &&
	   p.client->id->channel == one, "an endpoint moves to a channel");
	ok(vbm_migrate_endpoint(p.client, two) == 0 && p.client->id->channel == two, "and to another");
	ok(vbm_disconnect(p.client) == 0 && vbm_migrate_endpoint(p.client, NULL) == EBUSY &&
	   returns(p.server, vbm_wait_disconnect(p.server, PATIENCE_MS), 0) &&
	   until(two, p.client, VBM_ENDPOINT_DISCONNECTED) == 0, "where its events come then");
	end_pair(&p);
	o.channel = one;
	ok(connects(one, &o, &p) && vbm_migrate_endpoint(p.server, NULL) == 0 &&
	   vbm_migrate_endpoint(p.listener, NULL) == 0, "from a channel to calls that wait");
	ok(vbm_disconnect(p.client) == 0 &&
	   returns(p.server, vbm_wait_disconnect(p.server, PATIENCE_MS), 0) &&
	   until(one, p.client, VBM_ENDPOINT_DISCONNECTED) == 0, "which do");
	ok(still_serves(p.listener), "the listener, too");
	end_pair(&p);
	ok(vbm_migrate_endpoint(ep, one) == 0 && vbm_connect(ep, self, OTHER_PORT) == 0 &&
	   until(one, ep, VBM_ENDPOINT_FAILED) == ECONNREFUSED, "before anything else, too");
	vbm_destroy_endpoint(ep);
	rdma_destroy_event_channel(one);
	rdma_destroy_event_channel(two);
}

static void no_channels(void)
{
	struct rdma_event_channel *ec = channel();
	struct vbm_endpoint_options o = on(ec);
	struct vbm_endpoint *ep;

	ok(vbm_create_endpoint(&ep, &o, NULL) == EOPNOTSUPP && !ep, "has no event channel");
	o.channel = NULL;
	ep = create(&o);
	ok(vbm_migrate_endpoint(ep, ec) == EOPNOTSUPP, "and moves to none");
	vbm_destroy_endpoint(ep);
	rdma_destroy_event_channel(ec);
}

/* Whether its descriptor is readable within that time. */
static bool stirs(struct vbm_endpoint *ep, int timeout_ms)
{
	struct pollfd p = {.fd = vbm_endpoint_fd(ep), .events = POLLIN};

	return p.fd >= 0 && poll(&p, 1, timeout_ms) == 1;
}

/* Nothing has happened: the look changes nothing, and finds nobody. */
static bool is_quiet(struct vbm_endpoint *ep)
{
	enum vbm_endpoint_state state = ep->state;
	struct vbm_endpoint *none = ep;

	return !stirs(ep, 0) && vbm_endpoint_event(ep, NULL, &none) == 0 && !none && ep->state == state;
}

/* Looks whenever there may be something; the request that comes. */
static struct vbm_endpoint *look_for_request(struct vbm_endpoint *l)
{
	struct vbm_endpoint *request = NULL;

	while (!request && stirs(l, PATIENCE_MS))
		if (vbm_endpoint_event(l, NULL, &request))
			break;
	return request;
}

/* Without a channel: a descriptor, and the same call, by either way. */
static void by_descriptor(void)
{
	struct vbm_endpoint_options o = usual();
	struct vbm_endpoint *l, *server, *idle = create(&o);
	struct call c;

	ok(vbm_endpoint_fd(idle) == -1 && vbm_endpoint_fd(NULL) == -1, "none is there at rest");
	vbm_destroy_endpoint(idle);
	l = listener_of(&o, self);
	ok(is_quiet(l) && vbm_endpoint_timeout(l) == -1, "a listener's descriptor is quiet");
	ok(vbm_endpoint_event(l, NULL, NULL) == EINVAL, "a request needs a place to go");
	dial(&c, &o, PORT);
	server = look_for_request(l);
	ok(server && server->state == VBM_ENDPOINT_REQUESTED, "until a request comes, which the look finds");
	ok(server && vbm_accept(server, NULL, 0) == 0 && dialled(&c) == 0, "and which is answered");
	ok(is_quiet(l), "then it is quiet again");
	ok(is_quiet(server) && is_quiet(c.ep), "as are those of both ends");
	vbm_destroy_endpoint(c.ep);
	while (server->state == VBM_ENDPOINT_CONNECTED && stirs(server, PATIENCE_MS) &&
	       vbm_endpoint_event(server, NULL, NULL) == 0)
		;
	ok(server->state == VBM_ENDPOINT_DISCONNECTED && state_of(server) == IBV_QPS_ERR,
	   "until the other end has gone, which the look finds");
	vbm_destroy_endpoint(server);
	ok(still_serves(l), "the listener still serves those who wait");
	vbm_destroy_endpoint(l);
}

static int tcp_to(const struct vbm_endpoint *l)
{
	struct sockaddr_storage a;
	socklen_t len = sizeof(a);
	int s;

	if (getsockname(l->socket, (struct sockaddr *)&a, &len))
		return -1;
	s = socket(a.ss_family, SOCK_STREAM, 0);
	return connect(s, (struct sockaddr *)&a, len) ? -1 : s;
}

/* TCP connections that say nothing keep nobody awake, also when there is no place for more. */
static void silent_callers(void)
{
	struct vbm_endpoint_options o = usual(), asks = usual();
	struct vbm_endpoint *l, *request = NULL, *server;
	int first, second;
	struct call c;
	char byte;

	o.backlog = 1;
	o.timeout_ms = SHORT_MS;
	l = listener_of(&o, self);
	first = tcp_to(l);
	ok(stirs(l, PATIENCE_MS) && vbm_endpoint_event(l, NULL, &request) == 0 && !request &&
	   vbm_endpoint_timeout(l) >= 0 && vbm_endpoint_timeout(l) <= SHORT_MS,
	   "who says nothing is no request, and has a limit");
	second = tcp_to(l);
	ok(stirs(l, PATIENCE_MS) && vbm_endpoint_event(l, NULL, &request) == 0 && !request &&
	   !stirs(l, 0), "while it is there, another one stirs the listener once");
	while (recv(first, &byte, 1, MSG_DONTWAIT) < 0 && !request) {
		stirs(l, vbm_endpoint_timeout(l));
		vbm_endpoint_event(l, NULL, &request);
	}
	ok(!request, "and has its place when the first one has had its time");
	dial(&c, &asks, PORT);
	close(first);
	close(second);
	server = look_for_request(l);
	ok(server && vbm_accept(server, NULL, 0) == 0 && dialled(&c) == 0, "who has something to say is heard");
	vbm_destroy_endpoint(c.ep);
	vbm_destroy_endpoint(server);
	vbm_destroy_endpoint(l);
}

void channels(void)
{
	by_descriptor();
	if (!by_cm()) {
		silent_callers();
		no_channels();
		return;
	}
	by_events();
	further_address();
	fails_by_events();
	migrates();
}

/*
 * By a program of its own: old kernels wait in there until nobody has the device open
 * or mapped, and librdmacm keeps it open as long as this program runs.
 */
static pid_t delete_device(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	execlp("rdma", "rdma", "link", "delete", rdma_device, (char *)NULL);
	_exit(127);
}

/* The other end, on the same device, may go first: then DISCONNECTED comes before. */
static bool is_removed(struct vbm_endpoint *ep)
{
	struct pollfd p = {.fd = ep->id->channel->fd, .events = POLLIN};
	int rc = vbm_wait_disconnect(ep, PATIENCE_MS);

	if (rc == 0 && poll(&p, 1, PATIENCE_MS) == 1)
		rc = vbm_disconnect(ep);
	return returns(ep, rc, ENODEV) && ep->state == VBM_ENDPOINT_REMOVED;
}

/* A negotiator with an offer, and both ends of a connection by the handshake. */
struct beside {
	struct pair pair;
	struct vbm_negotiator *n;
	struct vbm_qp *qp;
};

static bool begin_beside(struct beside *b)
{
	struct vbm_endpoint_options o;
	struct sockaddr_storage at;
	socklen_t len = sizeof(at);
	struct vbm_outcome outcome;
	struct vbm_error error;
	int listener, count;
	bool good;

	way = VBM_WAY_HANDSHAKE;
	o = usual();
	good = make_pair(&b->pair, &o);
	way = VBM_WAY_RDMA_CM;
	if (!good || getsockname(b->pair.server->socket, (struct sockaddr *)&at, &len) ||
	    vbm_create_negotiator(&b->n, NULL, &error) || vbm_create_qp(&b->qp, (struct sockaddr *)&at, NULL, &error))
		return false;
	((struct sockaddr_in *)&at)->sin_port = 0;
	return !vbm_qp_to_init(b->qp) &&
	       !vbm_negotiator_listen(b->n, (struct sockaddr *)&at, NULL, NULL, &listener) &&
	       !vbm_negotiator_offer(b->n, listener, b->qp, NULL) &&
	       !vbm_negotiator_wait(b->n, &outcome, 1, PATIENCE_MS, &count) &&
	       outcome.kind == VBM_OUTCOME_LISTENING;
}

static void end_beside(struct beside *b)
{
	struct vbm_outcome outcome;
	int count = 0;

	ok(stirs(b->pair.server, PATIENCE_MS) && vbm_endpoint_event(b->pair.server, NULL, NULL) == ENODEV &&
	   b->pair.server->state == VBM_ENDPOINT_REMOVED && vbm_endpoint_fd(b->pair.server) == -1,
	   "the descriptor of a connection by the handshake tells of it, too");
	ok(vbm_wait_disconnect(b->pair.client, PATIENCE_MS) == ENODEV &&
	   b->pair.client->state == VBM_ENDPOINT_REMOVED && state_of(b->pair.client) == IBV_QPS_UNKNOWN,
	   "and a call that waits");
	ok(vbm_disconnect(b->pair.client) == ENODEV && strstr(b->pair.client->error.msg, "gone"), "for good");
	ok(!vbm_negotiator_wait(b->n, &outcome, 1, PATIENCE_MS, &count) && outcome.result == ENODEV &&
	   outcome.qp == b->qp, "a queue pair that a negotiator has is given back: ENODEV");
	vbm_destroy_negotiator(b->n);
	ok(vbm_destroy_qp(b->qp) == 0, "and can be destroyed");
	end_pair(&b->pair);
}

void device_goes(void)
{
	bool stays = getenv("VBM_DEVICE_STAYS") != NULL;
	struct vbm_endpoint_options o = usual();
	struct vbm_endpoint *none;
	struct beside beside;
	int status = 1;
	struct pair p;
	pid_t pid;

	if (!make_pair(&p, &o) || (!stays && !begin_beside(&beside)))
		die("no connection that a device can end");
	pid = delete_device();
	if (!stays)
		end_beside(&beside);
	ok(is_removed(p.client), "a device that goes ends a connection: ENODEV");
	ok(is_removed(p.server), "at the other end, too");
	ok(returns(p.listener, vbm_get_request(p.listener, &none, PATIENCE_MS), ENODEV) &&
	   p.listener->state == VBM_ENDPOINT_REMOVED, "and a listener");
	ok(vbm_disconnect(p.client) == ENODEV && vbm_get_request(p.listener, &none, 0) == ENODEV,
	   "for good");
	ok(vbm_destroy_endpoint(p.client) == 0 && vbm_destroy_endpoint(p.server) == 0 &&
	   vbm_destroy_endpoint(p.listener) == 0, "they can be ended");
	if (stays)
		return;
	ok(waitpid(pid, &status, 0) == pid && status == 0, "and let the device go");
}
