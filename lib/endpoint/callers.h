/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_ENDPOINT_CALLERS_H
#define VBM_LIB_ENDPOINT_CALLERS_H

#include "lib/base/ring.h"
#include "lib/handshake/door.h"

/*
 * TCP connections that a listener has accepted, and whose request has not arrived yet. No
 * caller delays the others. A caller with a whole first message of the handshake becomes a
 * request. A caller is closed when it is silent for too long, closes the connection, or
 * sends anything else, or when the program refuses it. When there are as many callers as
 * there is room for, a new one replaces the oldest, as soon as that one has had a short time to send its message.
 */
struct callers {
	struct door door;	/* its members authenticate and context may be set after vbm_callers_init() */
	struct loop loop;	/* its descriptor is readable when there is something to do */
	struct ring in;		/* the oldest first */
	int arrived;		/* owned; the socket of one that is a request now; or -1 */
	int patience_ms;	/* of vbm_callers_next() */
	int error;		/* of the listening socket, in the call under way */
	bool is_new;		/* somebody came, in that call */
	bool is_short;		/* there are callers that are not watched */
};

/* 0, or a code of epoll_create1(2), timerfd_create(2) or epoll_ctl(2). */
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

/* When the loop has something to do at the latest; CLOCK_MONOTONIC, ns; 0: there is no limit. */
int64_t vbm_callers_until(const struct callers *c);

#endif
