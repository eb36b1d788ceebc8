/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_LOOP_H
#define VBM_LIB_LOOP_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Descriptors and deadlines of work under way. Callbacks run inside
 * vbm_loop_dispatch() and vbm_loop_run() only. The owner of a loop locks it: the
 * loop has no lock.
 *
 * There are two ways to wait. A loop of vbm_loop_init() stands on epoll(7): its
 * loop_fd() is readable when there is something to dispatch, so that a program can
 * wait for it with its own descriptors. A loop of vbm_loop_init_plain() has no
 * descriptor, and vbm_loop_run() hands all its watches to poll(2). So it cannot
 * fail, nothing of it is left in a child process, two watches may have one
 * descriptor, a file may be watched, and a descriptor may be closed at any time
 * outside a wait, once its watch has -1. It calls the watches in their order.
 */
struct watch {
	int fd;		/* in a plain loop -1: nothing is waited for */
	void (*ready)(struct watch *w, uint32_t events);
	/* In a plain loop: */
	int rank;		/* set before vbm_loop_add(); those with a lower rank come first */
	uint32_t events;	/* 0: nothing is waited for, no hang-up either */
	uint32_t found;		/* by the wait under way, and not yet told */
	struct watch *prev, *next;	/* NULL when not in a loop */
};

struct timer {
	int64_t at;		/* CLOCK_MONOTONIC, ns */
	void (*fire)(struct timer *t);
	struct timer *prev, *next;	/* NULL when not armed */
};

#define NS_PER_MS 1000000LL
#define LOOP_BATCH 32

struct loop {
	int epfd, timerfd;	/* -1: a plain loop */
	struct watch *ready[LOOP_BATCH];	/* found by the dispatch under way */
	int found;
	/* When the callback under way began, in a plain loop when its wait ended; ns. */
	int64_t now;
	int64_t programmed;	/* what timerfd is set to; 0: nothing */
	bool lazy;		/* timerfd may wake too early, so it is set less often */
	struct timer head;	/* of the armed ones, soonest first */
	/* Of a plain loop: */
	int (*wait)(struct pollfd *p, nfds_t n, int timeout_ms);	/* poll(2), or as it */
	struct watch watches;	/* the head of all, by rank */
	struct watch *turn;	/* the next one to be looked at by the dispatch under way */
	struct pollfd *poll;	/* owned */
	size_t count, room;	/* of watches, and for them in @poll */
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
 * For the watch of a plain loop: from now on it waits for @events of @fd. What the
 * dispatch under way has found of anything else is forgotten.
 */
void vbm_watch_set(struct watch *w, int fd, uint32_t events);

int64_t vbm_loop_now(void);

/* When a wait of @timeout_ms that begins now ends; 0: never, of a negative one. */
int64_t vbm_loop_end_after(int timeout_ms);

/* Milliseconds until then as poll(2) takes them, rounded up; -1: no end. */
int vbm_loop_ms_left(int64_t end);

void vbm_timer_arm(struct loop *l, struct timer *t, int64_t at);
void vbm_timer_disarm(struct timer *t);

/* Run what is ready and due, without waiting: one look, so that it ends. */
void vbm_loop_dispatch(struct loop *l);

/*
 * The same after one wait until there is something; -1 ms: without limit. 0, or the
 * negative errno of that wait (-EINTR as well), after which only timers fired.
 */
int vbm_loop_run(struct loop *l, int timeout_ms);

/* Let the descriptor wake for the soonest timer. After arming any. */
void vbm_loop_settle(struct loop *l);

/* Make the eventfd @fd readable. One whose counter is full is readable as well. */
void vbm_loop_raise(int fd);

/* Wait until there is something to dispatch; -1 ms: without limit. */
int vbm_loop_wait(const struct loop *l, int timeout_ms);

#endif
