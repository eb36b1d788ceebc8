/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of endpoint-program whose events come by the program's channel. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include <verbatim/resolve.h>

#include "endpoint-program.h"
#include "net/nl.h"

#define SHORT_MS 300

static struct rdma_event_channel *channel(void)
{
	struct rdma_event_channel *ec = rdma_create_event_channel();

	if (!ec) {
		printf("Bail out! no channel\n");
		exit(1);
	}
	return ec;
}

static struct vbm_endpoint_options on(struct rdma_event_channel *ec)
{
	struct vbm_endpoint_options o = usual();

	o.channel = ec;
	return o;
}

static int (*fetch)(struct rdma_event_channel *ec, struct rdma_cm_event **event) = vbm_get_cm_event;

/* One event for whomever it is; a request is put into *@request. What the step returned. */
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

void channels(void)
{
	if (!by_cm()) {
		no_channels();
		return;
	}
	by_events();
	further_address();
	fails_by_events();
	migrates();
}

static void *delete_device(void *arg)
{
	struct netlink *nl = NULL;
	struct vbm_error err;
	int *result = arg;

	*result = netlink_open(&nl, -1, &err);
	if (*result == 0)
		*result = netlink_rdma_del(nl, rdma_device, &err);
	netlink_close(nl);
	return NULL;
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

void device_goes(void)
{
	struct vbm_endpoint_options o = usual();
	struct vbm_endpoint *none;
	pthread_t thread;
	struct pair p;
	int result = 1;

	if (!make_pair(&p, &o) || pthread_create(&thread, NULL, delete_device, &result))
		return;
	ok(is_removed(p.client), "a device that goes ends a connection: ENODEV");
	ok(is_removed(p.server), "at the other end, too");
	ok(returns(p.listener, vbm_get_request(p.listener, &none, PATIENCE_MS), ENODEV) &&
	   p.listener->state == VBM_ENDPOINT_REMOVED, "and a listener");
	ok(vbm_disconnect(p.client) == ENODEV && vbm_get_request(p.listener, &none, 0) == ENODEV,
	   "for good");
	ok(vbm_destroy_endpoint(p.client) == 0 && vbm_destroy_endpoint(p.server) == 0 &&
	   vbm_destroy_endpoint(p.listener) == 0, "they can be ended");
	pthread_join(thread, NULL);
	ok(result == 0, "and let the device go");
}
