/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of endpoint-program in which memory and descriptors run out. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <verbatim/resolve.h>

#include "../help/shortage.h"
#include "endpoint-program.h"

#define POLL_MS 300

/* By the handshake, some that have failed may have had a TCP connection by then. */
static void forget_requests(struct vbm_endpoint *listener)
{
	struct vbm_endpoint *ep;

	while (vbm_get_request(listener, &ep, 1) == 0)
		vbm_destroy_endpoint(ep);
}

#if SHORTAGE_WORKS
/*
 * rdma-core does not always say that memory ran out: a query behind an event fails
 * (EIO), a list of devices is empty or one short (ENODEV, EADDRNOTAVAIL), a request
 * is refused in place of the program (ECONNREFUSED).
 */
static bool is_for_memory(int rc, int n, const struct vbm_endpoint *ep)
{
	if (shortage_came() && (rc == ENOMEM || rc == EIO || rc == ENODEV || rc == EADDRNOTAVAIL ||
				rc == ECONNREFUSED))
		return true;
	if (rc)
		printf("# allocation %d: %d %s\n", n, rc, ep ? ep->error.msg : "");
	return rc == 0;
}

/* A whole connection of the client, whose n-th allocation fails. */
static bool client_fails_well(int n)
{
	struct vbm_endpoint_options o = usual();
	struct vbm_endpoint *ep = NULL;
	bool good;
	int rc;

	shortage_begin(SHORTAGE_OF_THREAD, n);
	rc = vbm_create_endpoint(&ep, &o, NULL);
	rc = rc ? rc : vbm_connect(ep, self, PORT);
	rc = rc ? rc : vbm_disconnect(ep);
	shortage_end();
	good = is_for_memory(rc, n, ep);
	vbm_destroy_endpoint(ep);
	return good;
}

static void client_without_memory(void)
{
	struct vbm_endpoint_options o = usual();
	struct server s;
	bool good;
	int n = -1;

	start_server(&s, &o);
	do {
		good = client_fails_well(++n);
	} while (good && shortage_came());
	ok(good && n > 10, "each allocation of a client may fail once");
	stop_server(&s);
	forget_requests(s.listener);
	ok(still_serves(s.listener), "and all is well afterwards");
	vbm_destroy_endpoint(s.listener);
}

/* Both ends in one thread, by events. An event that librdmacm lost for want of memory never comes. */
static int step(struct rdma_event_channel *ec, struct pair *p)
{
	struct pollfd fd = {.fd = ec->fd, .events = POLLIN};
	struct vbm_endpoint *ep, *arrived;
	struct rdma_cm_event *event;
	int rc;

	if (poll(&fd, 1, POLL_MS) != 1)
		return ENOMEM;
	if (vbm_get_cm_event(ec, &event))
		return errno == EAGAIN ? 0 : errno;
	ep = event->id->context;
	rc = vbm_endpoint_event(ep, event, &arrived);
	if (arrived)
		p->server = arrived;
	if (arrived && rc == 0)
		rc = vbm_accept(arrived, NULL, 0);
	return rc;
}

static bool pair_fails_well(struct rdma_event_channel *ec, int n)
{
	struct vbm_endpoint_options o = usual();
	struct pair p = {.client = NULL};
	bool good;
	int rc;

	o.channel = ec;
	shortage_begin(SHORTAGE_OF_THREAD, n);
	rc = vbm_create_endpoint(&p.listener, &o, NULL);
	rc = rc ? rc : vbm_listen(p.listener, self, PORT);
	rc = rc ? rc : vbm_create_endpoint(&p.client, &o, NULL);
	rc = rc ? rc : vbm_connect(p.client, self, PORT);
	while (rc == 0 && (p.client->state != VBM_ENDPOINT_CONNECTED || !p.server ||
			   p.server->state != VBM_ENDPOINT_CONNECTED))
		rc = step(ec, &p);
	shortage_end();
	good = is_for_memory(rc, n, p.client);
	end_pair(&p);
	return good;
}

static void pair_without_memory(void)
{
	struct rdma_event_channel *ec = rdma_create_event_channel();
	bool good;
	int n = -1;

	fcntl(ec->fd, F_SETFL, O_NONBLOCK);
	do {
		good = pair_fails_well(ec, ++n);
	} while (good && shortage_came());
	ok(good && n > 20, "each allocation of both ends may fail once, by events, too");
	rdma_destroy_event_channel(ec);
}
#endif

/* Let no more than @more descriptors be opened; setrlimit() of *@before undoes it. */
static void limit(int more, struct rlimit *before)
{
	struct rlimit l;
	int next = dup(0);

	close(next);
	getrlimit(RLIMIT_NOFILE, before);
	l = *before;
	l.rlim_cur = (rlim_t)(next + more);
	setrlimit(RLIMIT_NOFILE, &l);
}

static void without_descriptors(void)
{
	struct vbm_endpoint_options o = usual();
	struct vbm_endpoint *l = listener_of(&o, self), *ep;
	struct rlimit before;
	int more, rc;

	for (more = 0; more < 2; more++) {
		ep = create(&o);
		limit(more, &before);
		rc = vbm_connect(ep, self, PORT);
		setrlimit(RLIMIT_NOFILE, &before);
		ok(returns(ep, rc, EMFILE) && ep->state == VBM_ENDPOINT_FAILED,
		   "without descriptors: EMFILE");
		vbm_destroy_endpoint(ep);
	}
	forget_requests(l);
	ok(still_serves(l), "and all is well afterwards");
	vbm_destroy_endpoint(l);
}

void shortage(void)
{
	without_descriptors();
#if SHORTAGE_WORKS
	client_without_memory();
	if (by_cm())
		pair_without_memory();
#endif
}
