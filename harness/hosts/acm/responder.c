/* SPDX-License-Identifier: BSD-2-Clause */
#include "acm/responder.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "acm/answer.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/value.h"
#include "base/watch.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "process/child.h"

#define BACKLOG 64
#define LINES 64	/* connections at the same time */
#define PIECE 3		/* bytes of a reply that is sent in pieces */
#define PIECE_MS 2000	/* the time for the client to take one piece */
#define PAUSE_MS 50	/* after the first one */

struct line {
	struct responder_service *service;
	struct watch watch;	/* its descriptor is -1: free */
	size_t have;
	uint8_t buf[ACM_REQUEST_MAX];
};

struct responder_service {
	const struct acm_answer *answer;
	struct watch listener, control;
	int log;
	struct line line[LINES];
};

static void log_text(const struct responder_service *s, const char *text)
{
	/* If this write fails, the test sees a missing request. */
	if (write(s->log, text, strlen(text)) < 0)
		_exit(1);
}

static void line_close(struct line *l)
{
	watch_close(&l->watch);
	l->have = 0;
}

static void note_question(const struct responder_service *s, const struct acm_question *q)
{
	char src[ACM_TEXT], dst[ACM_TEXT], dgid[ACM_TEXT], text[4 * ACM_TEXT];

	acm_address_write(&q->src, src);
	acm_address_write(&q->dst, dst);
	acm_address_write(&q->path_dgid, dgid);
	snprintf(text, sizeof(text), "resolve %s %s %u %d %s %u\n", src, dst, q->paths,
		 q->no_delay, dgid, q->path_pkey);
	log_text(s, text);
}

/*
 * The send buffer is so small that the next piece fits only when the client has taken the
 * one before. So no client finds all pieces at once.
 */
static ssize_t send_piece(int fd, const uint8_t *data)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	int least = 1;

	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &least, sizeof(least));
	if (poll(&p, 1, clock_left_ms(clock_deadline_ms(PIECE_MS))) < 1)
		return -1;
	return send(fd, data, PIECE, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/*
 * When a piece arrives during a client's recv(2), that call can return several pieces. So
 * the first piece is sent alone, and the others wait a moment, or until the client sends
 * something or closes.
 */
static void pause_after_first(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN | POLLRDHUP};

	poll(&p, 1, clock_left_ms(clock_deadline_ms(PAUSE_MS)));
}

/* A client that does not read its answer loses the connection. */
static void reply(const struct responder_service *s, struct line *l, const struct acm_question *q)
{
	struct acm_reply_bytes out;
	size_t at = 0, step;
	ssize_t n = 1;

	acm_reply_make(&out, s->answer, q);
	while (at < out.len && n > 0) {
		step = out.len - at;
		if (out.split && step > PIECE)
			n = send_piece(l->watch.fd, out.data + at);
		else
			n = send(l->watch.fd, out.data + at, step, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (out.split && at == 0 && n > 0)
			pause_after_first(l->watch.fd);
		at += n > 0 ? (size_t)n : 0;
	}
	l->have = 0;
	if (out.hang_up || n <= 0)
		line_close(l);
}

static void complete(const struct responder_service *s, struct line *l)
{
	struct acm_question q;

	if (acm_question_read(&q, l->buf, l->have)) {
		note_question(s, &q);
		reply(s, l, &q);
	} else {
		log_text(s, "garbage\n");
		line_close(l);
	}
}

/* Handle all requests that have arrived. */
static void line_read_all(const struct responder_service *s, struct line *l)
{
	size_t want;
	ssize_t n;

	while (l->watch.fd >= 0) {
		want = l->have < ACM_HEAD_SIZE ? ACM_HEAD_SIZE : acm_question_length(l->buf);
		if (l->have >= want) {
			complete(s, l);
			continue;
		}
		n = recv(l->watch.fd, l->buf + l->have, want - l->have, MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0)
			line_close(l);
		else
			l->have += (size_t)n;
	}
}

static void accept_all(struct responder_service *s)
{
	size_t i;
	int fd;

	while ((fd = accept4(s->listener.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		log_text(s, "connect\n");
		for (i = 0; i < LINES && s->line[i].watch.fd >= 0; i++)
			;
		if (i < LINES)
			vbm_watch_set(&s->line[i].watch, fd, POLLIN);
		else
			close(fd);
	}
}

static void finish_pending(struct watch *control, uint32_t events)
{
	struct responder_service *s = OWNER_OF(control, struct responder_service, control);
	char c;
	size_t i;

	(void)events;
	if (read(s->control.fd, &c, 1) != 1)
		_exit(0);
	accept_all(s);
	for (i = 0; i < LINES; i++)
		line_read_all(s, &s->line[i]);
	if (write(s->control.fd, &c, 1) != 1)
		_exit(0);
}

static void on_client(struct watch *listener, uint32_t events)
{
	(void)events;
	accept_all(OWNER_OF(listener, struct responder_service, listener));
}

static void on_line(struct watch *w, uint32_t events)
{
	struct line *l = OWNER_OF(w, struct line, watch);

	(void)events;
	line_read_all(l->service, l);
}

static _Noreturn void serve_clients(struct responder_service *s, int listener, int control)
{
	struct loop loop;
	size_t i;
	int rc = 0;

	vbm_loop_init_plain(&loop);
	watch_add(&loop, &s->control, control, POLLIN, finish_pending);
	watch_add(&loop, &s->listener, listener, POLLIN, on_client);
	for (i = 0; i < LINES; i++) {
		s->line[i].service = s;
		watch_add(&loop, &s->line[i].watch, -1, POLLIN, on_line);
	}
	while (rc == 0 || rc == -EINTR)
		rc = vbm_loop_run(&loop, -1);
	_exit(1);
}

static _Noreturn void child(const struct acm_answer *answer, int listener, int control, int log,
			    pid_t parent)
{
	static struct responder_service s;	/* static, because it is too large for a stack */
	const int keep[] = {listener, control, log};

	child_service_begin("verbatim-acm", parent, keep, ARRAY_SIZE(keep));
	s.answer = answer;
	s.log = log;
	serve_clients(&s, listener, control);
}

/*
 * Clients read the port's number from a file. If it exists, they do not look for a Unix
 * socket.
 */
static int tell_port(const char *run, unsigned int port, struct vbm_error *err)
{
	auto_free char *path = xasprintf("%s/" ACM_PORT, run);
	FILE *f = fopen(path, "we");
	bool told = f && fprintf(f, "%u\n", port) > 0;

	if (f && fclose(f) == 0 && told)
		return 0;
	return vbm_fail(err, errno, "the path service cannot write %s: %s", path, strerror(errno));
}

static int listen_tcp(const char *run, struct vbm_error *err)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	auto_close int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	socklen_t len = sizeof(at);

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, len) < 0 || listen(fd, BACKLOG) < 0 ||
	    getsockname(fd, (struct sockaddr *)&at, &len) < 0)
		return vbm_fail(err, errno, "the path service cannot open a TCP port: %s",
				strerror(errno));
	if (tell_port(run, ntohs(at.sin_port), err) < 0)
		return -err->code;
	return steal_fd(&fd);
}

static int listen_unix(const char *run, struct vbm_error *err)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	auto_close int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if ((size_t)snprintf(at.sun_path, sizeof(at.sun_path), "%s/" ACM_SOCKET, run) >=
	    sizeof(at.sun_path))
		return vbm_fail(err, ENAMETOOLONG, "%s/" ACM_SOCKET " is too long for a socket",
				run);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 || listen(fd, BACKLOG) < 0)
		return vbm_fail(err, errno, "the path service cannot listen at %s: %s", at.sun_path,
				strerror(errno));
	return steal_fd(&fd);
}

static int start_responder(struct acm_responder *r, const char *run, const struct acm_answer *answer,
			   struct vbm_error *err)
{
	auto_close int listener = answer->tcp ? listen_tcp(run, err) : listen_unix(run, err);
	pid_t parent = getpid();
	int fds[2];

	if (listener < 0)
		return listener;
	r->log_fd = child_log("acm-requests", err);
	if (r->log_fd < 0)
		return r->log_fd;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return vbm_fail(err, errno, "cannot make a socket for the path service: %s", strerror(errno));
	r->control_fd = fds[0];
	fflush(NULL);
	r->pid = fork();
	if (r->pid == 0)
		child(answer, listener, fds[1], r->log_fd, parent);
	close(fds[1]);
	if (r->pid < 0)
		return vbm_fail(err, errno, "cannot start the process of the path service: %s", strerror(errno));
	return 0;
}

int acm_responder_start(struct acm_responder *r, const char *run, const struct value *acm,
			struct vbm_error *err)
{
	struct diagnostics diag auto_diagnostics = {0};
	struct acm_answer answer;
	int ret;

	*r = (struct acm_responder){.log_fd = -1, .control_fd = -1};
	if (!acm_answer_read(&answer, acm, &diag)) {
		diagnostics_fail(&diag, err);
		return vbm_wrap(err, "acm");
	}
	ret = start_responder(r, run, &answer, err);
	if (ret < 0)
		acm_responder_stop(r);
	return ret;
}

int acm_responder_settle(int control_fd, int64_t deadline_ns, struct vbm_error *err)
{
	struct pollfd p = {.fd = control_fd, .events = POLLIN};
	char c = 0;
	int n;

	if (send(control_fd, &c, 1, MSG_NOSIGNAL) != 1)
		return vbm_fail(err, EPIPE, "the path service has died");
	do {
		n = poll(&p, 1, clock_left_ms(deadline_ns));
	} while (n < 0 && errno == EINTR);
	if (n == 0)
		return vbm_fail(err, ETIMEDOUT, "the path service did not answer its owner");
	if (recv(control_fd, &c, 1, 0) != 1)
		return vbm_fail(err, EPIPE, "the path service has died");
	return 0;
}

void acm_responder_stop(struct acm_responder *r)
{
	child_end(r->pid);
	if (r->control_fd >= 0)
		close(r->control_fd);
	if (r->log_fd >= 0)
		close(r->log_fd);
	*r = (struct acm_responder){.log_fd = -1, .control_fd = -1};
}
