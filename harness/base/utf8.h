/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_UTF8_H
#define VBM_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

#define UTF8_REPLACEMENT "\xef\xbf\xbd"	/* U+FFFD */

/* The length of the UTF-8 sequence at @s (terminated), 0 when it is not one. */
size_t utf8_length(const char *s);

/* All of @s is UTF-8. */
bool utf8_is(const char *s);

/* @s with U+FFFD for each byte that is not UTF-8. The caller frees. */
char *utf8_clean(const char *s);

#endif
