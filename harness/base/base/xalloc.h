/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_XALLOC_H
#define VBM_BASE_XALLOC_H

#include <stdarg.h>
#include <stddef.h>

/*
 * Allocation for programs: these functions never return NULL. When memory runs out, they
 * end the process with a message. The library (lib/) must not use them.
 */
void *xcalloc(size_t n, size_t size);
void *xreallocarray(void *p, size_t n, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *xvasprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

/* Make room for one more element in @array, which has @count elements. It grows by doubling. */
#define GROW(array, count)                                                    \
	do {                                                                  \
		if (((count) & ((count) - 1)) == 0)                           \
			(array) = xreallocarray((array),                      \
						(count) ? 2 * (size_t)(count) : 1, \
						sizeof(*(array)));            \
	} while (0)

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
