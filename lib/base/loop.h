/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_BASE_LOOP_H
#define VBM_LIB_BASE_LOOP_H

/*
 * Runs in: any thread of the program; a loop belongs to one thread at a time.
 * Owns:    the descriptors that the caller adds stay the caller's.
 * Ends:    vbm_loop_fini().
 * Tests:   unit/test_options, test_fork; fuzz/fuzz_numeric.
 */

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/fail.h"

/*
 * The event loop: descriptors and timers. Callbacks run inside vbm_loop_dispatch() and
 * vbm_loop_run() only. The loop has no lock; its owner locks it.
 *
 * There are two kinds of loops. A loop of vbm_loop_init() uses epoll(7): loop_fd() is
 * readable when there is something to dispatch, so a program can wait for it together with
 * its own descriptors. A loop of vbm_loop_init_plain() has no descriptor, and
 * vbm_loop_run() passes all its watches to poll(2). So it cannot fail and leaves nothing in
 * a child process, two watches may have the same descriptor, and a file may be watched. A
 * program that closes a descriptor first sets the watch to -1; it may do so at any time
 * except during a wait. This loop calls the watches in the order of their ranks.
 */
struct watch {
	int fd;		/* -1 in a plain loop: the watch waits for nothing */
	void (*ready)(struct watch *w, uint32_t events);
	/* In a plain loop: */
	int rank;		/* set before vbm_loop_add(); lower ranks come first */
	uint32_t events;	/* 0: the watch waits for nothing, not even a hang-up */
	uint32_t found;		/* events that the wait under way has found, until the callback gets them */
	struct watch *prev, *next;	/* NULL when not in a loop */
};

struct timer {
	int64_t at;		/* CLOCK_MONOTONIC, ns */
	void (*fire)(struct timer *t);
	struct timer *prev, *next;	/* NULL when not armed */
};

#define NS_PER_MS 1000000LL
#define LOOP_BATCH 32

/* Of vbm_loop_add() and epoll_ctl(2): the error is that memory ran out, or the watches of the user. */
static inline bool loop_is_short(int error)
{
	return error == ENOSPC || is_shortage(error);
}

struct loop {
	int epfd, timerfd;	/* -1: a plain loop */
	struct watch *ready[LOOP_BATCH];	/* found by the dispatch under way */
	int found;
	/*
	 * The time at which the callback under way began; in a plain loop: the wait ended. ns.
	 * Of a lazy loop: see loop_now().
	 */
	int64_t now;
	bool stale;	/* of a lazy loop: @now is that of an earlier callback */
	int64_t programmed;	/* when timerfd expires; 0: not set */
	bool lazy;		/* timerfd may wake too early, and the clock is read only for loop_now() */
	struct timer head;	/* of the armed timers, the soonest first */
	/* Of a plain loop: */
	int (*wait)(struct pollfd *p, nfds_t n, int timeout_ms);	/* poll(2), or a function like it */
	struct watch watches;	/* the head of all watches, by rank */
	struct watch *turn;	/* the next watch of the dispatch under way */
	struct pollfd *poll;	/* owned */
	size_t count, room;	/* of watches; @room is that of @poll */
};

/* 0 or a negative errno. */
int vbm_loop_init(struct loop *l);
void vbm_loop_init_plain(struct loop *l);
void vbm_loop_fini(struct loop *l);

static inline int loop_fd(const struct loop *l)
{
	return l->epfd;
}

/* 0 or a negative errno; a plain loop needs memory only. */
int vbm_loop_add(struct loop *l, struct watch *w, uint32_t events);
void vbm_loop_modify(struct loop *l, struct watch *w, uint32_t events);
void vbm_loop_remove(struct loop *l, struct watch *w);

/*
 * For a watch of a plain loop: from now on it waits for @events of @fd. Other events that
 * the dispatch under way has found are dropped.
 */
void vbm_watch_set(struct watch *w, int fd, uint32_t events);

int64_t vbm_loop_now(void);
int64_t vbm_loop_now_coarse(void);	/* of the last tick, which costs less */

/*
 * The time at which the callback under way began, or a little later. A callback that may
 * have taken long calls loop_forget_now() before it asks again.
 */
static inline int64_t loop_now(struct loop *l)
{
	if (l->stale)
		l->now = vbm_loop_now();
	l->stale = false;
	return l->now;
}

static inline void loop_forget_now(struct loop *l)
{
	l->stale = true;
}

/* The end of a wait of @timeout_ms that begins now. Returns 0, no end, if it is negative. */
int64_t vbm_loop_end_after(int timeout_ms);

/* The milliseconds until @end for poll(2), rounded up; -1: no end. */
int vbm_loop_ms_left(int64_t end);

void vbm_timer_arm(struct loop *l, struct timer *t, int64_t at);
void vbm_timer_disarm(struct timer *t);

/* Run the watches that are ready and the timers that are due, once and without waiting. */
void vbm_loop_dispatch(struct loop *l);

/*
 * The same, after one wait until there is something; -1 ms: no limit. Returns 0, or the
 * negative errno of that wait (also -EINTR), after which only timers have fired.
 */
int vbm_loop_run(struct loop *l, int timeout_ms);

/* Set the descriptor to wake for the soonest timer. To be called after timers were armed. */
void vbm_loop_settle(struct loop *l);

/* Make the eventfd @fd readable. An eventfd with a full counter is readable already. */
void vbm_loop_raise(int fd);

/* Wait until there is something to dispatch; -1 ms: no limit. */
int vbm_loop_wait(const struct loop *l, int timeout_ms);

#endif
