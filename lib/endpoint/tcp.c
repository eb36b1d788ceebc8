/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/endpoint/endpoint.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <verbatim/handshake.h>

#include "lib/base/fail.h"
#include "lib/handshake/drive.h"
#include "lib/handshake/message.h"
#include "lib/qp/device.h"
#include "lib/qp/qp.h"

#define DEAF_MS 100	/* after an event of the device that is the program's to read */

static int failed(struct endpoint *e, const char *call, int code)
{
	char text[INET6_ADDRSTRLEN];

	return -vbm_fail(&e->pub.error, code, "%s fails for %s: %s", call,
			 vbm_endpoint_address(e, text), strerror(code));
}

static void drop_socket(struct endpoint *e)
{
	if (e->pub.socket >= 0)
		close(e->pub.socket);
	if (e->watchfd >= 0)
		close(e->watchfd);
	e->pub.socket = e->watchfd = -1;
}

static void tcp_end(struct endpoint *e)
{
	vbm_callers_clear(&e->callers);
	drop_socket(e);
}

/* Wait until @fd is ready. 0, ETIMEDOUT or the errno of poll(2). */
static int await(int fd, short events, int64_t end)
{
	struct pollfd p = {.fd = fd, .events = events};
	int n;

	do {
		n = poll(&p, 1, vbm_loop_ms_left(end));
	} while (n < 0 && errno == EINTR);
	return n < 0 ? errno : n ? 0 : ETIMEDOUT;
}

static int dial(struct endpoint *e)
{
	const struct sockaddr *to = e->at->ai_dst_addr;
	const struct sockaddr *from = e->at->ai_src_addr;
	int rc = 0, s = socket(to->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(rc);

	if (s < 0)
		return failed(e, "socket", errno);
	e->pub.socket = s;
	e->pub.state = VBM_ENDPOINT_RESOLVING_ROUTE;
	if (from && from->sa_family == to->sa_family && bind(s, from, e->at->ai_src_len))
		return failed(e, "bind", errno);
	if (connect(s, to, e->at->ai_dst_len) == 0)
		return 0;
	if (errno != EINPROGRESS)
		return failed(e, "connect", errno);
	rc = await(s, POLLOUT, e->step_end);
	if (rc == 0 && getsockopt(s, SOL_SOCKET, SO_ERROR, &rc, &len))
		rc = errno;
	return rc ? failed(e, "connect", rc) : 0;
}

/* The error of a queue pair, which does not name the address, for the endpoint. */
static int qp_failed(struct endpoint *e, const struct vbm_error *error, int code)
{
	char text[INET6_ADDRSTRLEN];

	return -vbm_fail(&e->pub.error, code, "no connection with %s: %s", vbm_endpoint_address(e, text),
			 error->msg);
}

/* Make the queue pair on the device of the address that the peer sees. */
static int make_qp(struct endpoint *e)
{
	struct sockaddr_storage own;
	socklen_t len = sizeof(own);
	struct vbm_error error;
	int rc;

	if (getsockname(e->pub.socket, (struct sockaddr *)&own, &len))
		return failed(e, "getsockname", errno);
	rc = vbm_create_qp(&e->pub.qp, (struct sockaddr *)&own, &e->options.qp, &error);
	if (rc)
		return qp_failed(e, &error, rc);
	rc = vbm_qp_to_init(e->pub.qp);
	return rc ? qp_failed(e, &e->pub.qp->error, rc) : 0;
}

/*
 * The limit of one step. Without a limit this is a long time, because 0 would be the
 * handshake's default.
 */
static int step_ms(const struct endpoint *e)
{
	int ms = vbm_loop_ms_left(e->step_end);

	return ms < 0 ? INT32_MAX : ms ? ms : 1;
}

static int greet(struct endpoint *e)
{
	struct vbm_handshake_options o = {
		.size = sizeof(o), .version = VBM_HANDSHAKE_ONLY_1, .timeout_ms = step_ms(e),
	};
	uint8_t data[PRIVATE_DATA_MAX];
	struct vbm_handshake_peer peer;
	int rc;

	rc = vbm_endpoint_connect_data(e, data, &o.private_length);
	if (rc)
		return rc;
	o.private_data = data;
	e->pub.state = VBM_ENDPOINT_CONNECTING;
	rc = vbm_handshake_client(e->pub.qp, e->pub.socket, &o, &peer);
	vbm_endpoint_keep_data(e, peer.private_data, peer.private_length);
	if (rc)
		return qp_failed(e, &e->pub.qp->error, rc);
	e->pub.state = VBM_ENDPOINT_CONNECTED;
	return 0;
}

/* Connect to the present address. *@is_final says that no other address can help. */
static int try_address(struct endpoint *e, bool *is_final)
{
	int rc;

	*is_final = false;
	e->pub.state = VBM_ENDPOINT_RESOLVING_ADDR;
	vbm_endpoint_share_time(e);
	rc = dial(e);
	rc = rc ? rc : make_qp(e);
	if (rc)
		return rc;
	rc = vbm_endpoint_prepare(e);
	*is_final = rc != 0;
	if (rc)
		return rc;
	rc = greet(e);
	if (rc != ECONNREFUSED)
		return rc;
	/* The peer's program refused, and its other addresses lead to the same program. */
	*is_final = true;
	return vbm_endpoint_all_failed(e, rc);
}

static int try_all(struct endpoint *e)
{
	bool is_final;
	int rc, busy;

	for (;;) {
		rc = try_address(e, &is_final);
		if (rc == 0)
			return 0;
		drop_socket(e);
		if (is_final)
			return rc;
		if (!e->at->ai_next)
			return vbm_endpoint_all_failed(e, rc);
		vbm_endpoint_note_failure(e, rc);
		vbm_endpoint_keep_data(e, NULL, 0);
		busy = vbm_endpoint_discard(e);
		if (busy)
			return busy;
		e->at = e->at->ai_next;
	}
}

static int tcp_connect(struct endpoint *e, const char *node, const char *service)
{
	int rc = 0;

	e->at = e->options.list;
	if (!e->at)
		rc = vbm_endpoint_translate(e, node, service, false);
	if (rc)
		return vbm_endpoint_failed(e, rc);
	e->at = e->at ? e->at : e->translated;
	rc = e->at ? try_all(e) : failed(e, "vbm_connect", EADDRNOTAVAIL);
	return rc ? vbm_endpoint_failed(e, rc) : 0;
}

static int tcp_listen(struct endpoint *e, const struct rdma_addrinfo *at)
{
	const char *call;
	int rc = vbm_handshake_listener(&e->pub.socket, at->ai_src_addr, at->ai_src_len,
					e->options.backlog, &call);

	if (rc)
		return failed(e, call, rc);
	rc = vbm_callers_init(&e->callers, e->pub.socket, e->options.backlog);
	if (rc == 0)
		return 0;
	tcp_end(e);
	return failed(e, "vbm_listen", rc);
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

static int tcp_get_request(struct endpoint *e, int timeout_ms)
{
	struct endpoint *n;
	int s, rc;

	rc = vbm_callers_next(&e->callers, vbm_loop_end_after(timeout_ms),
			      e->options.timeout_ms, &s);
	if (rc)
		return failed(e, "vbm_get_request", rc);
	n = vbm_endpoint_for_request(e);
	if (!n) {
		close(s);
		return -vbm_fail(&e->pub.error, ENOMEM, "out of memory");
	}
	n->pub.socket = s;
	n->pub.state = VBM_ENDPOINT_REQUESTED;
	read_ahead(n);
	rc = make_qp(n);
	if (rc) {
		e->pub.error = n->pub.error;
		vbm_destroy_endpoint(&n->pub);
		return rc;
	}
	e->arrived = &n->pub;
	return 0;
}

struct reply {
	int code;		/* 0: accept */
	const void *data;
	size_t len;
};

static int say_reply(void *context, const struct vbm_handshake_peer *client,
		     struct vbm_handshake_options *options)
{
	const struct reply *reply = context;

	(void)client;
	options->private_data = reply->data;
	options->private_length = reply->len;
	return reply->code;
}

static int serve(struct endpoint *e, struct reply *reply)
{
	const struct vbm_handshake_options o = {
		.size = sizeof(o), .timeout_ms = step_ms(e), .request = say_reply, .context = reply,
	};

	return vbm_handshake_server(e->pub.qp, e->pub.socket, &o, NULL);
}

static int tcp_accept(struct endpoint *e, const void *data, size_t len)
{
	struct reply reply = {0, data, len};
	int rc;

	e->pub.state = VBM_ENDPOINT_ACCEPTING;
	rc = serve(e, &reply);
	if (rc == 0) {
		e->pub.state = VBM_ENDPOINT_CONNECTED;
		return 0;
	}
	e->pub.error = e->pub.qp->error;
	drop_socket(e);
	return vbm_endpoint_failed(e, rc == ECONNRESET ? ECONNABORTED : rc);
}

static int tcp_reject(struct endpoint *e, const void *data, size_t len)
{
	struct reply reply = {ECONNREFUSED, data, len};
	int rc = serve(e, &reply);

	drop_socket(e);
	if (rc != ECONNREFUSED) {
		e->pub.error = e->pub.qp->error;
		return vbm_endpoint_failed(e, rc == ECONNRESET ? ECONNABORTED : rc);
	}
	vbm_qp_to_error(e->pub.qp);
	e->pub.state = VBM_ENDPOINT_DISCONNECTED;
	return 0;
}

/* After the handshake the stream carries nothing else, so the only event is its end. */
static bool has_ended(struct endpoint *e)
{
	char byte;
	ssize_t n;

	do {
		n = recv(e->pub.socket, &byte, 1, MSG_DONTWAIT);
	} while (n < 0 && errno == EINTR);
	return n >= 0 || errno != EAGAIN;
}

static void hang_up(struct endpoint *e)
{
	vbm_qp_to_error(e->pub.qp);
	drop_socket(e);
	e->pub.state = VBM_ENDPOINT_DISCONNECTED;
}

/* The peer learns by the end of the TCP connection that this end has no device any more. */
static int remove_device(struct endpoint *e)
{
	vbm_fail(&e->pub.error, ENODEV, "the device %s of the connection has gone", e->pub.qp->place.device);
	vbm_qp_to_error(e->pub.qp);
	drop_socket(e);
	e->pub.state = VBM_ENDPOINT_REMOVED;
	return ENODEV;
}

/*
 * Wait for the socket or the device, until @end. 0, ETIMEDOUT or the errno of poll(2). A
 * call that is deaf waits for the socket only, and not for long.
 */
static int await_either(const struct endpoint *e, int64_t end, bool is_deaf)
{
	int64_t soon = vbm_loop_end_after(DEAF_MS);
	struct pollfd p[2] = {
		{.fd = e->pub.socket, .events = POLLIN},
		{.fd = is_deaf ? -1 : e->pub.qp->context->async_fd, .events = POLLIN},
	};
	int n = poll(p, 2, vbm_loop_ms_left(is_deaf && (!end || soon < end) ? soon : end));

	if (n < 0)
		return errno == EINTR ? 0 : errno;
	return n == 0 && end && vbm_loop_ms_left(end) == 0 ? ETIMEDOUT : 0;
}

/* An event that the program has to read stays, so this call becomes deaf for a moment. */
static int tcp_wait(struct endpoint *e, int timeout_ms)
{
	int64_t end = vbm_loop_end_after(timeout_ms);
	enum device_news news = DEVICE_IS_QUIET;
	int rc = 0;

	while (rc == 0) {
		rc = await_either(e, end, news == DEVICE_IS_NOT_OURS);
		news = vbm_device_look(e->pub.qp->context);
		if (news == DEVICE_HAS_GONE)
			return remove_device(e);
		if (rc == 0 && has_ended(e)) {
			hang_up(e);
			return 0;
		}
	}
	return failed(e, "waiting for the end of the connection", rc);
}

static int tcp_disconnect(struct endpoint *e)
{
	int rc;

	vbm_qp_to_error(e->pub.qp);
	shutdown(e->pub.socket, SHUT_WR);
	e->pub.state = VBM_ENDPOINT_DISCONNECTING;
	rc = tcp_wait(e, vbm_loop_ms_left(e->step_end));
	if (rc && e->pub.state != VBM_ENDPOINT_REMOVED)
		hang_up(e);
	return rc;
}

/*
 * A connection has two descriptors, and the program waits for one. Events of the device are
 * reported once: an event that is the program's to read must not keep it awake.
 */
static int watch_connection(const struct endpoint *e)
{
	struct epoll_event socket = {.events = EPOLLIN}, device = {.events = EPOLLIN | EPOLLET};
	int fd = epoll_create1(EPOLL_CLOEXEC);

	if (fd >= 0 && epoll_ctl(fd, EPOLL_CTL_ADD, e->pub.socket, &socket) == 0 &&
	    epoll_ctl(fd, EPOLL_CTL_ADD, e->pub.qp->context->async_fd, &device) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static int tcp_fd(struct endpoint *e)
{
	if (e->pub.state == VBM_ENDPOINT_LISTENING)
		return e->callers.epfd;
	if (e->pub.state == VBM_ENDPOINT_CONNECTED && e->watchfd < 0)
		e->watchfd = watch_connection(e);
	return e->watchfd >= 0 ? e->watchfd : e->pub.socket;
}

/* The only time limits are those of callers that have sent no request. */
static int64_t tcp_due(const struct endpoint *e)
{
	return e->pub.state == VBM_ENDPOINT_LISTENING ? vbm_callers_until(&e->callers) : 0;
}

static void tcp_look(struct endpoint *e)
{
	struct epoll_event seen[2];

	if (e->pub.state != VBM_ENDPOINT_CONNECTED && e->pub.state != VBM_ENDPOINT_REQUESTED)
		return;
	if (e->watchfd >= 0)
		epoll_wait(e->watchfd, seen, 2, 0);	/* what it reports is looked at below */
	if (vbm_device_look(e->pub.qp->context) == DEVICE_HAS_GONE)
		remove_device(e);
	else if (e->pub.state == VBM_ENDPOINT_CONNECTED && has_ended(e))
		hang_up(e);
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
	.end = tcp_end,
};
