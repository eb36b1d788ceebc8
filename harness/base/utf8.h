/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_UTF8_H
#define VBM_BASE_UTF8_H

#include <stddef.h>

#define UTF8_REPLACEMENT "\xef\xbf\xbd"	/* U+FFFD */

/* The length of the UTF-8 sequence at @s (terminated), 0 when it is not one. */
size_t utf8_length(const char *s);

#endif
