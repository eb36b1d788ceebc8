/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/xalloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *require_memory(void *p)
{
	if (!p) {
		fputs("verbatim: out of memory\n", stderr);
		abort();
	}
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	return require_memory(calloc(n ? n : 1, size ? size : 1));
}

void *xreallocarray(void *p, size_t n, size_t size)
{
	return require_memory(reallocarray(p, n ? n : 1, size ? size : 1));
}

char *xstrdup(const char *s)
{
	return require_memory(strdup(s));
}

char *xstrndup(const char *s, size_t n)
{
	return require_memory(strndup(s, n));
}

char *xvasprintf(const char *fmt, va_list ap)
{
	char *s = NULL;

	return require_memory(vasprintf(&s, fmt, ap) < 0 ? NULL : s);
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = xvasprintf(fmt, ap);
	va_end(ap);
	return s;
}
