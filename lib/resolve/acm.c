/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/resolve/acm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "lib/resolve/databases.h"
#include "lib/base/fail.h"

#define ABSENCE_NS 10000000

static void path_of(char *path, size_t room, const char *run, const char *name)
{
	snprintf(path, room, "%s/%s", run, name);
}

static bool look_for_it(const char *run)
{
	char path[256];

	path_of(path, sizeof(path), run, "ibacm.sock");
	if (!access(path, F_OK))
		return true;
	path_of(path, sizeof(path), run, "ibacm.port");
	return !access(path, F_OK);
}

/*
 * Most hosts have no path service. Two searches of the file system to learn that take as
 * long as the rest of a translation, so the answer is cached for a moment.
 */
bool vbm_acm_is_there(const char *run)
{
	static int64_t absent_until;
	bool real = !strcmp(run, "/run");
	struct timespec ts;
	int64_t now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	now = ts.tv_sec * 1000000000LL + ts.tv_nsec;
	if (real && now < __atomic_load_n(&absent_until, __ATOMIC_RELAXED))
		return false;
	if (look_for_it(run))
		return true;
	if (real)
		__atomic_store_n(&absent_until, now + ABSENCE_NS, __ATOMIC_RELAXED);
	return false;
}

/* The port file holds a number and nothing else. *@port is 0 when it does not. */
static int read_port(const char *run, uint16_t *port)
{
	char path[256], *text;
	size_t len;
	int ret;

	*port = 0;
	path_of(path, sizeof(path), run, "ibacm.port");
	ret = vbm_slurp(path, &text, &len);
	if (ret)
		return is_shortage(-ret) ? ret : 0;
	text[strcspn(text, " \t\r\n")] = '\0';
	if (!vbm_service_number(text, port))
		*port = 0;
	free(text);
	return 0;
}

/* Make the socket and find the address to connect it to. The socket or a negative errno. */
static int make_socket(const char *run, socklen_t *len, struct sockaddr_storage *ss)
{
	struct sockaddr_in *in = (void *)ss;
	struct sockaddr_un *un = (void *)ss;
	uint16_t port;
	int ret = read_port(run, &port);

	if (ret)
		return ret;
	memset(ss, 0, sizeof(*ss));
	if (port) {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		*len = sizeof(*in);
	} else {
		un->sun_family = AF_UNIX;
		path_of(un->sun_path, sizeof(un->sun_path), run, "ibacm.sock");
		*len = sizeof(*un);
	}
	ret = socket(ss->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	return ret < 0 ? -errno : ret;
}

static void settle(struct acm *a, const struct acm_reply *reply)
{
	vbm_loop_modify(a->loop, &a->watch, 0);
	a->done(a, reply);
}

static void go_on_sending(struct acm *a)
{
	while (a->used < a->want) {
		ssize_t n = send(a->watch.fd, a->buf + a->used, a->want - a->used,
				 MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) {
			settle(a, NULL);
			return;
		}
		a->used += (size_t)n;
	}
	a->sending = false;
	a->used = 0;
	a->want = ACM_HEADER;
	vbm_loop_modify(a->loop, &a->watch, EPOLLIN);
}

/* A whole message is in the buffer. */
static void finish(struct acm *a)
{
	struct acm_reply reply;

	settle(a, vbm_acm_decode(a->buf, a->used, &reply) ? &reply : NULL);
}

static void go_on_receiving(struct acm *a)
{
	for (;;) {
		ssize_t n = recv(a->watch.fd, a->buf + a->used, a->want - a->used, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) {
			settle(a, NULL);
			return;
		}
		a->used += (size_t)n;
		if (a->used < a->want)
			continue;
		if (a->want == ACM_HEADER)
			a->want = vbm_acm_length(a->buf);
		if (a->used >= a->want) {
			finish(a);
			return;
		}
	}
}

static void on_ready(struct watch *w, uint32_t events)
{
	struct acm *a = (void *)w;

	(void)events;
	if (a->sending)
		go_on_sending(a);
	else
		go_on_receiving(a);
}

int vbm_acm_open(struct acm *a, struct loop *loop, const char *run)
{
	struct sockaddr_storage ss;
	socklen_t len = 0;
	int fd = make_socket(run, &len, &ss);
	int error = 0;

	if (fd < 0)
		return fd;
	a->loop = loop;
	a->watch.fd = fd;
	a->watch.ready = on_ready;
	if (connect(fd, (struct sockaddr *)&ss, len) && errno != EINPROGRESS)
		error = -errno;
	if (!error)
		error = vbm_loop_add(loop, &a->watch, 0);
	if (error) {
		close(fd);
		a->watch.fd = -1;
	}
	return error;
}

void vbm_acm_close(struct acm *a)
{
	if (a->watch.fd < 0)
		return;
	vbm_loop_remove(a->loop, &a->watch);
	close(a->watch.fd);
	a->watch.fd = -1;
}

void vbm_acm_ask(struct acm *a, const struct acm_request *request)
{
	a->want = vbm_acm_encode(a->buf, request);
	a->used = 0;
	a->sending = true;
	vbm_loop_modify(a->loop, &a->watch, EPOLLOUT);
}
