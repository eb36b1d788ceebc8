/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_SHORTAGE_H
#define VBM_TESTS_SHORTAGE_H

#include <stdbool.h>

/*
 * The n-th allocation fails, whoever makes it: a program that links this file uses its
 * malloc(3), calloc(3), realloc(3) and posix_memalign(3). With shortage-calls.c the calls
 * that make descriptors and threads are counted and fail as well.
 *
 * The sanitizers have allocators that cannot be replaced. With them nothing fails, and
 * SHORTAGE_WORKS is 0.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SHORTAGE_WORKS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
	__has_feature(memory_sanitizer)
#define SHORTAGE_WORKS 0
#endif
#endif
#ifndef SHORTAGE_WORKS
#define SHORTAGE_WORKS 1
#endif

enum shortage_of { SHORTAGE_OF_THREAD, SHORTAGE_OF_PROCESS, SHORTAGE_OF_WATCHES };

/*
 * Count from now on; call number @n (from 0) fails, and no other. Of SHORTAGE_OF_WATCHES
 * only the calls of epoll_ctl(2) are counted that add a descriptor.
 */
void shortage_begin(enum shortage_of of, int n);

/* Stop counting. Returns whether a call has failed since shortage_begin(). */
bool shortage_end(void);
bool shortage_came(void);

/* The blocks that have not been freed: of this thread, and of the process. */
long shortage_thread_blocks(void);
long shortage_process_blocks(void);

/* For shortage-calls.c: count a call; returns whether it must fail. */
bool shortage_refuses(void);
bool shortage_refuses_watch(void);

#endif
