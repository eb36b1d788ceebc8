/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_BASE_THREAD_H
#define VBM_LIB_BASE_THREAD_H

#include <pthread.h>

/*
 * pthread_create(3) for a thread of the library. All signals are blocked in it: they are for
 * the program's own threads. 0 or an errno value.
 */
int vbm_thread_start(pthread_t *thread, void *(*run)(void *), void *arg);

#endif
