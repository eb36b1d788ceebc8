/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/base/loop.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000LL

_Static_assert(EPOLLIN == POLLIN && EPOLLOUT == POLLOUT && EPOLLERR == POLLERR && EPOLLHUP == POLLHUP,
	       "poll(2) and epoll(7) have the same names for what is ready");
#define ALWAYS ((uint32_t)(POLLERR | POLLHUP | POLLNVAL))	/* reported even if nothing waits for them */

static int64_t now_of(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

int64_t vbm_loop_now(void)
{
	return now_of(CLOCK_MONOTONIC);
}

int64_t vbm_loop_now_coarse(void)
{
	return now_of(CLOCK_MONOTONIC_COARSE);
}

int64_t vbm_loop_end_after(int timeout_ms)
{
	return timeout_ms < 0 ? 0 : vbm_loop_now() + timeout_ms * NS_PER_MS;
}

int vbm_loop_ms_left(int64_t end)
{
	int64_t left;

	if (!end)
		return -1;
	left = end - vbm_loop_now();
	left = left > 0 ? (left + NS_PER_MS - 1) / NS_PER_MS : 0;
	return left < INT_MAX ? (int)left : INT_MAX;
}

void vbm_loop_init_plain(struct loop *l)
{
	memset(l, 0, sizeof(*l));
	l->head.prev = l->head.next = &l->head;
	l->watches.prev = l->watches.next = &l->watches;
	l->wait = poll;
	l->timerfd = l->epfd = -1;
}

int vbm_loop_init(struct loop *l)
{
	struct epoll_event ev = {.events = EPOLLIN};
	int error;

	vbm_loop_init_plain(l);
	l->now = vbm_loop_now();
	l->epfd = epoll_create1(EPOLL_CLOEXEC);
	if (l->epfd >= 0)
		l->timerfd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (l->timerfd >= 0 && !epoll_ctl(l->epfd, EPOLL_CTL_ADD, l->timerfd, &ev))
		return 0;
	error = errno;
	vbm_loop_fini(l);
	return -error;
}

void vbm_loop_fini(struct loop *l)
{
	if (l->timerfd >= 0)
		close(l->timerfd);
	if (l->epfd >= 0)
		close(l->epfd);
	l->timerfd = l->epfd = -1;
	free(l->poll);
	l->poll = NULL;
}

static bool is_plain(const struct loop *l)
{
	return l->epfd < 0;
}

/* Most watches are added in the order of their ranks, so the search begins at the end. */
static int add_plain(struct loop *l, struct watch *w, uint32_t events)
{
	struct watch *after = l->watches.prev;
	size_t room = l->room ? 2 * l->room : 8;
	struct pollfd *more;

	if (l->count == l->room) {
		more = reallocarray(l->poll, room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		l->poll = more;
		l->room = room;
	}
	l->count++;
	w->events = events;
	w->found = 0;
	while (after != &l->watches && after->rank > w->rank)
		after = after->prev;
	w->prev = after;
	w->next = after->next;
	after->next->prev = w;
	after->next = w;
	return 0;
}

static void remove_plain(struct loop *l, struct watch *w)
{
	if (!w->next)
		return;
	if (l->turn == w)
		l->turn = w->next;
	w->prev->next = w->next;
	w->next->prev = w->prev;
	w->prev = w->next = NULL;
	l->count--;
}

void vbm_watch_set(struct watch *w, int fd, uint32_t events)
{
	w->found &= fd != w->fd || !events ? 0 : events | ALWAYS;
	w->fd = fd;
	w->events = events;
}

int vbm_loop_add(struct loop *l, struct watch *w, uint32_t events)
{
	struct epoll_event ev = {.events = events, .data.ptr = w};

	if (is_plain(l))
		return add_plain(l, w, events);
	return epoll_ctl(l->epfd, EPOLL_CTL_ADD, w->fd, &ev) ? -errno : 0;
}

void vbm_loop_modify(struct loop *l, struct watch *w, uint32_t events)
{
	struct epoll_event ev = {.events = events, .data.ptr = w};

	if (is_plain(l))
		vbm_watch_set(w, w->fd, events);
	else
		epoll_ctl(l->epfd, EPOLL_CTL_MOD, w->fd, &ev);
}

/* The dispatch under way must not call a watch that has been removed. */
void vbm_loop_remove(struct loop *l, struct watch *w)
{
	if (is_plain(l)) {
		remove_plain(l, w);
		return;
	}
	epoll_ctl(l->epfd, EPOLL_CTL_DEL, w->fd, NULL);
	for (int i = 0; i < l->found; i++)
		if (l->ready[i] == w)
			l->ready[i] = NULL;
}

/* Most timers are armed in the order of their deadlines, so the search begins at the end. */
void vbm_timer_arm(struct loop *l, struct timer *t, int64_t at)
{
	struct timer *after;

	vbm_timer_disarm(t);
	t->at = at;
	after = l->head.prev;
	while (after != &l->head && after->at > at)
		after = after->prev;
	t->prev = after;
	t->next = after->next;
	after->next->prev = t;
	after->next = t;
}

void vbm_timer_disarm(struct timer *t)
{
	if (!t->next)
		return;
	t->prev->next = t->next;
	t->next->prev = t->prev;
	t->prev = t->next = NULL;
}

static void fire_due(struct loop *l)
{
	while (l->head.next != &l->head && l->head.next->at <= loop_now(l)) {
		struct timer *t = l->head.next;

		vbm_timer_disarm(t);
		t->fire(t);
	}
}

static void read_timer(struct loop *l)
{
	uint64_t ticks;

	/* A failed read does no harm: fire_due() reads the clock. */
	if (read(l->timerfd, &ticks, sizeof(ticks)) < 0)
		return;
	l->programmed = 0;
}

void vbm_loop_dispatch(struct loop *l)
{
	vbm_loop_run(l, 0);
}

/* The time until the soonest timer is due, but at most @timeout_ms; -1: no limit. */
static int patience_ms(const struct loop *l, int timeout_ms)
{
	int64_t at = l->head.next->at;
	int left;

	if (l->head.next == &l->head)
		return timeout_ms;
	left = at > 0 ? vbm_loop_ms_left(at) : 0;
	return timeout_ms >= 0 && timeout_ms < left ? timeout_ms : left;
}

/* A watch that a callback adds gets its turn in the next wait. */
static int run_plain(struct loop *l, int timeout_ms)
{
	struct pollfd *p = l->poll;
	struct watch *w;
	int rc;

	for (w = l->watches.next; w != &l->watches; w = w->next)
		*p++ = (struct pollfd){w->events ? w->fd : -1, (short)w->events, 0};
	rc = l->wait(l->poll, l->count, patience_ms(l, timeout_ms)) < 0 ? -errno : 0;
	l->now = vbm_loop_now();
	for (p = l->poll, w = l->watches.next; w != &l->watches; w = w->next, p++)
		w->found = rc ? 0 : (uint32_t)p->revents;
	for (w = l->watches.next; w != &l->watches; w = l->turn) {
		uint32_t found = w->found;

		l->turn = w->next;
		w->found = 0;
		if (found)
			w->ready(w, found);
	}
	l->turn = NULL;
	fire_due(l);
	return rc;
}

int vbm_loop_run(struct loop *l, int timeout_ms)
{
	struct epoll_event ev[LOOP_BATCH];
	bool is_due = !l->lazy;
	int n, error;

	if (is_plain(l))
		return run_plain(l, timeout_ms);
	n = epoll_wait(l->epfd, ev, LOOP_BATCH, timeout_ms);
	error = n < 0 ? errno : 0;
	l->found = n > 0 ? n : 0;
	for (int i = 0; i < l->found; i++)
		l->ready[i] = ev[i].data.ptr;
	for (int i = 0; i < l->found; i++) {
		l->stale = true;
		if (!l->lazy)
			loop_now(l);
		if (!ev[i].data.ptr)
			is_due = (read_timer(l), true);
		else if (l->ready[i])
			l->ready[i]->ready(l->ready[i], ev[i].events);
	}
	l->found = 0;
	if (n <= 0 && is_due)
		l->now = vbm_loop_now();
	/* Without the clock only the descriptor says that a timer is due. */
	if (is_due || !l->stale)
		fire_due(l);
	vbm_loop_settle(l);
	return -error;
}

void vbm_loop_settle(struct loop *l)
{
	int64_t at = l->head.next == &l->head ? 0 : l->head.next->at;
	struct itimerspec spec = {0};

	if (is_plain(l))
		return;
	if (at == l->programmed || (l->lazy && l->programmed && (!at || at > l->programmed)))
		return;
	spec.it_value.tv_sec = at / NS_PER_S;
	spec.it_value.tv_nsec = at % NS_PER_S;
	timerfd_settime(l->timerfd, TFD_TIMER_ABSTIME, &spec, NULL);
	l->programmed = at;
}

int vbm_loop_wait(const struct loop *l, int timeout_ms)
{
	struct pollfd p = {.fd = l->epfd, .events = POLLIN};

	return poll(&p, 1, timeout_ms) < 0 ? -1 : 0;
}

void vbm_loop_raise(int fd)
{
	uint64_t one = 1;

	if (write(fd, &one, sizeof(one)) < 0)
		return;
}
