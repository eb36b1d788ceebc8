/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/handshake/door.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "lib/base/ring.h"

static void door_ready(struct watch *w, uint32_t events)
{
	struct door *d = container_of(w, struct door, watch);

	(void)events;
	d->enter(d);
}

static void resume(struct timer *timer)
{
	struct door *d = container_of(timer, struct door, resume);

	vbm_loop_modify(d->loop, &d->watch, EPOLLIN);
	d->enter(d);
}

int vbm_door_open(struct door *d, struct loop *loop, int listener)
{
	d->loop = loop;
	d->watch = (struct watch){.fd = listener, .ready = door_ready};
	d->resume.fire = resume;
	return vbm_loop_add(loop, &d->watch, EPOLLIN);
}

void vbm_door_close(struct door *d)
{
	vbm_loop_remove(d->loop, &d->watch);
	vbm_timer_disarm(&d->resume);
	free(d->spare);	/* the program has not seen it */
	d->spare = NULL;
}

static void pause_until(struct door *d, int64_t until)
{
	vbm_loop_modify(d->loop, &d->watch, 0);
	vbm_timer_arm(d->loop, &d->resume, until);
}

void vbm_door_rest(struct door *d)
{
	pause_until(d, loop_now(d->loop) + DOOR_RETRY_MS * NS_PER_MS);
}

void vbm_door_left(struct door *d)
{
	d->count--;
	if (d->resume.next)
		vbm_timer_arm(d->loop, &d->resume, loop_now(d->loop));
}

static bool make_room(struct door *d)
{
	int64_t until = loop_now(d->loop) + DOOR_RETRY_MS * NS_PER_MS;

	if (d->give_way(d, &until))
		return true;
	pause_until(d, until);
	return false;
}

int vbm_door_accept(struct door *d, union addr *from, struct handshake_auth **auth)
{
	socklen_t len = sizeof(*from);
	int fd = -1, error = ENOMEM;

	if (d->count >= d->room && (!make_room(d) || d->count >= d->room))
		return -EBUSY;
	if (d->authenticate && !d->spare)
		d->spare = vbm_auth_begin(d->authenticate, d->context, -1, false);
	if (d->spare || !d->authenticate) {
		memset(from, 0, sizeof(*from));
		fd = accept4(d->watch.fd, &from->sa, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
		error = errno;
	}
	if (fd < 0) {
		if (is_shortage(error))
			make_room(d);
		return -error;
	}
	*auth = d->spare;
	d->spare = NULL;
	if (*auth)
		(*auth)->pub.socket = fd;
	d->count++;
	return fd;
}
