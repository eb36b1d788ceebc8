/* SPDX-License-Identifier: BSD-2-Clause */
/* Long: all of it is one state machine over one struct. */
/*
 * The way by the handshake: what a connection stands on, the steps of an operation, none of which waits, listeners,
 * and the calls of an endpoint.
 */
#include "lib/endpoint/endpoint.h"

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <verbatim/handshake.h>
#include <verbatim/resolve.h>

#include "lib/base/fail.h"
#include "lib/base/mem.h"
#include "lib/handshake/drive.h"
#include "lib/handshake/message.h"
#include "lib/handshake/talk.h"
#include "lib/qp/device.h"
#include "lib/qp/qp.h"

/* Nothing has come in the time of a wait, which is no failure. Returns ETIMEDOUT. */
static int none_in_time(struct endpoint *e, const char *call)
{
	char text[INET6_ADDRSTRLEN];

	return -vbm_note(&e->pub.error, ETIMEDOUT, "%s fails for %s: %s", call, vbm_endpoint_address(e, text),
			 strerror(ETIMEDOUT));
}

/* The error of a queue pair, which does not name the address, for the endpoint. */
static int qp_failed(struct endpoint *e, const struct vbm_error *error, int code)
{
	char text[INET6_ADDRSTRLEN];

	return -vbm_note(&e->pub.error, code, "no connection with %s: %s", vbm_endpoint_address(e, text),
			 error->msg);
}

/* Make a queue pair on the device of the address that the peer sees. */
static int make_qp(struct endpoint *e)
{
	struct sockaddr_storage own;
	socklen_t len = sizeof(own);
	struct vbm_error error;
	int rc;

	if (getsockname(e->pub.socket, (struct sockaddr *)&own, &len))
		return vbm_endpoint_call_failed(e, "getsockname", errno);
	rc = vbm_create_qp(&e->pub.qp, (struct sockaddr *)&own, &e->options.qp, &error);
	if (rc)
		return qp_failed(e, &error, rc);
	rc = vbm_qp_to_init(e->pub.qp);
	return rc ? qp_failed(e, &e->pub.qp->error, rc) : 0;
}

static void drop_socket(struct endpoint *e)
{
	if (e->pub.socket >= 0)
		close(e->pub.socket);
	e->pub.socket = -1;
}

/* After the handshake the stream carries nothing else, so the only event is its end. */
static bool has_ended(struct endpoint *e)
{
	char byte;
	ssize_t n;

	do {
		n = recv(e->pub.socket, &byte, 1, MSG_DONTWAIT);
	} while (n < 0 && errno == EINTR);
	if (n < 0 && errno != EAGAIN)
		e->pub.reason = errno;
	return n >= 0 || errno != EAGAIN;
}

/* The peer has ended the connection. */
static void hang_up(struct endpoint *e)
{
	vbm_qp_to_error(e->pub.qp);
	drop_socket(e);
	e->pub.state = VBM_ENDPOINT_DISCONNECTED;
	e->step_end = 0;
}

/* The peer learns by the end of the TCP connection that this end has no device any more. */
static int remove_device(struct endpoint *e)
{
	vbm_fail(&e->pub.error, ENODEV, "the device %s of the connection has gone", e->pub.qp->place.device);
	vbm_qp_to_error(e->pub.qp);
	drop_socket(e);
	e->pub.state = VBM_ENDPOINT_REMOVED;
	e->step_end = 0;
	return ENODEV;
}

/*
 * ENODEV, and the state is REMOVED, when the device has gone; 0, and the state is DISCONNECTED, when the peer has
 * ended the connection; else what vbm_endpoint_look_at_device() returns. The end of the connection explains why a
 * queue pair fails, so it comes first.
 */
static int look_at_connection(struct endpoint *e)
{
	int rc;

	if (vbm_device_has_gone(e->pub.qp->context))
		return remove_device(e);
	if (e->pub.state == VBM_ENDPOINT_CONNECTED && has_ended(e)) {
		hang_up(e);
		return 0;
	}
	rc = vbm_endpoint_look_at_device(e);
	if (e->pub.state == VBM_ENDPOINT_FAILED)
		drop_socket(e);
	return rc;
}

/*
 * The descriptors that a step or an event waits for: first the socket or that of the
 * resolver, then the device's. A descriptor that nothing waits for is -1.
 */
#define TCP_WAITS 2
#define WAITS INT_MIN	/* of a step: it is not done; no code of a failure is this number */

/*
 * A client's or a server's handshake begins, with private data and version of @options;
 * the step goes on with it. 0, or ENOMEM with the message in the endpoint's error.
 */
static int begin_talk(struct endpoint *e, const struct vbm_handshake_options *options)
{
	e->talk = vbm_mem_zalloc(sizeof(*e->talk));
	if (!e->talk)
		return -vbm_fail(&e->pub.error, ENOMEM, "out of memory");
	vbm_talk_begin(e->talk, !e->is_passive, e->pub.qp, e->pub.socket, options);
	return 0;
}

static void end_talk(struct endpoint *e)
{
	if (e->talk && !e->talk->is_over)
		vbm_talk_drop(e->talk);
	free(e->talk);
	e->talk = NULL;
}

/*
 * The address under way has failed with @code: try the next one. After the last one all are
 * tried again, if the options say so. @is_final: no other address can help.
 */
static int next_address(struct endpoint *e, int code, bool is_final)
{
	bool is_last = is_final || !e->at->ai_next;
	int busy;

	end_talk(e);
	drop_socket(e);
	if (is_last && !is_final)
		code = vbm_endpoint_all_failed(e, code);
	if (is_final || (is_last && !vbm_endpoint_is_retried(e, code)))
		return vbm_endpoint_failed(e, code);
	if (!is_last)
		vbm_endpoint_note_failure(e, code);
	vbm_endpoint_keep_data(e, NULL, 0);
	busy = vbm_endpoint_discard(e);
	if (busy)
		return vbm_endpoint_failed(e, busy);
	if (is_last) {
		vbm_endpoint_pause(e);
		return 0;
	}
	e->at = e->at->ai_next;
	e->pub.state = VBM_ENDPOINT_RESOLVING_ADDR;
	return 0;
}

static int translate(struct endpoint *e)
{
	bool is_over;
	int rc = vbm_endpoint_translate_go(e, &is_over);

	if (!is_over)
		return WAITS;
	e->at = e->translated;
	if (rc == 0 && !e->at)
		rc = vbm_endpoint_call_failed(e, "vbm_connect", EADDRNOTAVAIL);
	if (rc)
		return vbm_endpoint_failed(e, rc);
	e->pub.state = VBM_ENDPOINT_RESOLVING_ADDR;
	return 0;
}

static int open_socket(struct endpoint *e)
{
	const struct sockaddr *to = e->at->ai_dst_addr, *from = e->at->ai_src_addr;
	int s;

	if (e->is_pausing && vbm_loop_ms_left(e->step_end))
		return WAITS;
	e->is_pausing = false;
	vbm_endpoint_share_time(e);
	s = socket(to->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (s < 0)
		return next_address(e, vbm_endpoint_call_failed(e, "socket", errno), false);
	e->pub.socket = s;
	vbm_handshake_mind_peer(s, e->options.keepalive_ms, e->options.qp.traffic_class);
	e->pub.state = VBM_ENDPOINT_RESOLVING_ROUTE;
	if (from && from->sa_family == to->sa_family && bind(s, from, e->at->ai_src_len))
		return next_address(e, vbm_endpoint_call_failed(e, "bind", errno), false);
	return 0;
}

static int greet(struct endpoint *e)
{
	struct vbm_handshake_options o = {
		.size = sizeof(o), .version = VBM_HANDSHAKE_ONLY_1, .authenticate = e->options.authenticate,
		.context = e->pub.context,
	};
	uint8_t data[PRIVATE_DATA_MAX];
	int rc = vbm_endpoint_connect_data(e, data, &o.private_length);

	if (rc)
		return next_address(e, rc, false);
	e->pub.state = VBM_ENDPOINT_CONNECTING;
	o.private_data = data;
	rc = begin_talk(e, &o);
	return rc ? next_address(e, rc, false) : 0;
}

/* The second call of connect(2) says how the first one ends. */
static int reach(struct endpoint *e)
{
	int rc;

	if (connect(e->pub.socket, e->at->ai_dst_addr, e->at->ai_dst_len) && errno != EISCONN) {
		if (errno == EINPROGRESS || errno == EALREADY || errno == EINTR)
			return WAITS;
		return next_address(e, vbm_endpoint_call_failed(e, "connect", errno), false);
	}
	rc = make_qp(e);
	if (rc)
		return next_address(e, rc, false);
	rc = vbm_endpoint_take_qp(e);
	return rc ? next_address(e, rc, true) : greet(e);
}

/* End the operation under way with @code, whose message is in the endpoint's error. */
static int give_up(struct endpoint *e, int code)
{
	if (e->pub.state == VBM_ENDPOINT_DISCONNECTING) {
		hang_up(e);
		return code;
	}
	end_talk(e);
	drop_socket(e);
	return vbm_endpoint_failed(e, code);
}

static int connected(struct endpoint *e)
{
	end_talk(e);
	e->pub.state = VBM_ENDPOINT_CONNECTED;
	e->step_end = 0;
	return 0;
}

/* The client's talk has ended with @code. */
static int answered(struct endpoint *e, int code)
{
	const struct handshake *h = &e->talk->h;

	if (code == 0 || h->flag == HANDSHAKE_REFUSAL)
		vbm_endpoint_keep_data(e, vbm_handshake_private(h), h->peer_private_length);
	if (code == 0)
		return connected(e);
	code = qp_failed(e, &e->pub.qp->error, code);
	if (code != ECONNREFUSED)
		return next_address(e, code, false);
	/* The peer's program refused, and its other addresses lead to the same program. */
	return next_address(e, vbm_endpoint_all_failed(e, code), true);
}

static int talk_as_client(struct endpoint *e)
{
	int rc = vbm_talk_go(e->talk);

	return e->talk->is_over ? answered(e, rc) : WAITS;
}

/* The server's talk has ended with @code. */
static int confirmed(struct endpoint *e, int code)
{
	if (code == 0)
		return connected(e);
	e->pub.error = e->pub.qp->error;
	return give_up(e, code == ECONNRESET ? ECONNABORTED : code);
}

static int talk_as_server(struct endpoint *e)
{
	int rc = vbm_talk_go(e->talk);

	return e->talk->is_over ? confirmed(e, rc) : WAITS;
}

static int await_end(struct endpoint *e)
{
	int rc = look_at_connection(e);

	if (rc)
		return rc;
	if (!has_ended(e))
		return WAITS;
	hang_up(e);
	return 0;
}

/* As many steps as there can be without waiting. 0, or the code with which the operation has ended. */
static int take_steps(struct endpoint *e)
{
	static int (*const step[ENDPOINT_STATES])(struct endpoint *e) = {
		[VBM_ENDPOINT_TRANSLATING] = translate,
		[VBM_ENDPOINT_RESOLVING_ADDR] = open_socket,
		[VBM_ENDPOINT_RESOLVING_ROUTE] = reach,
		[VBM_ENDPOINT_CONNECTING] = talk_as_client,
		[VBM_ENDPOINT_ACCEPTING] = talk_as_server,
		[VBM_ENDPOINT_DISCONNECTING] = await_end,
	};
	int rc = 0;

	while (rc == 0 && step[e->pub.state])
		rc = step[e->pub.state](e);
	return rc == WAITS ? 0 : rc;
}

/* The time limit of the step has come. Returns the same. */
static int time_is_up(struct endpoint *e)
{
	int rc = 0;

	switch (e->pub.state) {
	case VBM_ENDPOINT_RESOLVING_ADDR:
		break;
	case VBM_ENDPOINT_RESOLVING_ROUTE:
		rc = next_address(e, vbm_endpoint_call_failed(e, "connect", ETIMEDOUT), false);
		break;
	case VBM_ENDPOINT_CONNECTING:
		rc = answered(e, vbm_talk_time_is_up(e->talk));
		break;
	case VBM_ENDPOINT_ACCEPTING:
		return confirmed(e, vbm_talk_time_is_up(e->talk));
	case VBM_ENDPOINT_DISCONNECTING:
		rc = vbm_endpoint_call_failed(e, "waiting for the end of the connection", ETIMEDOUT);
		hang_up(e);
		return rc;
	default:
		return give_up(e, vbm_endpoint_call_failed(e, "vbm_connect", ETIMEDOUT));
	}
	return rc ? rc : take_steps(e);
}

static int tcp_listen(struct endpoint *e, const struct rdma_addrinfo *at)
{
	const char *call;
	int rc = vbm_handshake_listener_like(&e->pub.socket, at->ai_src_addr, at->ai_src_len, e->options.backlog,
					     e->options.keepalive_ms, e->options.qp.traffic_class, &call);

	if (rc)
		return vbm_endpoint_call_failed(e, call, rc);
	rc = vbm_callers_init(&e->callers, e->pub.socket, e->options.backlog);
	e->callers.door.authenticate = e->options.authenticate;
	e->callers.door.context = e->pub.context;
	if (rc == 0)
		return 0;
	vbm_callers_clear(&e->callers);
	drop_socket(e);
	return vbm_endpoint_call_failed(e, "vbm_listen", rc);
}

/*
 * Keep the private data of the first message, which is whole. It stays in the socket, and
 * the handshake reads it again.
 */
static void read_ahead(struct endpoint *e)
{
	uint8_t bytes[HANDSHAKE_BYTES_MAX];
	struct handshake_message m;
	size_t length = 0;
	ssize_t n = recv(e->pub.socket, bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT);

	if (n >= HANDSHAKE_HEAD && !vbm_handshake_head(bytes, &length) && length > HANDSHAKE_HEAD &&
	    (size_t)n >= length && !vbm_handshake_decode(&m, bytes))
		vbm_endpoint_keep_data(e, m.private_data, m.private_length);
}

/* The socket of the next caller with a request. */
static int next_caller(struct endpoint *e, int64_t end, int *s)
{
	struct pollfd p[2];
	int rc;

	for (;;) {
		rc = vbm_callers_next(&e->callers, vbm_loop_end_after(0), e->options.timeout_ms, s);
		if (rc == ETIMEDOUT && vbm_loop_ms_left(end) == 0)
			return none_in_time(e, "vbm_get_request");
		if (rc != ETIMEDOUT)
			return rc ? vbm_endpoint_call_failed(e, "vbm_get_request", rc) : 0;
		p[0] = (struct pollfd){.fd = loop_fd(&e->callers.loop), .events = POLLIN};
		rc = vbm_endpoint_poll(e, p, 1, end);
		if (rc && rc != ETIMEDOUT)
			return rc;
	}
}

/* The request is rejected, as its peer learns by the end of the socket. */
static int drop_request(struct endpoint *e, struct endpoint *n, int code)
{
	e->pub.error = n->pub.error;
	vbm_destroy_endpoint(&n->pub);
	return code;
}

static int tcp_get_request(struct endpoint *e, int timeout_ms)
{
	struct endpoint *n;
	int s, rc;

	rc = next_caller(e, vbm_loop_end_after(timeout_ms), &s);
	if (rc)
		return rc;
	n = vbm_endpoint_for_request(e);
	if (!n) {
		close(s);
		return -vbm_fail(&e->pub.error, ENOMEM, "out of memory");
	}
	n->pub.socket = s;
	n->pub.state = VBM_ENDPOINT_REQUESTED;
	read_ahead(n);
	rc = make_qp(n);
	if (rc)
		return drop_request(e, n, rc);
	rc = vbm_endpoint_take_qp(n);
	if (rc) {
		vbm_endpoint_undo_qp(n);
		return drop_request(e, n, rc);
	}
	e->arrived = &n->pub;
	return 0;
}

static void tcp_stop(struct endpoint *e)
{
	end_talk(e);
}

static void tcp_end(struct endpoint *e)
{
	vbm_endpoint_leave_device(e);
	vbm_callers_clear(&e->callers);
	drop_socket(e);
	vbm_endpoint_end_watch(e);
}

static void list_waits(const struct endpoint *e, struct pollfd p[TCP_WAITS])
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
static int update_watch(struct endpoint *e)
{
	struct pollfd p[TCP_WAITS];
	int rc;

	if (e->watchfd < 0)
		return 0;
	if (!has_events(e)) {
		vbm_endpoint_end_watch(e);
		return 0;
	}
	list_waits(e, p);
	/* In this order, because a device may have the number of a socket that was closed. */
	rc = watch_instead(e->watchfd, &e->watched[0], p[0].fd, (uint32_t)p[0].events);
	if (e->watched[1] != p[1].fd)
		watch_instead(e->watchfd, &e->watched[1], p[1].fd, EPOLLIN | EPOLLET);
	if (rc == 0)
		return 0;
	vbm_endpoint_end_watch(e);
	return vbm_endpoint_is_under_way(e->pub.state) ?
		give_up(e, vbm_endpoint_call_failed(e, "epoll_ctl", rc)) : 0;
}

/* After an operation or a look has returned @rc. */
static int watch_after(struct endpoint *e, int rc)
{
	int failed = update_watch(e);

	return rc ? rc : failed;
}

static int make_watch(struct endpoint *e)
{
	if (e->watchfd >= 0)
		return 0;
	e->watched[0] = e->watched[1] = -1;
	e->watchfd = epoll_create1(EPOLL_CLOEXEC);
	return e->watchfd >= 0 ? 0 : vbm_endpoint_call_failed(e, "epoll_create1", errno);
}

/* Wait until @end: see vbm_endpoint_poll(). */
static int await_socket(struct endpoint *e, int64_t end)
{
	struct pollfd p[TCP_WAITS + 1];

	list_waits(e, p);
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

	rc = rc ? give_up(e, rc) : take_steps(e);
	while (endpoint_waits(e) && vbm_endpoint_is_under_way(e->pub.state)) {
		rc = await_socket(e, tcp_due(e));
		if (rc == 0)
			rc = take_steps(e);
		else if (rc == ETIMEDOUT)
			rc = time_is_up(e);
		else
			give_up(e, rc);
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
	rc = begin_talk(e, &o);
	return rc ? give_up(e, rc) : drive(e);
}

static int refuse_client(void *context, const struct vbm_handshake_peer *client,
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
		.size = sizeof(o), .private_data = data, .private_length = len, .request = refuse_client,
	};
	int rc = begin_talk(e, &o);

	if (rc)
		return give_up(e, rc);
	rc = e->talk->is_over ? e->talk->result : ECONNABORTED;
	end_talk(e);
	if (rc == ECONNREFUSED) {
		hang_up(e);
		return 0;
	}
	e->pub.error = e->pub.qp->error;
	return give_up(e, rc == ECONNRESET ? ECONNABORTED : rc);
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
		rc = await_socket(e, end);
		if (rc == 0 || rc == ETIMEDOUT) {
			seen = look_at_connection(e);
			rc = seen ? seen : rc;
		}
	}
	update_watch(e);
	return rc == ETIMEDOUT ? none_in_time(e, "waiting for the end of the connection") : rc;
}

static int tcp_fd(struct endpoint *e)
{
	if (e->pub.state == VBM_ENDPOINT_LISTENING)
		return loop_fd(&e->callers.loop);
	if (has_events(e) && e->watchfd < 0 && make_watch(e) == 0)
		update_watch(e);
	return e->watchfd >= 0 ? e->watchfd : e->pub.socket;
}

static int tcp_look(struct endpoint *e)
{
	struct epoll_event seen[TCP_WAITS];
	int rc = 0;

	if (e->watchfd >= 0)
		epoll_wait(e->watchfd, seen, TCP_WAITS, 0);	/* what it reports is looked at below */
	if (e->pub.state == VBM_ENDPOINT_CONNECTED || e->pub.state == VBM_ENDPOINT_REQUESTED)
		rc = look_at_connection(e);
	else if (vbm_endpoint_is_under_way(e->pub.state))
		rc = take_steps(e);
	if (rc == 0 && vbm_loop_ms_left(tcp_due(e)) == 0)
		rc = time_is_up(e);
	return watch_after(e, rc);
}

const struct endpoint_calls vbm_endpoint_handshake = {
	.connect = tcp_connect,
	.listen = tcp_listen,
	.get_request = tcp_get_request,
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
