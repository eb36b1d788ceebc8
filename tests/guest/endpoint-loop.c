/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of endpoint-program whose endpoints do not wait: one loop for all, by both ways alike. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <verbatim/addrinfo.h>
#include <verbatim/log.h>
#include <verbatim/resolve.h>

#include "endpoint-program.h"
#include "lib/base/addr.h"
#include "lib/handshake/message.h"

#define SHORT_MS 300
#define HOSTILE 10
#define MANY (2 * HOSTILE + 8)

/* All that the loop drives. A listener's requests are accepted and join it. */
struct crowd {
	struct vbm_endpoint *all[MANY];
	int count;
	int last;	/* what the last step returned that was not 0 */
	bool rejects;
};

static struct vbm_endpoint_options unhurried(void)
{
	struct vbm_endpoint_options o = usual();

	o.no_wait = 1;
	return o;
}

static void join(struct crowd *c, struct vbm_endpoint *ep)
{
	if (c->count == MANY)
		die("too many endpoints");
	c->all[c->count++] = ep;
}

static void answer(struct crowd *c, struct vbm_endpoint *ep)
{
	int rc = c->rejects ? vbm_reject(ep, "no", 2) : vbm_accept(ep, "yes", 3);

	c->last = rc ? rc : c->last;
	join(c, ep);
}

/* One wait for all, and the steps of those that are ready. */
static void turn(struct crowd *c)
{
	int i, ms, soonest = PATIENCE_MS, count = c->count;
	struct vbm_endpoint *request;
	struct pollfd p[MANY];

	for (i = 0; i < count; i++) {
		p[i] = (struct pollfd){.fd = vbm_endpoint_fd(c->all[i]), .events = POLLIN};
		ms = vbm_endpoint_timeout(c->all[i]);
		soonest = ms >= 0 && ms < soonest ? ms : soonest;
	}
	poll(p, (nfds_t)count, soonest);
	for (i = 0; i < count; i++) {
		int rc;

		if (!p[i].revents && vbm_endpoint_timeout(c->all[i]) != 0)
			continue;
		rc = vbm_endpoint_event(c->all[i], NULL, &request);
		c->last = rc ? rc : c->last;
		if (request)
			answer(c, request);
	}
}

/* Turns until the endpoint is in that state or has ended otherwise. */
static bool comes_to(struct crowd *c, const struct vbm_endpoint *ep, enum vbm_endpoint_state state)
{
	while (ep->state != state && ep->state < VBM_ENDPOINT_DISCONNECTED)
		turn(c);
	if (ep->state != state)
		printf("# state %d, not %d: %s\n", (int)ep->state, (int)state, ep->error.msg);
	return ep->state == state;
}

static void end_crowd(struct crowd *c)
{
	while (c->count)
		vbm_destroy_endpoint(c->all[--c->count]);
}

static struct vbm_endpoint *listen_in(struct crowd *c)
{
	struct vbm_endpoint_options o = unhurried();

	join(c, listener_of(&o, self));
	return c->all[c->count - 1];
}

/* A client whose calls have begun; by name where @list is NULL. */
static struct vbm_endpoint *call_in(struct crowd *c, const struct vbm_endpoint_options *o)
{
	struct vbm_endpoint *ep = create(o);

	if (!returns(ep, vbm_connect(ep, self, PORT), 0))
		printf("# in state %d\n", (int)ep->state);
	join(c, ep);
	return ep;
}

static void one_loop(void)
{
	struct vbm_endpoint_options o = unhurried();
	unsigned long long before = vbm_count_failures();
	struct vbm_endpoint *client, *server;
	struct crowd c = {.count = 0};

	ok(vbm_endpoint_event(listen_in(&c), NULL, &client) == 0 && !client, "a listener that nobody calls has no request");
	client = call_in(&c, &o);
	ok(client->state != VBM_ENDPOINT_CONNECTED && client->state != VBM_ENDPOINT_FAILED,
	   "a call that does not wait has only begun");
	ok(comes_to(&c, client, VBM_ENDPOINT_CONNECTED) && c.count == 3, "both ends connect in one loop");
	server = c.all[2];
	ok(comes_to(&c, server, VBM_ENDPOINT_CONNECTED), "and confirm it");
	ok(client->private_data_len >= 3 && memcmp(client->private_data, "yes", 3) == 0, "the answer has its data");
	ok(vbm_endpoint_timeout(client) == -1 && vbm_endpoint_timeout(server) == -1, "a connection has no limit");
	ok(vbm_wait_disconnect(client, 0) == ETIMEDOUT && vbm_endpoint_event(client, NULL, NULL) == 0,
	   "a call with a limit of its own keeps to it");
	ok(vbm_count_failures() == before, "and nothing of all that is a failure");
	ok(vbm_disconnect(client) == 0 && client->state == VBM_ENDPOINT_DISCONNECTING,
	   "the end does not wait either");
	ok(comes_to(&c, client, VBM_ENDPOINT_DISCONNECTED) && comes_to(&c, server, VBM_ENDPOINT_DISCONNECTED) &&
	   c.last == 0, "and comes at both ends");
	ok(vbm_endpoint_timeout(client) == -1 && state_of(client) == IBV_QPS_ERR && state_of(server) == IBV_QPS_ERR,
	   "with the queue pairs in ERR");
	end_crowd(&c);
}

static void refused_in_a_loop(void)
{
	struct vbm_endpoint_options o = unhurried();
	struct crowd c = {.rejects = true};
	struct vbm_endpoint *client;

	listen_in(&c);
	client = call_in(&c, &o);
	ok(comes_to(&c, client, VBM_ENDPOINT_FAILED) && client->error.code == ECONNREFUSED &&
	   c.last == ECONNREFUSED, "a rejection comes in the loop");
	ok(client->private_data_len >= 2 && memcmp(client->private_data, "no", 2) == 0, "with its data");
	end_crowd(&c);
}

/* A peer that never answers, and a name that does not exist. */
static void too_late_in_a_loop(void)
{
	struct vbm_endpoint_options o = unhurried(), plain = usual();
	struct vbm_endpoint *l = listener_of(&plain, self), *client;
	struct crowd c = {.count = 0};

	o.timeout_ms = SHORT_MS;
	client = call_in(&c, &o);
	ok(comes_to(&c, client, VBM_ENDPOINT_FAILED) && c.last == ETIMEDOUT && client->error.code == ETIMEDOUT,
	   "a listener that does not answer: ETIMEDOUT in the loop");
	end_crowd(&c);
	vbm_destroy_endpoint(l);
	o = unhurried();
	client = create(&o);
	join(&c, client);
	if (returns(client, vbm_connect(client, self, "no-such-service"), 0))
		comes_to(&c, client, VBM_ENDPOINT_FAILED);
	ok(client->state == VBM_ENDPOINT_FAILED && client->error.code == ENOENT, "a service that is none");
	end_crowd(&c);
}

/* The first address is nobody's. */
static void next_address_in_a_loop(void)
{
	struct vbm_endpoint_options o = unhurried();
	struct rdma_addrinfo *list, *second;
	struct vbm_endpoint *client;
	struct crowd c = {.count = 0};

	if (vbm_getaddrinfo(self, OTHER_PORT, NULL, &list) || vbm_getaddrinfo(self, PORT, NULL, &second))
		die("no addresses");
	list->ai_next = second;
	o.list = list;
	listen_in(&c);
	client = call_in(&c, &o);
	ok(comes_to(&c, client, VBM_ENDPOINT_CONNECTED) && c.last == 0, "the next address is tried in the loop");
	end_crowd(&c);
	vbm_freeaddrinfo(list);
}

/* Destroyed in each state that it passes. */
static void given_up_in_a_loop(void)
{
	struct vbm_endpoint_options o = unhurried();
	struct vbm_endpoint *client;
	int turns, i;
	bool good = true;

	for (turns = 0; turns < 8; turns++) {
		struct crowd c = {.count = 0};

		listen_in(&c);
		client = call_in(&c, &o);
		for (i = 0; i < turns && client->state < VBM_ENDPOINT_CONNECTED; i++)
			turn(&c);
		good = vbm_destroy_endpoint(client) == 0 && good;
		c.all[1] = c.all[--c.count];
		end_crowd(&c);
	}
	ok(good, "an operation under way is given up after each step");
}

/* A socket of a client, which has sent that much of its first message. */
static int half_said(size_t length)
{
	struct handshake_message m = {.version = 1, .flag = HANDSHAKE_SYNC,
				      .client = {.address.qp_num = 17, .psn = 1, .mtu = IBV_MTU_1024}};
	uint8_t bytes[HANDSHAKE_BYTES_MAX];
	struct rdma_addrinfo *list;
	socklen_t len = sizeof(union addr);
	union addr own;
	int s;

	if (vbm_getaddrinfo(self, PORT, NULL, &list))
		die("no address");
	s = socket(list->ai_family, SOCK_STREAM, 0);
	if (connect(s, list->ai_dst_addr, list->ai_dst_len) || getsockname(s, &own.sa, &len))
		die("no connection");
	vbm_freeaddrinfo(list);
	vbm_addr_to_gid(&own, m.client.address.gid.raw);
	vbm_handshake_encode(bytes, &m);
	if (send(s, bytes, length, MSG_NOSIGNAL) != (ssize_t)length)
		die("no message");
	return s;
}

/* Clients that send their first message or half of it, and then nothing, keep nobody waiting. */
static void half_said_in_a_loop(void)
{
	struct vbm_endpoint_options o = unhurried();
	struct crowd c = {.count = 0};
	struct vbm_endpoint *client;
	int s[2 * HOSTILE], i, waiting = 0;

	listen_in(&c);
	for (i = 0; i < 2 * HOSTILE; i++)
		s[i] = half_said(i % 2 ? HANDSHAKE_BYTES_1 : HANDSHAKE_BYTES_1 / 2);
	while (c.count < 1 + HOSTILE)
		turn(&c);
	client = call_in(&c, &o);
	ok(comes_to(&c, client, VBM_ENDPOINT_CONNECTED), "a good client is served");
	for (i = 0; i < c.count; i++)
		waiting += c.all[i]->state == VBM_ENDPOINT_ACCEPTING;
	ok(waiting >= HOSTILE, "while ten have said their first message and nothing more, and ten half of it");
	for (i = 0; i < 2 * HOSTILE; i++)
		close(s[i]);
	for (i = 1; i <= HOSTILE; i++)
		comes_to(&c, c.all[i], VBM_ENDPOINT_FAILED);
	ok(c.last == ECONNABORTED, "whose end is seen in the loop");
	end_crowd(&c);
}

void loops(void)
{
	one_loop();
	refused_in_a_loop();
	too_late_in_a_loop();
	next_address_in_a_loop();
	given_up_in_a_loop();
	if (!by_cm())
		half_said_in_a_loop();
}
