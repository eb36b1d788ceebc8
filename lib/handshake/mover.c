/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/handshake/mover.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "lib/base/thread.h"

static void *run_moves(void *mover)
{
	struct mover *m = mover;
	struct move *next;

	pthread_mutex_lock(&m->lock);
	for (;;) {
		m->idle++;
		while (ring_empty(&m->todo) && !m->stop)
			pthread_cond_wait(&m->wake, &m->lock);
		m->idle--;
		if (m->stop)
			break;
		next = container_of(m->todo.next, struct move, link);
		ring_remove(&next->link);
		pthread_mutex_unlock(&m->lock);
		next->call(next);
		pthread_mutex_lock(&m->lock);
		ring_add(&m->done, &next->link);
		vbm_loop_raise(m->bell.fd);
	}
	pthread_mutex_unlock(&m->lock);
	return NULL;
}

/* The calls that have been made go on in the loop. They may hand in others. */
static void finish_moves(struct mover *m)
{
	struct move *move;

	for (;;) {
		pthread_mutex_lock(&m->lock);
		move = ring_empty(&m->done) ? NULL : container_of(m->done.next, struct move, link);
		if (move)
			ring_remove(&move->link);
		pthread_mutex_unlock(&m->lock);
		if (!move)
			return;
		move->done(move);
	}
}

/* Edge-triggered: nothing has to be read. */
static void on_bell(struct watch *bell, uint32_t events)
{
	(void)events;
	finish_moves(container_of(bell, struct mover, bell));
}

void vbm_mover_init(struct mover *m, struct loop *loop)
{
	*m = (struct mover){.loop = loop, .bell = {.fd = -1, .ready = on_bell}};
	pthread_mutex_init(&m->lock, NULL);
	pthread_cond_init(&m->wake, NULL);
	ring_init(&m->todo);
	ring_init(&m->done);
}

static bool has_bell(struct mover *m)
{
	if (m->bell.fd >= 0)
		return true;
	m->bell.fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (m->bell.fd >= 0 && vbm_loop_add(m->loop, &m->bell, EPOLLIN | EPOLLET) == 0)
		return true;
	if (m->bell.fd >= 0)
		close(m->bell.fd);
	m->bell.fd = -1;
	return false;
}

static unsigned int waiting(const struct mover *m)
{
	unsigned int count = 0;

	for (const struct ring *r = m->todo.next; r != &m->todo && count <= MOVERS_MAX; r = r->next)
		count++;
	return count;
}

bool vbm_mover_take(struct mover *m, struct move *move)
{
	bool taken;

	if (!has_bell(m))
		return false;
	pthread_mutex_lock(&m->lock);
	if (m->idle <= waiting(m) && m->threads < MOVERS_MAX && !m->stop &&
	    vbm_thread_start(&m->thread[m->threads], run_moves, m) == 0)
		m->threads++;
	taken = m->threads && !m->stop;
	if (taken) {
		ring_add(&m->todo, &move->link);
		pthread_cond_signal(&m->wake);
	}
	pthread_mutex_unlock(&m->lock);
	return taken;
}

void vbm_mover_fini(struct mover *m)
{
	struct move *move;

	pthread_mutex_lock(&m->lock);
	__atomic_store_n(&m->stop, 1, __ATOMIC_RELEASE);
	pthread_cond_broadcast(&m->wake);
	pthread_mutex_unlock(&m->lock);
	while (m->threads)
		pthread_join(m->thread[--m->threads], NULL);
	finish_moves(m);
	while (!ring_empty(&m->todo)) {
		move = container_of(m->todo.next, struct move, link);
		ring_remove(&move->link);
		move->done(move);
	}
	if (m->bell.fd >= 0) {
		vbm_loop_remove(m->loop, &m->bell);
		close(m->bell.fd);
	}
	pthread_cond_destroy(&m->wake);
	pthread_mutex_destroy(&m->lock);
}
