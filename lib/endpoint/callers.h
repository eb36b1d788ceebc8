/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_ENDPOINT_CALLERS_H
#define VBM_LIB_ENDPOINT_CALLERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/handshake/auth.h"

/*
 * TCP connections that a listener has accepted, and whose request has not arrived yet. No
 * caller delays the others. A caller with a whole first message of the handshake becomes a
 * request. A caller is closed when it is silent for too long, closes the connection, or
 * sends anything else, or when the program does not take it for the right one. When there are as many callers as there is room for, a new one
 * replaces the oldest, as soon as that one has had a short time to send its message.
 */
struct caller {
	int socket;		/* -1: this entry is free */
	uint32_t events;	/* that have not been handled */
	bool is_watched;	/* by epoll; not so while memory for that has run out */
	int64_t since;		/* when it was accepted; CLOCK_MONOTONIC, ns */
	int64_t until;		/* CLOCK_MONOTONIC, ns; 0: no limit */
	struct handshake_auth *auth;	/* owned; until the program knows who it is; or NULL */
};

struct callers {
	struct caller *item;	/* owned; @room entries */
	size_t count, room;
	int listener;		/* the listening socket */
	int64_t resume;		/* the listener, and callers without memory, are not watched until then; 0: they are */
	vbm_authenticate authenticate;	/* the program's; NULL: each caller is the right one */
	void *context;
	int epfd;		/* owned; readable when the listener or a caller is */
};

/*
 * 0, ENOMEM, or a code of epoll_create1(2) or epoll_ctl(2). The members authenticate and
 * context may be set afterwards.
 */
int vbm_callers_init(struct callers *c, int listener, int room);
void vbm_callers_clear(struct callers *c);

/*
 * Wait until @end (0: no limit) for a caller with a whole first message, which stays in
 * the socket's buffer. Each caller has @patience_ms (-1: no limit) to send it. Returns 0
 * with *@socket, which the caller of this function then owns; ETIMEDOUT; or the errno of
 * epoll_wait(2), accept(2) or epoll_ctl(2). When descriptors or memory have run out, the
 * new caller stays in the backlog, and the next call waits for a moment before it tries
 * again.
 */
int vbm_callers_next(struct callers *c, int64_t end, int patience_ms, int *socket);

/*
 * When vbm_callers_next() has something to do even if no descriptor is readable;
 * CLOCK_MONOTONIC, ns; 0: never.
 */
int64_t vbm_callers_until(const struct callers *c);

#endif
