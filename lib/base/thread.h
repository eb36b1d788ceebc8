/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_BASE_THREAD_H
#define VBM_LIB_BASE_THREAD_H

#include <pthread.h>

/*
 * pthread_create(3) for a thread of the library. All signals are blocked in it: they are for
 * the program's own threads. 0 or an errno value.
 */
int vbm_thread_start(pthread_t *thread, void *(*run)(void *), void *arg);

/*
 * The library's locks around fork(2). A child must not inherit a lock that a thread of its
 * parent holds, so the locks are taken before a fork. They are taken in the order of this
 * list, which is the order in which the library's calls take one while they hold another.
 * The linker decides in which order constructors run, so that order must not matter.
 */
enum fork_lock {
	FORK_CM,
	FORK_GID_TABLE,
	FORK_DEVICES,
	FORK_LOCKS,
};

/*
 * @mutex is taken before each fork. Then it is given back in the parent, and in the child, where
 * @in_child (may be NULL) is called first. Only constructors call this function.
 */
void vbm_fork_join(enum fork_lock lock, pthread_mutex_t *mutex, void (*in_child)(void));

#endif
