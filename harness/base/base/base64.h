/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_BASE64_H
#define VBM_BASE_BASE64_H

#include <stddef.h>

/* RFC 4648, with padding and without line breaks. The caller frees. */
char *base64_encode(const void *data, size_t len);

/*
 * NULL unless base64_encode() could have made exactly this @text. The result has a zero
 * byte after its @*len bytes. The caller frees.
 */
void *base64_decode(const char *text, size_t *len);

#endif
