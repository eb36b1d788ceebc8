/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/base/thread.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

int vbm_thread_start(pthread_t *thread, void *(*run)(void *), void *arg)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc;
}

/* If a program links only a part of the static library, the others stay NULL. */
static struct {
	pthread_mutex_t *mutex;
	void (*in_child)(void);
} locks[FORK_LOCKS];

static void take_all(void)
{
	for (size_t i = 0; i < FORK_LOCKS; i++)
		if (locks[i].mutex)
			pthread_mutex_lock(locks[i].mutex);
}

static void give_all(void)
{
	for (size_t i = FORK_LOCKS; i-- > 0;)
		if (locks[i].mutex)
			pthread_mutex_unlock(locks[i].mutex);
}

static void give_all_in_child(void)
{
	for (size_t i = FORK_LOCKS; i-- > 0;) {
		if (locks[i].in_child)
			locks[i].in_child();
		if (locks[i].mutex)
			pthread_mutex_unlock(locks[i].mutex);
	}
}

void vbm_fork_join(enum fork_lock lock, pthread_mutex_t *mutex, void (*in_child)(void))
{
	static bool registered;

	locks[lock].mutex = mutex;
	locks[lock].in_child = in_child;
	if (!registered)
		pthread_atfork(take_all, give_all, give_all_in_child);
	registered = true;
}
