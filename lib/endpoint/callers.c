/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/endpoint/callers.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/handshake/message.h"

#define ROOM_MAX 1024
#define GRACE_MS 200	/* each caller has this time for its message, even if others wait */
#define GONE (EPOLLRDHUP | EPOLLERR | EPOLLHUP)

enum wish { WISH_UNKNOWN, WISH_REQUEST, WISH_NONE };

struct caller {
	struct watch watch;
	struct timer limit;		/* of its silence */
	struct ring link;
	struct callers *c;
	int64_t since;			/* when it was accepted */
	bool is_watched;		/* not so while memory for that has run out */
	struct handshake_auth *auth;	/* owned; until the program knows who it is; or NULL */
};

/* Remove the caller. Its socket stays open. */
static int remove_caller(struct caller *from)
{
	int s = from->watch.fd;

	vbm_loop_remove(&from->c->loop, &from->watch);
	vbm_timer_disarm(&from->limit);
	ring_remove(&from->link);
	vbm_auth_end(from->auth);
	vbm_door_left(&from->c->door);
	free(from);
	return s;
}

static void dismiss(struct caller *from)
{
	close(remove_caller(from));
}

/* Wait for what a caller has to say. When memory for that runs out the caller stays, and is looked for later. */
static int watch_caller(struct caller *from)
{
	uint32_t events = (from->auth ? (uint32_t)from->auth->pub.events : EPOLLIN) | EPOLLRDHUP;
	struct callers *c = from->c;
	int rc = 0;

	if (from->is_watched)
		vbm_loop_modify(&c->loop, &from->watch, events);
	else
		rc = -vbm_loop_add(&c->loop, &from->watch, events);
	from->is_watched = !rc;
	if (!loop_is_short(rc))
		return rc;
	c->is_short = true;
	vbm_door_rest(&c->door);
	return 0;
}

/* Makes epoll_wait(2) report the socket only when @bytes bytes are there. */
static void wake_at(int socket, size_t bytes)
{
	int low = (int)bytes;

	setsockopt(socket, SOL_SOCKET, SO_RCVLOWAT, &low, sizeof(low));
}

static enum wish peek_request(int socket, uint32_t events)
{
	uint8_t bytes[HANDSHAKE_BYTES_MAX];
	size_t length = HANDSHAKE_HEAD;
	ssize_t n = recv(socket, bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT);

	if (events & GONE || n == 0)
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

/* The oldest caller, when it has had its time, and its message is not there. None is in the way of a descriptor. */
static bool give_way(struct door *d, int64_t *until)
{
	struct callers *c = container_of(d, struct callers, door);
	struct caller *oldest = container_of(c->in.next, struct caller, link);
	int64_t due;

	if (d->count < d->room)
		return false;
	due = oldest->since + GRACE_MS * NS_PER_MS;
	if (due > loop_now(d->loop)) {
		*until = due < *until ? due : *until;
		return false;
	}
	if (!oldest->auth && peek_request(oldest->watch.fd, 0) == WISH_REQUEST)
		return false;
	dismiss(oldest);
	return true;
}

/* There is no room; or accept(2): a new connection can have these errors already, which are not the listener's. */
static bool is_of_the_client(int error)
{
	static const int errors[] = {
		EBUSY, EAGAIN, EINTR, ECONNABORTED, EPERM, ENETDOWN, EPROTO, ENOPROTOOPT, EHOSTDOWN, ENONET,
		EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH,
	};
	size_t i;

	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (error == errors[i])
			return true;
	return false;
}

/*
 * The program finds out who the caller is. WISH_REQUEST: it knows, and the first message
 * may come, or is there.
 */
static enum wish authenticate_caller(struct caller *from, uint32_t events)
{
	int rc = vbm_auth_go(from->auth);

	if (rc == EAGAIN && !(events & GONE))
		return watch_caller(from) ? WISH_NONE : WISH_UNKNOWN;
	if (rc)
		return WISH_NONE;
	vbm_auth_end(from->auth);
	from->auth = NULL;
	wake_at(from->watch.fd, HANDSHAKE_HEAD);
	return watch_caller(from) ? WISH_NONE : WISH_REQUEST;
}

/* While a request waits for the program, epoll keeps what others have said. */
static void caller_ready(struct watch *w, uint32_t events)
{
	struct caller *from = container_of(w, struct caller, watch);
	struct callers *c = from->c;
	enum wish wish;

	if (c->arrived >= 0)
		return;
	wish = from->auth ? authenticate_caller(from, events) : WISH_REQUEST;
	if (wish == WISH_REQUEST)
		wish = peek_request(from->watch.fd, events);
	if (wish == WISH_REQUEST)
		c->arrived = remove_caller(from);
	else if (wish == WISH_NONE)
		dismiss(from);
}

/* A caller whose message is there has not been silent. */
static void time_is_up(struct timer *t)
{
	struct caller *from = container_of(t, struct caller, limit);

	if (from->auth || peek_request(from->watch.fd, 0) != WISH_REQUEST)
		dismiss(from);
}

static int admit_caller(struct caller *from)
{
	int rc = 0;

	if (!from->auth) {
		wake_at(from->watch.fd, HANDSHAKE_HEAD);
		rc = watch_caller(from);
	}
	if (rc || (from->auth && authenticate_caller(from, 0) == WISH_NONE))
		dismiss(from);
	return rc;
}

/* Accept a connection. Returns 0 also when the client has gone. With the memory in advance no caller is lost. */
static int take_in(struct callers *c)
{
	struct handshake_auth *auth;
	struct caller *from = vbm_mem_zalloc(sizeof(*from));
	union addr address;
	int fd = -ENOMEM;

	if (from)
		fd = vbm_door_accept(&c->door, &address, &auth);
	else
		vbm_door_rest(&c->door);
	if (fd < 0) {
		free(from);
		return is_of_the_client(-fd) ? 0 : -fd;
	}
	*from = (struct caller){
		.watch = {.fd = fd, .ready = caller_ready}, .limit.fire = time_is_up, .c = c,
		.since = vbm_loop_now(), .auth = auth,
	};
	ring_add(&c->in, &from->link);
	if (c->patience_ms >= 0)
		vbm_timer_arm(&c->loop, &from->limit, vbm_loop_end_after(c->patience_ms));
	return admit_caller(from);
}

static void enter(struct door *d)
{
	struct callers *c = container_of(d, struct callers, door);
	struct ring *r;

	if (c->arrived >= 0)
		return;
	r = c->is_short ? c->in.next : &c->in;
	c->is_short = false;
	for (; r != &c->in; r = r->next)
		if (!container_of(r, struct caller, link)->is_watched)
			watch_caller(container_of(r, struct caller, link));
	c->is_new = true;
	c->error = take_in(c);
}

int vbm_callers_init(struct callers *c, int listener, int room)
{
	int rc;

	*c = (struct callers){
		.door = {
			.room = room < 1 ? 1 : room < ROOM_MAX ? (unsigned int)room : ROOM_MAX,
			.enter = enter, .give_way = give_way,
		},
		.arrived = -1,
	};
	ring_init(&c->in);
	rc = vbm_loop_init(&c->loop);
	return -(rc ? rc : vbm_door_open(&c->door, &c->loop, listener));
}

void vbm_callers_clear(struct callers *c)
{
	if (!c->door.enter)
		return;
	while (!ring_empty(&c->in))
		dismiss(container_of(c->in.next, struct caller, link));
	if (c->door.loop)
		vbm_door_close(&c->door);
	vbm_loop_fini(&c->loop);
	*c = (struct callers){.arrived = -1};
}

int64_t vbm_callers_until(const struct callers *c)
{
	return c->loop.head.next == &c->loop.head ? 0 : c->loop.head.next->at;
}

int vbm_callers_next(struct callers *c, int64_t end, int patience_ms, int *socket)
{
	int rc;

	c->patience_ms = patience_ms;
	do {
		c->error = 0;
		c->is_new = false;
		rc = -vbm_loop_run(&c->loop, vbm_loop_ms_left(end));
		if (c->arrived >= 0) {
			*socket = c->arrived;
			c->arrived = -1;
			return 0;
		}
		if (c->error || (rc && rc != EINTR))
			return c->error ? c->error : rc;
	} while (c->is_new || vbm_loop_ms_left(end) != 0);
	return ETIMEDOUT;
}
