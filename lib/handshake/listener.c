/* SPDX-License-Identifier: BSD-2-Clause */
/* A negotiator's listeners: who is let in, who has to give way, and who gets an offer. */
#include "lib/handshake/negotiation.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/base/fail.h"
#include "lib/base/mem.h"

#define MAX_PENDING 1024

static void drop_silent(struct negotiation *t)
{
	if (t->place == PLACE_HALFWAY)
		vbm_grace_gave_way(&t->listener->grace);
	vbm_negotiation_end_with(t, ETIMEDOUT, "the peer was silent for too long");
}

/* A client that has been silent for long enough gives way. One whose bytes are there is not silent. */
static bool give_way(struct door *d, int64_t *until)
{
	struct listener *l = container_of(d, struct listener, door);
	unsigned int before = d->count;
	struct negotiation *oldest;
	int64_t at;
	int i;

	for (i = PLACE_SILENT; i <= PLACE_HALFWAY; i++) {
		while (!ring_empty(&l->in[i])) {
			oldest = of_ring(&l->in[i], struct negotiation, node);
			at = vbm_negotiation_due(oldest);
			if (at > loop_now(d->loop)) {
				*until = at < *until ? at : *until;
				break;
			}
			if (!vbm_negotiation_revive(oldest)) {
				drop_silent(oldest);
				return true;
			}
		}
	}
	return d->count < before;
}

static bool has_spare(struct listener *l)
{
	if (!l->spare)
		l->spare = vbm_negotiation_alloc(l->options.decide ? VBM_HANDSHAKE_PRIVATE_MAX : 0);
	if (!l->spare)
		vbm_door_rest(&l->door);
	return l->spare;
}

static void welcome(struct listener *l, int fd, const union addr *from, struct handshake_auth *auth)
{
	struct negotiation *t = l->spare;

	l->spare = NULL;
	vbm_negotiation_init(t, l->n, l);
	t->watch.fd = fd;
	t->address = *from;
	t->auth = auth;
	vbm_negotiation_begin(t);
}

static void accept_clients(struct door *d)
{
	struct listener *l = container_of(d, struct listener, door);
	int fd, i, expected = l->expected;
	struct handshake_auth *auth;
	union addr from;

	/*
	 * As many as came at a time before, so that few calls find nobody; and at most one
	 * batch, so that other descriptors get their turn. epoll reports the rest again.
	 */
	if (++l->full % 4 == 0)
		l->expected = expected < LOOP_BATCH ? 2 * expected : LOOP_BATCH;
	for (i = 0; i < expected && has_spare(l); i++) {
		fd = vbm_door_accept(d, &from, &auth);
		if (fd >= 0)
			welcome(l, fd, &from, auth);
		else if (fd == -EAGAIN || fd == -EBUSY || d->resume.next)
			break;
	}
	if (i < expected) {
		l->full = 0;
		l->expected = i > 1 ? i : 1;
	}
}

/* Clients that wait get the offers that fit them, in the order in which they came. */
static void serve_waiting(struct timer *timer)
{
	struct listener *l = container_of(timer, struct listener, serve);
	struct ring *r, *next;

	for (r = l->in[PLACE_WAITING].next; r != &l->in[PLACE_WAITING] && !ring_empty(&l->offers); r = next) {
		next = r->next;
		if (vbm_negotiation_find_offer(l, &container_of(r, struct negotiation, node)->gids))
			vbm_negotiation_drive(container_of(r, struct negotiation, node));
	}
}

/* Clients wait for a queue pair, which one that is silent has. */
static void take_from_silent(struct timer *timer)
{
	struct listener *l = container_of(timer, struct listener, press);
	struct negotiation *oldest;

	while (!ring_empty(&l->in[PLACE_WAITING]) && !ring_empty(&l->in[PLACE_HALFWAY])) {
		oldest = of_ring(&l->in[PLACE_HALFWAY], struct negotiation, node);
		if (vbm_negotiation_due(oldest) > loop_now(&l->n->loop))
			break;
		if (!vbm_negotiation_revive(oldest))
			drop_silent(oldest);
	}
	vbm_negotiation_press(l);
}

static bool is_wildcard(const union addr *a)
{
	const struct in6_addr *in6 = &a->in6.sin6_addr;

	if (a->sa.sa_family == AF_INET)
		return a->in.sin_addr.s_addr == htonl(INADDR_ANY);
	return IN6_IS_ADDR_UNSPECIFIED(in6) || (IN6_IS_ADDR_V4MAPPED(in6) && !in6->s6_addr32[3]);
}

/*
 * A client of the handshake speaks first. The kernel keeps one that says nothing for about a
 * second, and then hands it over; one that does not wait is served at once, with its message.
 * The program chooses which end authenticates itself first.
 */
static int open_listener(struct listener *l, const union addr *at)
{
	static const int a_second = 1;
	const char *call;
	socklen_t len = sizeof(l->own);
	const struct vbm_handshake_options *o = &l->options.handshake;
	int fd, rc = vbm_handshake_listener_like(&fd, &at->sa, addr_len(at), l->options.backlog,
						 o->keepalive_ms ? o->keepalive_ms : -1, 0, &call);

	if (rc)
		return rc;
	if (!o->authenticate)
		setsockopt(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &a_second, sizeof(a_second));
	rc = getsockname(fd, &l->own.sa, &len) ? errno : -vbm_door_open(&l->door, &l->n->loop, fd);
	l->has_one = !is_wildcard(&l->own);
	if (rc)
		close(fd);
	return rc;
}

static void finish_listener(struct listener *l)
{
	struct vbm_outcome *o;

	if (l->close_slot != NO_SLOT) {
		o = vbm_negotiation_begin_outcome(l->n, l->close_slot, VBM_OUTCOME_CLOSED, 0, l->close_context);
		o->listener = l->id;
		vbm_negotiation_end_outcome(l->n);
	}
	free(l->spare);
	free(l);
}

static struct listener *make_listener(struct vbm_negotiator *n, const struct negotiator_request *r)
{
	struct listener *l = vbm_mem_zalloc(sizeof(*l));
	int i;

	if (!l)
		return NULL;
	l->n = n;
	l->id = r->listener;
	l->context = r->context;
	l->options = r->options;
	memcpy(l->private_data, r->private_data, l->options.handshake.private_length);
	l->options.handshake.private_data = l->private_data;
	l->options.backlog = l->options.backlog > 0 ? l->options.backlog : SOMAXCONN;
	l->door = (struct door){
		.room = l->options.max_pending ? l->options.max_pending : MAX_PENDING,
		.authenticate = l->options.handshake.authenticate,
		.context = l->options.handshake.context,
		.enter = accept_clients, .give_way = give_way,
	};
	l->grace.limit_ms = l->options.grace_ms;
	l->serve.fire = serve_waiting;
	l->press.fire = take_from_silent;
	l->finish = finish_listener;
	l->expected = 1;
	ring_init(&l->offers);
	for (i = 0; i < PLACES; i++)
		ring_init(&l->in[i]);
	return l;
}

int vbm_listener_open(struct listener **listener, struct vbm_negotiator *n,
		      const struct negotiator_request *r)
{
	struct listener *l = make_listener(n, r);
	int rc = l ? open_listener(l, &r->address) : ENOMEM;

	*listener = rc ? NULL : l;
	if (rc == 0)
		ring_add(&n->listeners, &l->link);
	else
		free(l);
	return rc;
}

void vbm_listener_close(struct listener *l, const struct negotiator_request *r)
{
	struct ring *at, *next;
	struct negotiator_job *j;

	l->close_slot = r ? r->slot : NO_SLOT;
	l->close_context = r ? r->context : NULL;
	vbm_door_close(&l->door);
	close(l->door.watch.fd);
	for (at = l->n->negotiations.next; at != &l->n->negotiations; at = next) {
		next = at->next;
		if (container_of(at, struct negotiation, link)->listener == l)
			vbm_negotiation_end_with(container_of(at, struct negotiation, link), ECANCELED,
						 "the listener is closed");
	}
	while (!ring_empty(&l->offers)) {
		j = of_ring(&l->offers, struct negotiator_job, link);
		vbm_fail(&j->error, ECANCELED, "the listener is closed");
		vbm_negotiation_end_job(l->n, j, ECANCELED, NULL);
	}
	vbm_timer_disarm(&l->serve);
	vbm_timer_disarm(&l->press);
	ring_remove(&l->link);
	l->closing = true;
	if (!l->door.count)
		finish_listener(l);
}
