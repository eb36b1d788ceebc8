/* SPDX-License-Identifier: BSD-2-Clause */
#include "endpoint-callers.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "endpoint.h"
#include "handshake-message.h"
#include "mem.h"

#define ROOM_MAX 1024

enum wish { WISH_UNKNOWN, WISH_REQUEST, WISH_NONE };

int vbm_callers_init(struct callers *c, int room)
{
	c->room = room < 1 ? 1 : room < ROOM_MAX ? (size_t)room : ROOM_MAX;
	c->item = vbm_mem_zalloc(c->room * sizeof(*c->item));
	c->poll = vbm_mem_zalloc((c->room + 1) * sizeof(*c->poll));
	return c->item && c->poll ? 0 : ENOMEM;
}

void vbm_callers_clear(struct callers *c)
{
	while (c->count)
		close(c->item[--c->count].socket);
	free(c->item);
	free(c->poll);
	*c = (struct callers){.item = NULL};
}

static void forget(struct callers *c, size_t i)
{
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
static int take_in(struct callers *c, int listener, int patience_ms)
{
	int s = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (s < 0)
		return errno == EAGAIN || errno == ECONNABORTED || errno == EINTR ? 0 : errno;
	wake_at(s, HANDSHAKE_HEAD);
	c->item[c->count++] = (struct caller){s, vbm_endpoint_end_after(patience_ms)};
	return 0;
}

/* Wait for anything; the soonest of all limits ends it. 0 or an errno. */
static int await(struct callers *c, int listener, int64_t end)
{
	size_t i;

	c->poll[0] = (struct pollfd){
		.fd = c->count < c->room ? listener : -1, .events = POLLIN,
	};
	for (i = 0; i < c->count; i++) {
		c->poll[i + 1] = (struct pollfd){
			.fd = c->item[i].socket, .events = POLLIN | POLLRDHUP,
		};
		if (c->item[i].until && (!end || c->item[i].until < end))
			end = c->item[i].until;
	}
	return poll(c->poll, c->count + 1, vbm_endpoint_ms_left(end)) < 0 && errno != EINTR ?
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

		if (wish == WISH_UNKNOWN && vbm_endpoint_ms_left(c->item[i].until) != 0) {
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

int vbm_callers_next(struct callers *c, int listener, int64_t end, int patience_ms, int *socket)
{
	int rc;

	for (;;) {
		rc = await(c, listener, end);
		if (rc)
			return rc;
		*socket = pick(c);
		if (*socket >= 0)
			return 0;
		if (c->poll[0].revents)
			rc = take_in(c, listener, patience_ms);
		if (rc)
			return rc;
		if (!c->poll[0].revents && vbm_endpoint_ms_left(end) == 0)
			return ETIMEDOUT;
	}
}
