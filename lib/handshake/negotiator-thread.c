/* SPDX-License-Identifier: BSD-2-Clause */
/* The thread of a negotiator: its listeners, and the requests of the program. */
#include "lib/handshake/negotiation.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/base/fail.h"
#include "lib/base/mem.h"

#define MAX_PENDING 1024
#define GRACE_MS 200
#define RETRY_MS 100	/* after descriptors or memory ran out */

static void accept_clients(struct listener *l);

static void pause_listener(struct listener *l, int64_t until)
{
	vbm_loop_modify(&l->n->loop, &l->watch, 0);
	vbm_timer_arm(&l->n->loop, &l->resume, until);
}

static void resume_listener(struct timer *timer)
{
	struct listener *l = container_of(timer, struct listener, resume);

	vbm_loop_modify(&l->n->loop, &l->watch, EPOLLIN);
	accept_clients(l);
}

/*
 * Whether a client may be accepted. If need be, the oldest client that has been silent too
 * long is dropped.
 */
static bool can_accept(struct listener *l)
{
	int64_t now = l->n->loop.now;
	struct negotiation *oldest;

	if (l->pending < l->options.max_pending)
		return true;
	if (ring_empty(&l->silent)) {
		pause_listener(l, now + RETRY_MS * NS_PER_MS);
		return false;
	}
	oldest = of_ring(&l->silent, struct negotiation, node);
	if (now - oldest->since < l->options.grace_ms * NS_PER_MS) {
		pause_listener(l, oldest->since + l->options.grace_ms * NS_PER_MS);
		return false;
	}
	vbm_negotiation_end(oldest, EBUSY);
	return true;
}

static void welcome(struct listener *l, int fd, const union addr *from)
{
	struct negotiation *t = vbm_negotiation_make(l->n, l, 0);

	if (!t) {
		close(fd);
		return;
	}
	t->watch.fd = fd;
	t->address = *from;
	ring_add(&l->silent, &t->node);
	vbm_negotiation_begin(t);
}

static void accept_clients(struct listener *l)
{
	union addr from;
	socklen_t len;
	int fd, i;

	/*
	 * At most one batch, so that other descriptors get their turn. epoll reports the
	 * rest again.
	 */
	for (i = 0; i < LOOP_BATCH && can_accept(l); i++) {
		memset(&from, 0, sizeof(from));
		len = sizeof(from);
		fd = accept4(l->watch.fd, &from.sa, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd >= 0) {
			welcome(l, fd, &from);
			continue;
		}
		if (is_shortage(errno))
			pause_listener(l, l->n->loop.now + RETRY_MS * NS_PER_MS);
		if (errno == EAGAIN || is_shortage(errno))
			return;
	}
}

static void listener_ready(struct watch *w, uint32_t events)
{
	(void)events;
	accept_clients(container_of(w, struct listener, watch));
}

static struct listener *find_listener(struct vbm_negotiator *n, int id)
{
	struct ring *r;

	for (r = n->listeners.next; r != &n->listeners; r = r->next)
		if (container_of(r, struct listener, link)->id == id)
			return container_of(r, struct listener, link);
	return NULL;
}

static bool is_wildcard(const union addr *a)
{
	const struct in6_addr *in6 = &a->in6.sin6_addr;

	if (a->sa.sa_family == AF_INET)
		return a->in.sin_addr.s_addr == htonl(INADDR_ANY);
	return IN6_IS_ADDR_UNSPECIFIED(in6) || (IN6_IS_ADDR_V4MAPPED(in6) && !in6->s6_addr32[3]);
}

/*
 * A client speaks first. The kernel keeps one that says nothing for about a second, and then
 * hands it over; one that does not wait is served at once, with its message.
 */
static int open_listener(struct listener *l, const struct negotiator_request *r)
{
	static const int a_second = 1;
	const char *call;
	socklen_t len = sizeof(l->own);
	int rc = vbm_handshake_listener(&l->watch.fd, &r->address.sa, addr_len(&r->address),
					l->options.backlog, &call);

	l->watch.ready = listener_ready;
	if (rc)
		return rc;
	setsockopt(l->watch.fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &a_second, sizeof(a_second));
	if (getsockname(l->watch.fd, &l->own.sa, &len))
		return errno;
	l->has_one = !is_wildcard(&l->own);
	return -vbm_loop_add(&l->n->loop, &l->watch, EPOLLIN);
}

static void request_listen(struct vbm_negotiator *n, const struct negotiator_request *r)
{
	struct listener *l = vbm_mem_zalloc(sizeof(*l));
	struct vbm_outcome *o;
	int rc;

	if (!l) {
		vbm_negotiation_report(n, r, VBM_OUTCOME_LISTENING, ENOMEM);
		return;
	}
	l->n = n;
	l->id = r->listener;
	l->options = r->options;
	memcpy(l->private_data, r->private_data, l->options.handshake.private_length);
	l->options.handshake.private_data = l->private_data;
	l->options.backlog = l->options.backlog > 0 ? l->options.backlog : SOMAXCONN;
	l->options.grace_ms = l->options.grace_ms > 0 ? l->options.grace_ms : GRACE_MS;
	if (!l->options.max_pending)
		l->options.max_pending = MAX_PENDING;
	l->resume.fire = resume_listener;
	ring_init(&l->offers);
	ring_init(&l->silent);
	ring_init(&l->waiting);
	ring_add(&n->listeners, &l->link);
	rc = open_listener(l, r);
	o = vbm_negotiation_begin_outcome(n, r->slot, VBM_OUTCOME_LISTENING, rc, r->context);
	o->listener = l->id;
	if (rc == 0)
		memcpy(&o->address, &l->own, sizeof(l->own));
	vbm_negotiation_end_outcome(n);
	if (rc == 0)
		return;
	if (l->watch.fd >= 0)
		close(l->watch.fd);
	ring_remove(&l->link);
	free(l);
}

static void close_listener(struct listener *l)
{
	struct ring *r, *next;
	struct negotiator_job *j;

	vbm_timer_disarm(&l->resume);
	vbm_loop_remove(&l->n->loop, &l->watch);
	close(l->watch.fd);
	for (r = l->n->negotiations.next; r != &l->n->negotiations; r = next) {
		next = r->next;
		if (container_of(r, struct negotiation, link)->listener == l)
			vbm_negotiation_end_with(container_of(r, struct negotiation, link), ECANCELED, "the listener is closed");
	}
	while (!ring_empty(&l->offers)) {
		j = of_ring(&l->offers, struct negotiator_job, link);
		vbm_fail(&j->error, ECANCELED, "the listener is closed");
		vbm_negotiation_end_job(l->n, j, ECANCELED, l->id, NULL);
	}
	ring_remove(&l->link);
	free(l);
}

static void device_has_gone(struct vbm_negotiator *n, const struct ibv_context *context)
{
	static const char why[] = "the device has gone";

	for (uint32_t i = 0; i < n->depth; i++) {
		struct negotiator_job *j = &n->job[i];

		if (!j->qp || j->qp->context != context)
			continue;
		if (j->negotiation) {
			vbm_negotiation_end_with(j->negotiation, ENODEV, why);
			continue;
		}
		vbm_fail(&j->error, ENODEV, "%s", why);
		vbm_negotiation_end_job(n, j, ENODEV, 0, NULL);
	}
}

static struct negotiator_job *begin_job(struct vbm_negotiator *n, const struct negotiator_request *r)
{
	struct negotiator_job *j = &n->job[r->slot];

	*j = (struct negotiator_job){.qp = r->qp, .context = r->context, .slot = r->slot,
			  .generation = r->generation};
	ring_init(&j->link);
	vbm_negotiator_watch_device(n, r->qp->context, device_has_gone);
	return j;
}

/* The new offer is for the first client that waits for one and that it fits. */
static void serve_waiting(struct listener *l, const struct negotiator_job *j)
{
	struct ring *r, *next;
	struct negotiation *t;

	for (r = l->waiting.next; r != &l->waiting && !ring_empty(&j->link); r = next) {
		next = r->next;
		t = container_of(r, struct negotiation, node);
		if (vbm_handshake_fits(&t->gids, j->qp))
			vbm_negotiation_drive(t);
	}
}

static void request_offer(struct vbm_negotiator *n, const struct negotiator_request *r)
{
	struct listener *l = find_listener(n, r->listener);
	struct negotiator_job *j;

	if (!l) {
		vbm_fail(&n->job[r->slot].error, ENOENT, "there is no listener %d", r->listener);
		vbm_negotiation_report(n, r, VBM_OUTCOME_CONNECTED, ENOENT);
		return;
	}
	j = begin_job(n, r);
	ring_add(&l->offers, &j->link);
	serve_waiting(l, j);
}

static void request_connect(struct vbm_negotiator *n, const struct negotiator_request *r)
{
	size_t length = r->options.handshake.private_length;
	struct negotiation *t = vbm_negotiation_make(n, NULL, length);

	if (!t) {
		vbm_fail(&n->job[r->slot].error, ENOMEM, "out of memory");
		vbm_negotiation_report(n, r, VBM_OUTCOME_CONNECTED, ENOMEM);
		return;
	}
	t->options = r->options.handshake;
	memcpy(t->private_data, r->private_data, length);
	t->options.private_data = t->private_data;
	t->address = r->address;
	t->job = begin_job(n, r);
	t->job->negotiation = t;
	vbm_negotiation_dial(t);
}

/* The slot of a finished job is free, or has another job with another generation. */
static void request_cancel(struct vbm_negotiator *n, const struct negotiator_request *r)
{
	struct negotiator_job *j = &n->job[r->slot];

	if (!j->qp || j->generation != r->generation)
		return;
	if (j->negotiation) {
		vbm_negotiation_end_with(j->negotiation, ECANCELED, "cancelled");
		return;
	}
	vbm_fail(&j->error, ECANCELED, "cancelled");
	vbm_negotiation_end_job(n, j, ECANCELED, 0, NULL);
}

static void request_close(struct vbm_negotiator *n, const struct negotiator_request *r)
{
	struct listener *l = find_listener(n, r->listener);

	if (l)
		close_listener(l);
	vbm_negotiation_report(n, r, VBM_OUTCOME_CLOSED, l ? 0 : ENOENT);
}

static void take_requests(struct vbm_negotiator *n)
{
	static void (*const take[])(struct vbm_negotiator *, const struct negotiator_request *) = {
		[REQUEST_LISTEN] = request_listen, [REQUEST_OFFER] = request_offer,
		[REQUEST_CONNECT] = request_connect, [REQUEST_CANCEL] = request_cancel,
		[REQUEST_CLOSE] = request_close,
	};
	const struct negotiator_request *r;

	for (; !queue_empty(&n->to_thread); queue_pop(&n->to_thread)) {
		r = &n->request[queue_first(&n->to_thread)];
		take[r->kind](n, r);
	}
}

void vbm_negotiator_end(struct vbm_negotiator *n)
{
	/* The program collects nothing any more, so nobody reads the outcomes written here. */
	while (!ring_empty(&n->listeners))
		close_listener(of_ring(&n->listeners, struct listener, link));
	while (!ring_empty(&n->negotiations))
		vbm_negotiation_end_with(of_ring(&n->negotiations, struct negotiation, link),
					 ECANCELED, "the negotiator is destroyed");
}

/*
 * Wake the program once for all outcomes of a round, because each wake-up costs a context
 * switch.
 */
static void tell_program(struct vbm_negotiator *n)
{
	if (!n->untold)
		return;
	n->untold = false;
	if (!__atomic_exchange_n(&n->armed, 0, __ATOMIC_SEQ_CST))
		return;
	__atomic_store_n(&n->notified, 1, __ATOMIC_RELEASE);
	vbm_loop_raise(n->notify_fd);
}

/* A callback of the program may hand something in, which is taken after it has returned. */
void vbm_negotiator_take(struct vbm_negotiator *n)
{
	if (n->working)
		return;
	n->working = true;
	n->loop.now = vbm_loop_now();
	take_requests(n);
	n->working = false;
}

int vbm_negotiator_work(struct vbm_negotiator *n, int timeout_ms)
{
	int rc;

	n->working = true;
	rc = -vbm_loop_run(&n->loop, timeout_ms);
	take_requests(n);
	n->working = false;
	return rc;
}

void *vbm_negotiator_run(void *negotiator)
{
	struct vbm_negotiator *n = negotiator;
	bool idle;

	while (!__atomic_load_n(&n->stop, __ATOMIC_ACQUIRE)) {
		take_requests(n);
		vbm_loop_settle(&n->loop);
		tell_program(n);
		__atomic_store_n(&n->asleep, 1, __ATOMIC_SEQ_CST);
		/* Requests may have arrived after the last check. */
		idle = queue_empty(&n->to_thread) && !__atomic_load_n(&n->stop, __ATOMIC_ACQUIRE);
		vbm_loop_run(&n->loop, idle ? -1 : 0);
		__atomic_store_n(&n->asleep, 0, __ATOMIC_SEQ_CST);
	}
	vbm_negotiator_end(n);
	return NULL;
}
