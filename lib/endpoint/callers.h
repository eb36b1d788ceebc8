/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_ENDPOINT_CALLERS_H
#define VBM_LIB_ENDPOINT_CALLERS_H

#include <stddef.h>
#include <stdint.h>

/*
 * TCP connections that a listener has accepted, and that have not said yet what
 * they want: none of them keeps the others waiting. A whole first message of the
 * handshake makes a request of one; those that are silent for too long, close,
 * or say something else are closed.
 */
struct caller {
	int socket;		/* -1: this place is free */
	uint32_t events;	/* that nobody has looked at yet */
	int64_t until;		/* CLOCK_MONOTONIC, ns; 0: no limit */
};

struct callers {
	struct caller *item;	/* owned; @room places */
	size_t count, room;
	int listener;		/* the socket they come by */
	int epfd;		/* owned; readable when one of all these is */
};

/* 0, ENOMEM, or a code of epoll_create1(2) or epoll_ctl(2). */
int vbm_callers_init(struct callers *c, int listener, int room);
void vbm_callers_clear(struct callers *c);

/*
 * Wait until @end (0: without limit) for one whose first message is there; it is
 * still to be read. Each has @patience_ms (-1: no limit) for it. 0 and *@socket is
 * the caller's, ETIMEDOUT, or a code of epoll_wait(2), accept(2) or epoll_ctl(2).
 */
int vbm_callers_next(struct callers *c, int64_t end, int patience_ms, int *socket);

/* When the first of them has been silent for too long; CLOCK_MONOTONIC, ns; 0: no limit. */
int64_t vbm_callers_until(const struct callers *c);

#endif
