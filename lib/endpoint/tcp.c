/* SPDX-License-Identifier: BSD-2-Clause */
/* The way by the handshake: the calls of an endpoint, and what they wait for. */
#include "lib/endpoint/tcp.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <verbatim/handshake.h>
#include <verbatim/resolve.h>

#include "lib/base/fail.h"
#include "lib/handshake/talk.h"
#include "lib/qp/device.h"
#include "lib/qp/qp.h"

static void tcp_stop(struct endpoint *e)
{
	vbm_tcp_end_talk(e);
}

static void tcp_end(struct endpoint *e)
{
	vbm_endpoint_leave_device(e);
	vbm_callers_clear(&e->callers);
	vbm_tcp_drop_socket(e);
	vbm_endpoint_end_watch(e);
}

void vbm_tcp_waits(const struct endpoint *e, struct pollfd p[TCP_WAITS])
{
	bool with_device = e->pub.state == VBM_ENDPOINT_REQUESTED || e->pub.state == VBM_ENDPOINT_CONNECTED ||
			   e->pub.state == VBM_ENDPOINT_DISCONNECTING;

	p[0] = (struct pollfd){.fd = e->pub.socket, .events = POLLIN};
	p[1] = (struct pollfd){.fd = with_device ? e->pub.qp->context->async_fd : -1, .events = POLLIN};
	if (e->pub.state == VBM_ENDPOINT_TRANSLATING)
		p[0].fd = e->resolver ? vbm_resolver_fd(e->resolver) : -1;
	else if (e->pub.state == VBM_ENDPOINT_RESOLVING_ROUTE)
		p[0].events = POLLOUT;
	else if (e->talk)
		p[0].events = e->talk->events;
	else if (e->pub.state == VBM_ENDPOINT_REQUESTED)
		p[0].fd = -1;	/* the first message is there, and stays until the answer */
}

static bool has_events(const struct endpoint *e)
{
	return vbm_endpoint_is_under_way(e->pub.state) || e->pub.state == VBM_ENDPOINT_REQUESTED ||
	       e->pub.state == VBM_ENDPOINT_CONNECTED;
}

/* Watch for @events of @fd in place of *@watched. 0; or an errno value, and *@watched is -1. */
static int watch_instead(int watchfd, int *watched, int fd, uint32_t events)
{
	struct epoll_event event = {.events = events};

	/* A descriptor that was closed has left the set, and its number may be in use again. */
	if (*watched >= 0 && *watched != fd)
		epoll_ctl(watchfd, EPOLL_CTL_DEL, *watched, NULL);
	*watched = -1;
	if (fd >= 0 && epoll_ctl(watchfd, EPOLL_CTL_MOD, fd, &event) &&
	    epoll_ctl(watchfd, EPOLL_CTL_ADD, fd, &event))
		return errno;
	*watched = fd;
	return 0;
}

/*
 * The program waits for one descriptor, whatever the endpoint waits for. Events of the
 * device are reported once: an event that is the program's to read must not keep it awake.
 * When memory for epoll(7) runs out, the device is tried again at the next call. Without the
 * socket nothing would wake the program: an operation under way ends, with the code that the
 * function returns, and the program waits for the socket of a connection itself.
 */
static int watch(struct endpoint *e)
{
	struct pollfd p[TCP_WAITS];
	int rc;

	if (e->watchfd < 0)
		return 0;
	if (!has_events(e)) {
		vbm_endpoint_end_watch(e);
		return 0;
	}
	vbm_tcp_waits(e, p);
	/* In this order, because a device may have the number of a socket that was closed. */
	rc = watch_instead(e->watchfd, &e->watched[0], p[0].fd, (uint32_t)p[0].events);
	if (e->watched[1] != p[1].fd)
		watch_instead(e->watchfd, &e->watched[1], p[1].fd, EPOLLIN | EPOLLET);
	if (rc == 0)
		return 0;
	vbm_endpoint_end_watch(e);
	return vbm_endpoint_is_under_way(e->pub.state) ?
		vbm_tcp_give_up(e, vbm_tcp_failed(e, "epoll_ctl", rc)) : 0;
}

/* After an operation or a look has returned @rc. */
static int watch_after(struct endpoint *e, int rc)
{
	int failed = watch(e);

	return rc ? rc : failed;
}

static int make_watch(struct endpoint *e)
{
	if (e->watchfd >= 0)
		return 0;
	e->watched[0] = e->watched[1] = -1;
	e->watchfd = epoll_create1(EPOLL_CLOEXEC);
	return e->watchfd >= 0 ? 0 : vbm_tcp_failed(e, "epoll_create1", errno);
}

/* Wait until @end: see vbm_endpoint_poll(). */
static int await(struct endpoint *e, int64_t end)
{
	struct pollfd p[TCP_WAITS + 1];

	vbm_tcp_waits(e, p);
	if (p[1].fd >= 0)
		p[1].fd = vbm_endpoint_device_fd(e);
	return vbm_endpoint_poll(e, p, TCP_WAITS, end);
}

static int64_t tcp_due(const struct endpoint *e)
{
	if (e->pub.state == VBM_ENDPOINT_LISTENING)
		return vbm_callers_until(&e->callers);
	if (e->pub.state == VBM_ENDPOINT_TRANSLATING)
		return 0;	/* the resolver has the limit */
	return vbm_endpoint_is_under_way(e->pub.state) ? e->step_end : 0;
}

/*
 * The operation has begun: go on, and unless the program's loop does that, until it has
 * ended. Returns the code with which it has ended.
 */
static int drive(struct endpoint *e)
{
	int rc = e->options.no_wait ? make_watch(e) : 0;

	rc = rc ? vbm_tcp_give_up(e, rc) : vbm_tcp_go(e);
	while (endpoint_waits(e) && vbm_endpoint_is_under_way(e->pub.state)) {
		rc = await(e, tcp_due(e));
		if (rc == 0)
			rc = vbm_tcp_go(e);
		else if (rc == ETIMEDOUT)
			rc = vbm_tcp_time_is_up(e);
		else
			vbm_tcp_give_up(e, rc);
	}
	return watch_after(e, rc);
}

static int tcp_connect(struct endpoint *e, const char *node, const char *service)
{
	int rc = 0;

	e->at = e->options.list;
	e->pub.state = e->at ? VBM_ENDPOINT_RESOLVING_ADDR : VBM_ENDPOINT_TRANSLATING;
	if (!e->at)
		rc = vbm_endpoint_translate_begin(e, node, service, false);
	return rc ? vbm_endpoint_failed(e, rc) : drive(e);
}

static int tcp_accept(struct endpoint *e, const void *data, size_t len)
{
	struct vbm_handshake_options o = {
		.size = sizeof(o), .private_data = e->request_data, .private_length = len,
	};
	int rc;

	if (len)
		memcpy(e->request_data, data, len);
	e->pub.state = VBM_ENDPOINT_ACCEPTING;
	rc = vbm_tcp_begin_talk(e, &o);
	return rc ? vbm_tcp_give_up(e, rc) : drive(e);
}

static int refuse(void *context, const struct vbm_handshake_peer *client,
		  struct vbm_handshake_options *reply)
{
	(void)context;
	(void)client;
	(void)reply;
	return ECONNREFUSED;
}

/* The first message is there, and the socket has room for the refusal: nothing waits. */
static int tcp_reject(struct endpoint *e, const void *data, size_t len)
{
	struct vbm_handshake_options o = {
		.size = sizeof(o), .private_data = data, .private_length = len, .request = refuse,
	};
	int rc = vbm_tcp_begin_talk(e, &o);

	if (rc)
		return vbm_tcp_give_up(e, rc);
	rc = e->talk->is_over ? e->talk->result : ECONNABORTED;
	vbm_tcp_end_talk(e);
	if (rc == ECONNREFUSED) {
		vbm_tcp_hang_up(e);
		return 0;
	}
	e->pub.error = e->pub.qp->error;
	return vbm_tcp_give_up(e, rc == ECONNRESET ? ECONNABORTED : rc);
}

static int tcp_disconnect(struct endpoint *e)
{
	vbm_qp_to_error(e->pub.qp);
	shutdown(e->pub.socket, SHUT_WR);
	e->pub.state = VBM_ENDPOINT_DISCONNECTING;
	return drive(e);
}

static int tcp_wait(struct endpoint *e, int timeout_ms)
{
	int64_t end = vbm_loop_end_after(timeout_ms);
	int rc = 0, seen;

	while (rc == 0 && e->pub.state == VBM_ENDPOINT_CONNECTED) {
		rc = await(e, end);
		if (rc == 0 || rc == ETIMEDOUT) {
			seen = vbm_tcp_look(e);
			rc = seen ? seen : rc;
		}
	}
	watch(e);
	return rc == ETIMEDOUT ? vbm_tcp_none_in_time(e, "waiting for the end of the connection") : rc;
}

static int tcp_fd(struct endpoint *e)
{
	if (e->pub.state == VBM_ENDPOINT_LISTENING)
		return loop_fd(&e->callers.loop);
	if (has_events(e) && e->watchfd < 0 && make_watch(e) == 0)
		watch(e);
	return e->watchfd >= 0 ? e->watchfd : e->pub.socket;
}

static int tcp_look(struct endpoint *e)
{
	struct epoll_event seen[TCP_WAITS];
	int rc = 0;

	if (e->watchfd >= 0)
		epoll_wait(e->watchfd, seen, TCP_WAITS, 0);	/* what it reports is looked at below */
	if (e->pub.state == VBM_ENDPOINT_CONNECTED || e->pub.state == VBM_ENDPOINT_REQUESTED)
		rc = vbm_tcp_look(e);
	else if (vbm_endpoint_is_under_way(e->pub.state))
		rc = vbm_tcp_go(e);
	if (rc == 0 && vbm_loop_ms_left(tcp_due(e)) == 0)
		rc = vbm_tcp_time_is_up(e);
	return watch_after(e, rc);
}

const struct endpoint_calls vbm_endpoint_handshake = {
	.connect = tcp_connect,
	.listen = vbm_tcp_listen,
	.get_request = vbm_tcp_get_request,
	.accept = tcp_accept,
	.reject = tcp_reject,
	.disconnect = tcp_disconnect,
	.wait = tcp_wait,
	.look = tcp_look,
	.fd = tcp_fd,
	.due = tcp_due,
	.stop = tcp_stop,
	.end = tcp_end,
};
