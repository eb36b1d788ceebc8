/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/endpoint/callers.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/base/fail.h"
#include "lib/endpoint/endpoint.h"
#include "lib/handshake/message.h"
#include "lib/base/mem.h"

#define ROOM_MAX 1024
#define GRACE_MS 200	/* each caller has this time for its message, even if others wait */
#define RETRY_MS 100	/* after descriptors or memory ran out */

enum wish { WISH_UNKNOWN, WISH_REQUEST, WISH_NONE };

/* @index is the index of a caller, or @room for the listener. */
static int look_for(struct callers *c, int op, size_t index, uint32_t events)
{
	struct epoll_event e = {.events = events, .data.u64 = index};
	int fd = index < c->room ? c->item[index].socket : c->listener;

	return epoll_ctl(c->epfd, op, fd, &e) ? errno : 0;
}

int vbm_callers_init(struct callers *c, int listener, int room)
{
	size_t i;

	c->room = room < 1 ? 1 : room < ROOM_MAX ? (size_t)room : ROOM_MAX;
	c->item = vbm_mem_zalloc(c->room * sizeof(*c->item));
	if (!c->item)
		return ENOMEM;
	for (i = 0; i < c->room; i++)
		c->item[i].socket = -1;
	c->listener = listener;
	c->epfd = epoll_create1(EPOLL_CLOEXEC);
	return c->epfd < 0 ? errno : look_for(c, EPOLL_CTL_ADD, c->room, EPOLLIN);
}

void vbm_callers_clear(struct callers *c)
{
	size_t i;

	for (i = 0; i < c->room; i++)
		if (c->item && c->item[i].socket >= 0) {
			vbm_auth_end(c->item[i].auth);
			close(c->item[i].socket);
		}
	if (c->item && c->epfd >= 0)
		close(c->epfd);
	free(c->item);
	*c = (struct callers){.item = NULL};
}

static void pause_listener(struct callers *c, int64_t until)
{
	c->resume = until;
	look_for(c, EPOLL_CTL_MOD, c->room, 0);
}

/* Wait for what a caller has to say. When memory for that runs out the caller stays, and is looked for later. */
static int watch(struct callers *c, size_t i)
{
	struct caller *from = &c->item[i];
	uint32_t events = (from->auth ? (uint32_t)from->auth->pub.events : EPOLLIN) | EPOLLRDHUP;
	int rc = look_for(c, from->is_watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, i, events);

	from->is_watched = from->is_watched || !rc;
	if (!loop_is_short(rc))
		return rc;
	pause_listener(c, vbm_loop_now() + RETRY_MS * NS_PER_MS);
	return 0;
}

static void resume_listener(struct callers *c)
{
	size_t i;

	c->resume = 0;
	look_for(c, EPOLL_CTL_MOD, c->room, EPOLLIN);
	for (i = 0; i < c->room; i++)
		if (c->item[i].socket >= 0 && !c->item[i].is_watched)
			watch(c, i);
}

/* Remove the caller; its entry is free. The socket stays open. */
static void forget(struct callers *c, size_t i)
{
	look_for(c, EPOLL_CTL_DEL, i, 0);
	vbm_auth_end(c->item[i].auth);
	c->item[i].auth = NULL;
	c->item[i].socket = -1;
	c->count--;
	if (c->resume)
		resume_listener(c);
}

/* Makes epoll_wait(2) report the socket only when @bytes bytes are there. */
static void wake_at(int socket, size_t bytes)
{
	int low = (int)bytes;

	setsockopt(socket, SOL_SOCKET, SO_RCVLOWAT, &low, sizeof(low));
}

static enum wish look(int socket, uint32_t events)
{
	uint8_t bytes[HANDSHAKE_BYTES_MAX];
	size_t length = HANDSHAKE_HEAD;
	ssize_t n = recv(socket, bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT);

	if (events & (EPOLLRDHUP | EPOLLERR | EPOLLHUP) || n == 0)
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

static void dismiss(struct callers *c, size_t i)
{
	int s = c->item[i].socket;

	forget(c, i);
	close(s);
}

static size_t oldest(const struct callers *c)
{
	size_t i, found = 0;

	for (i = 0; i < c->room; i++)
		if (c->item[i].since < c->item[found].since)
			found = i;
	return found;
}

/*
 * Only for a full list. False: no caller can go yet; the listener is not watched for a
 * while, unless the oldest caller is about to become a request.
 */
static bool make_room(struct callers *c)
{
	size_t i = oldest(c);
	int64_t due = c->item[i].since + GRACE_MS * NS_PER_MS;

	if (!c->item[i].auth && look(c->item[i].socket, 0) == WISH_REQUEST)
		return false;
	if (vbm_loop_now() < due) {
		pause_listener(c, due);
		return false;
	}
	dismiss(c, i);
	return true;
}

/* accept(2): a new connection can have these errors already, which are not the listener's. */
static bool is_of_the_client(int error)
{
	static const int errors[] = {
		EAGAIN, EINTR, ECONNABORTED, EPERM, ENETDOWN, EPROTO, ENOPROTOOPT, EHOSTDOWN, ENONET,
		EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH,
	};
	size_t i;

	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (error == errors[i])
			return true;
	return false;
}

static int accept_failed(struct callers *c, int error)
{
	if (is_shortage(error))
		pause_listener(c, vbm_loop_now() + RETRY_MS * NS_PER_MS);
	return is_of_the_client(error) ? 0 : error;
}

/*
 * The program finds out who the caller is. WISH_REQUEST: it knows, and the first message
 * may come, or is there.
 */
static enum wish ask(struct callers *c, size_t i, uint32_t events)
{
	struct caller *from = &c->item[i];
	int rc = vbm_auth_go(from->auth);

	if (rc == EAGAIN && !(events & (EPOLLRDHUP | EPOLLERR | EPOLLHUP)))
		return watch(c, i) ? WISH_NONE : WISH_UNKNOWN;
	if (rc)
		return WISH_NONE;
	vbm_auth_end(from->auth);
	from->auth = NULL;
	wake_at(from->socket, HANDSHAKE_HEAD);
	return watch(c, i) ? WISH_NONE : WISH_REQUEST;
}

/* What the caller wants, as far as it has said. */
static enum wish wish_of(struct callers *c, size_t i, uint32_t events)
{
	enum wish wish = c->item[i].auth ? ask(c, i, events) : WISH_REQUEST;

	return wish == WISH_REQUEST ? look(c->item[i].socket, events) : wish;
}

static int greet(struct callers *c, size_t i)
{
	int rc = 0;

	if (!c->item[i].auth) {
		wake_at(c->item[i].socket, HANDSHAKE_HEAD);
		rc = watch(c, i);
	}
	if (rc || (c->item[i].auth && ask(c, i, 0) == WISH_NONE))
		dismiss(c, i);
	return rc;
}

/* Accept a connection. Returns 0 also when the client has gone. With the memory in advance no caller is lost. */
static int take_in(struct callers *c, int patience_ms)
{
	struct handshake_auth *auth = NULL;
	size_t i = 0;
	int rc, s;

	if (c->count == c->room && !make_room(c))
		return 0;
	if (c->authenticate)
		auth = vbm_auth_begin(c->authenticate, c->context, -1, false);
	if (c->authenticate && !auth)
		return accept_failed(c, ENOMEM);
	s = accept4(c->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (s < 0) {
		rc = errno;
		free(auth);
		return accept_failed(c, rc);
	}
	while (c->item[i].socket >= 0)
		i++;
	c->item[i] = (struct caller){.socket = s, .since = vbm_loop_now(), .auth = auth,
				     .until = vbm_loop_end_after(patience_ms)};
	if (auth)
		auth->pub.socket = s;
	c->count++;
	return greet(c, i);
}

int64_t vbm_callers_until(const struct callers *c)
{
	int64_t first = c->resume;
	size_t i;

	for (i = 0; i < c->room; i++)
		if (c->item[i].socket >= 0 && c->item[i].until &&
		    (!first || c->item[i].until < first))
			first = c->item[i].until;
	return first;
}

/*
 * Wait for any event, until @end or until the first limit. 0 or an errno. *@is_new says
 * whether a client waits at the listener.
 */
static int await(struct callers *c, int64_t end, bool *is_new)
{
	struct epoll_event event[LOOP_BATCH];
	int64_t first;
	int i, n;

	*is_new = false;
	if (c->resume && vbm_loop_ms_left(c->resume) == 0)
		resume_listener(c);
	first = vbm_callers_until(c);
	end = first && (!end || first < end) ? first : end;
	n = epoll_wait(c->epfd, event, LOOP_BATCH, vbm_loop_ms_left(end));
	for (i = 0; i < n; i++) {
		if (event[i].data.u64 < c->room)
			c->item[event[i].data.u64].events = event[i].events;
		else
			*is_new = true;
	}
	return n < 0 && errno != EINTR ? errno : 0;
}

/*
 * The socket of a caller that has sent a request, or -1. Callers that ended or failed are
 * removed.
 */
static int pick(struct callers *c)
{
	size_t i;

	for (i = 0; i < c->room; i++) {
		struct caller *from = &c->item[i];
		enum wish wish = from->socket >= 0 && from->events ?
			wish_of(c, i, from->events) : WISH_UNKNOWN;
		int s = from->socket;

		from->events = 0;
		if (s < 0 || (wish == WISH_UNKNOWN && vbm_loop_ms_left(from->until) != 0))
			continue;
		forget(c, i);
		if (wish == WISH_REQUEST)
			return s;
		close(s);
	}
	return -1;
}

int vbm_callers_next(struct callers *c, int64_t end, int patience_ms, int *socket)
{
	bool is_new;
	int rc;

	for (;;) {
		rc = await(c, end, &is_new);
		if (rc)
			return rc;
		*socket = pick(c);
		if (*socket >= 0)
			return 0;
		if (is_new)
			rc = take_in(c, patience_ms);
		if (rc)
			return rc;
		if (!is_new && vbm_loop_ms_left(end) == 0)
			return ETIMEDOUT;
	}
}
