/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_LOOP_H
#define VBM_LIB_LOOP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Descriptors and deadlines of requests under way. Callbacks run inside
 * vbm_loop_dispatch() only; loop_fd() is readable when there is something to
 * dispatch. The owner of a loop locks it: the loop has no lock.
 */
struct watch {
	int fd;
	void (*ready)(struct watch *w, uint32_t events);
};

struct timer {
	int64_t at;		/* CLOCK_MONOTONIC, ns */
	void (*fire)(struct timer *t);
	struct timer *prev, *next;	/* NULL when not armed */
};

#define NS_PER_MS 1000000LL
#define LOOP_BATCH 32

struct loop {
	int epfd, timerfd;
	struct watch *ready[LOOP_BATCH];	/* found by the dispatch under way */
	int found;
	int64_t now;		/* when the callback under way began; CLOCK_MONOTONIC, ns */
	int64_t programmed;	/* what timerfd is set to; 0: nothing */
	bool lazy;		/* timerfd may wake too early, so it is set less often */
	struct timer head;	/* of the armed ones, soonest first */
};

/* 0 or a negative errno. */
int vbm_loop_init(struct loop *l);
void vbm_loop_fini(struct loop *l);

static inline int loop_fd(const struct loop *l)
{
	return l->epfd;
}

int vbm_loop_add(struct loop *l, struct watch *w, uint32_t events);
void vbm_loop_modify(struct loop *l, struct watch *w, uint32_t events);
void vbm_loop_remove(struct loop *l, struct watch *w);

int64_t vbm_loop_now(void);

/* When a wait of @timeout_ms that begins now ends; 0: never, of a negative one. */
int64_t vbm_loop_end_after(int timeout_ms);

/* Milliseconds until then as poll(2) takes them, rounded up; -1: no end. */
int vbm_loop_ms_left(int64_t end);

void vbm_timer_arm(struct loop *l, struct timer *t, int64_t at);
void vbm_timer_disarm(struct timer *t);

/* Run what is ready and due, without waiting: one look, so that it ends. */
void vbm_loop_dispatch(struct loop *l);

/* The same, but wait until there is something; -1 ms: without limit. */
void vbm_loop_run(struct loop *l, int timeout_ms);

/* Let the descriptor wake for the soonest timer. After arming any. */
void vbm_loop_settle(struct loop *l);

/* Make the eventfd @fd readable. One whose counter is full is readable as well. */
void vbm_loop_raise(int fd);

/* Wait until there is something to dispatch; -1 ms: without limit. */
int vbm_loop_wait(const struct loop *l, int timeout_ms);

#endif
