/* SPDX-License-Identifier: BSD-2-Clause */
#include "shortage.h"

#include <errno.h>
#include <stddef.h>

static __thread int thread_countdown = -1;
static __thread long thread_blocks;
static int process_countdown = -1, watch_countdown = -1;
static long process_blocks;
static bool came;

void shortage_begin(enum shortage_of of, int n)
{
	__atomic_store_n(&came, false, __ATOMIC_RELAXED);
	if (of == SHORTAGE_OF_THREAD)
		thread_countdown = n;
	else if (of == SHORTAGE_OF_WATCHES)
		__atomic_store_n(&watch_countdown, n, __ATOMIC_RELEASE);
	else
		__atomic_store_n(&process_countdown, n, __ATOMIC_RELEASE);
}

bool shortage_end(void)
{
	thread_countdown = -1;
	__atomic_store_n(&process_countdown, -1, __ATOMIC_RELEASE);
	__atomic_store_n(&watch_countdown, -1, __ATOMIC_RELEASE);
	return shortage_came();
}

bool shortage_came(void)
{
	return __atomic_load_n(&came, __ATOMIC_RELAXED);
}

long shortage_thread_blocks(void)
{
	return thread_blocks;
}

long shortage_process_blocks(void)
{
	return __atomic_load_n(&process_blocks, __ATOMIC_RELAXED);
}

static bool is_last(int *countdown)
{
	return __atomic_load_n(countdown, __ATOMIC_ACQUIRE) >= 0 &&
	       __atomic_fetch_sub(countdown, 1, __ATOMIC_RELAXED) == 0;
}

/* @is_due: this call is the n-th one. */
static bool refuses(bool is_due)
{
	if (is_due)
		__atomic_store_n(&came, true, __ATOMIC_RELAXED);
	return is_due;
}

bool shortage_refuses(void)
{
	return refuses((thread_countdown >= 0 && thread_countdown-- == 0) || is_last(&process_countdown));
}

bool shortage_refuses_watch(void)
{
	return shortage_refuses() || refuses(is_last(&watch_countdown));
}

#if SHORTAGE_WORKS
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *p);

static bool out_of_memory(void)
{
	if (!shortage_refuses())
		return false;
	errno = ENOMEM;
	return true;
}

static void count(int more)
{
	thread_blocks += more;
	__atomic_add_fetch(&process_blocks, more, __ATOMIC_RELAXED);
}

static void *counted(void *p)
{
	count(p != NULL);
	return p;
}

/* These names must replace the C library's in the whole program, so they must not be hidden. */
#pragma GCC visibility push(default)
void *malloc(size_t size);
void *calloc(size_t n, size_t size);
void *realloc(void *p, size_t size);
int posix_memalign(void **p, size_t alignment, size_t size);
void free(void *p);

void *malloc(size_t size)
{
	return out_of_memory() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t n, size_t size)
{
	return out_of_memory() ? NULL : counted(__libc_calloc(n, size));
}

void *realloc(void *p, size_t size)
{
	if (out_of_memory())
		return NULL;
	return p ? __libc_realloc(p, size) : counted(__libc_realloc(p, size));
}

int posix_memalign(void **p, size_t alignment, size_t size)
{
	void *got = out_of_memory() ? NULL : counted(__libc_memalign(alignment, size));

	if (!got)
		return ENOMEM;
	*p = got;
	return 0;
}

void free(void *p)
{
	count(-(p != NULL));
	__libc_free(p);
}
#pragma GCC visibility pop
#endif
