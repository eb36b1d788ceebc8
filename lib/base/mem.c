/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool (*filter)(void);

void vbm_mem_set_filter(bool (*allow)(void))
{
	filter = allow;
}

static bool refused(void)
{
	if (__builtin_expect(!filter, 1) || filter())
		return false;
	errno = ENOMEM;
	return true;
}

static inline void *get_bytes(size_t size)
{
	return refused() ? NULL : malloc(size ? size : 1);
}

void *vbm_mem_alloc(size_t size)
{
	return get_bytes(size);
}

void *vbm_mem_zalloc(size_t size)
{
	void *p = get_bytes(size);

	/*
	 * malloc(3) and memset(3), because calloc(3) does not use the C library's cache of
	 * small blocks.
	 */
	return p ? memset(p, 0, size) : NULL;
}

void *vbm_mem_resize(void *p, size_t size)
{
	return refused() ? NULL : realloc(p, size ? size : 1);
}

static inline void *copy_of(const void *p, size_t size)
{
	void *copy = get_bytes(size);

	if (copy && size)
		memcpy(copy, p, size);
	return copy;
}

void *vbm_mem_dup(const void *p, size_t size)
{
	return copy_of(p, size);
}

char *vbm_mem_strdup(const char *s)
{
	return copy_of(s, strlen(s) + 1);
}
