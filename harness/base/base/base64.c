/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base64.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

static const char alphabet[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *base64_encode(const void *data, size_t len)
{
	const uint8_t *in = data;
	char *out = xcalloc(len / 3 + 2, 4), *p = out;
	uint32_t bits;
	size_t i, left;

	for (i = 0; i < len; i += 3) {
		left = len - i;
		bits = (uint32_t)in[i] << 16;
		bits |= left > 1 ? (uint32_t)in[i + 1] << 8 : 0;
		bits |= left > 2 ? in[i + 2] : 0;
		*p++ = alphabet[bits >> 18];
		*p++ = alphabet[bits >> 12 & 63];
		*p++ = left > 1 ? alphabet[bits >> 6 & 63] : '=';
		*p++ = left > 2 ? alphabet[bits & 63] : '=';
	}
	return out;
}

/* The value of a digit; -1: not a digit. */
static int digit(char c)
{
	const char *p = c ? strchr(alphabet, c) : NULL;

	return p ? (int)(p - alphabet) : -1;
}

/*
 * Decode a group of four characters to 1 to 3 bytes. Returns their number, or 0 if the
 * group is malformed.
 */
static size_t decode_group(const char *in, uint8_t *out)
{
	int a = digit(in[0]), b = digit(in[1]), c = digit(in[2]), d = digit(in[3]);

	if (a < 0 || b < 0)
		return 0;
	out[0] = (uint8_t)(a << 2 | b >> 4);
	if (in[2] == '=' && in[3] == '=')
		return (b & 15) ? 0 : 1;
	if (c < 0)
		return 0;
	out[1] = (uint8_t)(b << 4 | c >> 2);
	if (in[3] == '=')
		return (c & 3) ? 0 : 2;
	if (d < 0)
		return 0;
	out[2] = (uint8_t)(c << 6 | d);
	return 3;
}

void *base64_decode(const char *text, size_t *len)
{
	size_t n = strlen(text), i, got, used = 0;
	auto_free uint8_t *out = NULL;

	if (n % 4)
		return NULL;
	out = xcalloc(n / 4 + 1, 3);
	for (i = 0; i < n; i += 4) {
		got = decode_group(text + i, out + used);
		if (got == 0 || (got < 3 && i + 4 < n))
			return NULL;
		used += got;
	}
	*len = used;
	return steal(&out);
}
