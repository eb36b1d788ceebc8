/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_SHORTAGE_H
#define VBM_TESTS_SHORTAGE_H

#include <stdbool.h>

/*
 * The n-th allocation fails, whoever asks for it: malloc(3), calloc(3), realloc(3)
 * and posix_memalign(3) of a program that has this file are here. With shortage-calls.c the
 * calls that make descriptors and threads are counted and fail with them.
 *
 * The sanitizers have allocators of their own, which cannot be replaced: with
 * them nothing fails, and SHORTAGE_WORKS is 0.
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

enum shortage_of { SHORTAGE_OF_THREAD, SHORTAGE_OF_PROCESS };

/* From now on, count; number @n fails, the first one is 0. Only that one. */
void shortage_begin(enum shortage_of of, int n);

/* Count no more. Whether one failed since shortage_begin(). */
bool shortage_end(void);
bool shortage_came(void);

/* Blocks that are not freed: of this thread, of the process. */
long shortage_thread_blocks(void);
long shortage_process_blocks(void);

/* For shortage-calls.c: counts; whether this one is to fail. */
bool shortage_refuses(void);

#endif
