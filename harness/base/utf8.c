/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/utf8.h"

#include <string.h>

#include "base/xalloc.h"

/* One line for each form of the standard's table of well-formed sequences. */
static const struct form {
	unsigned char mask, lead, min2, max2;
	size_t len;
} forms[] = {
	{0x80, 0x00, 0x00, 0xff, 1}, {0xe0, 0xc0, 0x80, 0xbf, 2},
	{0xff, 0xe0, 0xa0, 0xbf, 3}, {0xff, 0xed, 0x80, 0x9f, 3},
	{0xf0, 0xe0, 0x80, 0xbf, 3}, {0xff, 0xf0, 0x90, 0xbf, 4},
	{0xff, 0xf4, 0x80, 0x8f, 4}, {0xf8, 0xf0, 0x80, 0xbf, 4},
};

size_t utf8_length(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t i, k;

	if (*s == 0xc0 || *s == 0xc1 || *s > 0xf4)
		return 0;
	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		if ((*s & forms[i].mask) != forms[i].lead)
			continue;
		if (forms[i].len > 1 && (s[1] < forms[i].min2 || s[1] > forms[i].max2))
			return 0;
		for (k = 2; k < forms[i].len; k++)
			if ((s[k] & 0xc0) != 0x80)
				return 0;
		return forms[i].len;
	}
	return 0;
}

bool utf8_is(const char *s)
{
	size_t n;

	for (; *s; s += n) {
		n = utf8_length(s);
		if (!n)
			return false;
	}
	return true;
}

char *utf8_clean(const char *s)
{
	const size_t mark = strlen(UTF8_REPLACEMENT);
	char *clean = xcalloc(mark, strlen(s) + 1), *out = clean;
	size_t n;

	for (; *s; s += n ? n : 1) {
		n = utf8_length(s);
		memcpy(out, n ? s : UTF8_REPLACEMENT, n ? n : mark);
		out += n ? n : mark;
	}
	return clean;
}
