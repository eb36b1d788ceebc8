/* SPDX-License-Identifier: BSD-2-Clause */
#include "endpoint-callers.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "endpoint.h"
#include "handshake-message.h"
#include "mem.h"

#define ROOM_MAX 1024

enum wish { WISH_UNKNOWN, WISH_REQUEST, WISH_NONE };

static int look_for(struct callers *c, int op, int fd, uint32_t events)
{
	struct epoll_event e = {.events = events};

	return epoll_ctl(c->epfd, op, fd, &e) ? errno : 0;
}

int vbm_callers_init(struct callers *c, int listener, int room)
{
	c->room = room < 1 ? 1 : room < ROOM_MAX ? (size_t)room : ROOM_MAX;
	c->item = vbm_mem_zalloc(c->room * sizeof(*c->item));
	c->poll = vbm_mem_zalloc((c->room + 1) * sizeof(*c->poll));
	c->listener = listener;
	c->epfd = c->item && c->poll ? epoll_create1(EPOLL_CLOEXEC) : -1;
	if (c->epfd < 0)
		return c->item && c->poll ? errno : ENOMEM;
	return look_for(c, EPOLL_CTL_ADD, listener, EPOLLIN);
}

void vbm_callers_clear(struct callers *c)
{
	while (c->count)
		close(c->item[--c->count].socket);
	if (c->item && c->epfd >= 0)
		close(c->epfd);
	free(c->item);
	free(c->poll);
	*c = (struct callers){.item = NULL};
}

/* What is there no more leaves its place to the next. */
static void forget(struct callers *c, size_t i)
{
	look_for(c, EPOLL_CTL_DEL, c->item[i].socket, 0);
	if (c->count == c->room)
		look_for(c, EPOLL_CTL_MOD, c->listener, EPOLLIN);
	c->item[i] = c->item[--c->count];
	c->poll[i + 1] = c->poll[c->count + 1];
}

/* Let poll(2) be silent about a socket until so many bytes are there. */
static void wake_at(int socket, size_t bytes)
{
	int low = (int)bytes;

	setsockopt(socket, SOL_SOCKET, SO_RCVLOWAT, &low, sizeof(low));
}

static enum wish look(int socket, short events)
{
	uint8_t bytes[HANDSHAKE_BYTES_MAX];
	size_t length = HANDSHAKE_HEAD;
	ssize_t n = recv(socket, bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT);

	if (events & (POLLRDHUP | POLLERR | POLLHUP) || n == 0)
		return WISH_NONE;
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? WISH_UNKNOWN : WISH_NONE;
	if (n >= HANDSHAKE_HEAD && vbm_handshake_head(bytes, &length))
		return WISH_NONE;
	if (n >= HANDSHAKE_HEAD && (size_t)n >= length) {
		wake_at(socket, 1);
		return WISH_REQUEST;
	}
	wake_at(socket, length);
	return WISH_UNKNOWN;
}

/* 0, also when nobody is there any more. */
static int take_in(struct callers *c, int patience_ms)
{
	int rc, s = accept4(c->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (s < 0)
		return errno == EAGAIN || errno == ECONNABORTED || errno == EINTR ? 0 : errno;
	rc = look_for(c, EPOLL_CTL_ADD, s, EPOLLIN | EPOLLRDHUP);
	if (rc) {
		close(s);
		return rc;
	}
	wake_at(s, HANDSHAKE_HEAD);
	c->item[c->count++] = (struct caller){s, vbm_loop_end_after(patience_ms)};
	if (c->count == c->room)
		look_for(c, EPOLL_CTL_MOD, c->listener, 0);
	return 0;
}

int64_t vbm_callers_until(const struct callers *c)
{
	int64_t first = 0;
	size_t i;

	for (i = 0; i < c->count; i++)
		if (c->item[i].until && (!first || c->item[i].until < first))
			first = c->item[i].until;
	return first;
}

/* Wait for anything; the soonest of all limits ends it. 0 or an errno. */
static int await(struct callers *c, int64_t end)
{
	int64_t first = vbm_callers_until(c);
	size_t i;

	end = first && (!end || first < end) ? first : end;
	c->poll[0] = (struct pollfd){
		.fd = c->count < c->room ? c->listener : -1, .events = POLLIN,
	};
	for (i = 0; i < c->count; i++)
		c->poll[i + 1] = (struct pollfd){
			.fd = c->item[i].socket, .events = POLLIN | POLLRDHUP,
		};
	return poll(c->poll, c->count + 1, vbm_loop_ms_left(end)) < 0 && errno != EINTR ?
		errno : 0;
}

/* One of those that were looked at by poll(2) has a request, or -1. */
static int pick(struct callers *c)
{
	size_t i = 0;

	while (i < c->count) {
		int s = c->item[i].socket;
		enum wish wish = c->poll[i + 1].revents ? look(s, c->poll[i + 1].revents) :
							  WISH_UNKNOWN;

		if (wish == WISH_UNKNOWN && vbm_loop_ms_left(c->item[i].until) != 0) {
			i++;
			continue;
		}
		forget(c, i);
		if (wish == WISH_REQUEST)
			return s;
		close(s);
	}
	return -1;
}

int vbm_callers_next(struct callers *c, int64_t end, int patience_ms, int *socket)
{
	int rc;

	for (;;) {
		rc = await(c, end);
		if (rc)
			return rc;
		*socket = pick(c);
		if (*socket >= 0)
			return 0;
		if (c->poll[0].revents)
			rc = take_in(c, patience_ms);
		if (rc)
			return rc;
		if (!c->poll[0].revents && vbm_loop_ms_left(end) == 0)
			return ETIMEDOUT;
	}
}
