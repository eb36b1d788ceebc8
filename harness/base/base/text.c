/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

/* The Unicode standard's table of well-formed byte sequences after ASCII, a line for each form. */
static const struct form {
	unsigned char mask, lead, min2, max2;
	size_t len;
} forms[] = {
	{0xe0, 0xc0, 0x80, 0xbf, 2}, {0xff, 0xe0, 0xa0, 0xbf, 3},
	{0xff, 0xed, 0x80, 0x9f, 3}, {0xf0, 0xe0, 0x80, 0xbf, 3},
	{0xff, 0xf0, 0x90, 0xbf, 4}, {0xff, 0xf4, 0x80, 0x8f, 4},
	{0xf8, 0xf0, 0x80, 0xbf, 4},
};

size_t text_utf8_length(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t i, k;

	if (*s < 0x80)
		return 1;
	if (*s == 0xc0 || *s == 0xc1 || *s > 0xf4)
		return 0;
	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		if ((*s & forms[i].mask) != forms[i].lead)
			continue;
		if (s[1] < forms[i].min2 || s[1] > forms[i].max2)
			return 0;
		for (k = 2; k < forms[i].len; k++)
			if ((s[k] & 0xc0) != 0x80)
				return 0;
		return forms[i].len;
	}
	return 0;
}

bool text_utf8_is(const char *s)
{
	size_t n;

	for (; *s; s += n) {
		n = (unsigned char)*s < 0x80 ? 1 : text_utf8_length(s);
		if (!n)
			return false;
	}
	return true;
}

char *text_utf8_clean(const char *s)
{
	const size_t mark = strlen(UTF8_REPLACEMENT);
	char *clean = xcalloc(mark, strlen(s) + 1), *out = clean;
	size_t n;

	for (; *s; s += n ? n : 1) {
		n = text_utf8_length(s);
		memcpy(out, n ? s : UTF8_REPLACEMENT, n ? n : mark);
		out += n ? n : mark;
	}
	return clean;
}

size_t text_mark(const char *s, size_t len)
{
	return len >= 3 && memcmp(s, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

char *text_of_file(const char *path, struct vbm_error *err)
{
	size_t mark;
	char *text;

	if (file_read_max(path, TEXT_FILE_MAX, &text, NULL, err) < 0)
		return NULL;
	mark = text_mark(text, strlen(text));
	memmove(text, text + mark, strlen(text + mark) + 1);
	if (!*text) {
		vbm_fail(err, EINVAL, "%s: it is empty", path);
		free(text);
		return NULL;
	}
	return text;
}

void text_reserve(struct text *t, size_t n)
{
	size_t room = t->room ? t->room : 64;

	while (room <= t->len + n)
		room *= 2;
	if (room != t->room)
		t->s = xreallocarray(t->s, room, 1);
	t->room = room;
}

void text_add(struct text *t, const char *s)
{
	text_add_bytes(t, s, strlen(s));
}

void text_add_printed(struct text *t, const char *s, size_t n)
{
	size_t part;

	for (; n; s += part, n -= part) {
		part = strnlen(s, n);
		text_add_bytes(t, s, part);
		if (part == n)
			return;
		text_add(t, UTF8_REPLACEMENT);
		part++;
	}
}

void text_addf(struct text *t, const char *fmt, ...)
{
	size_t room;
	va_list ap;
	int n;

	text_reserve(t, 1);
	room = t->room - t->len;
	va_start(ap, fmt);
	n = vsnprintf(t->s + t->len, room, fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n >= room) {
		text_reserve(t, (size_t)n);
		va_start(ap, fmt);
		vsnprintf(t->s + t->len, (size_t)n + 1, fmt, ap);
		va_end(ap);
	}
	if (n >= 0)
		t->len += (size_t)n;
	t->s[t->len] = '\0';
}

/* Non-characters: valid UTF-8, but not allowed in XML and YAML. */
static bool is_noncharacter(const char *s)
{
	return !strncmp(s, "\xef\xbf\xbe", 3) || !strncmp(s, "\xef\xbf\xbf", 3);
}

/* C0 and C1 controls and DEL. @n is the length of the sequence at @s. */
static unsigned int control(const char *s, size_t n)
{
	unsigned char c = (unsigned char)s[0], d = (unsigned char)s[1];

	if (n == 1 && (c < 0x20 || c == 0x7f))
		return c;
	return n == 2 && c == 0xc2 && d < 0xa0 ? d : 0;
}

/*
 * Characters that change the writing direction (marks, embeddings, overrides and
 * isolates), and line separators.
 */
static unsigned int director(const char *s, size_t n)
{
	static const unsigned int ranges[][2] = {
		{0x061c, 0x061c}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069},
	};
	const unsigned char *u = (const unsigned char *)s;
	unsigned int c = 0;
	size_t i;

	if (n == 2)
		c = (u[0] & 0x1fu) << 6 | (u[1] & 0x3fu);
	if (n == 3)
		c = (u[0] & 0xfu) << 12 | (u[1] & 0x3fu) << 6 | (u[2] & 0x3fu);
	for (i = 0; i < ARRAY_SIZE(ranges); i++)
		if (c >= ranges[i][0] && c <= ranges[i][1])
			return c;
	return 0;
}

/* The characters of @keep are not escaped. */
static void add_visible(struct text *t, const char *s, const char *keep)
{
	unsigned int c, d;
	size_t n;

	for (; *s; s += n ? n : 1) {
		n = text_utf8_length(s);
		c = n ? control(s, n) : 0;
		d = director(s, n);
		if (c && !(n == 1 && strchr(keep, *s)))
			text_addf(t, "\\x%02x", c);
		else if (d)
			text_addf(t, "\\u%04x", d);
		else if (n && !is_noncharacter(s))
			text_add_bytes(t, s, n);
		else
			text_add(t, UTF8_REPLACEMENT);
	}
}

void text_add_visible(struct text *t, const char *s)
{
	add_visible(t, s, "\n\t");
}

void text_add_visible_line(struct text *t, const char *s)
{
	add_visible(t, s, "");
}

void text_add_xml(struct text *t, const char *s, const char *which)
{
	static const struct {
		char raw;
		const char *reference;
	} all[] = {
		{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}, {'\n', "&#10;"}, {'\t', "&#9;"},
	};
	size_t i;

	for (; *s; s++) {
		for (i = 0; i < ARRAY_SIZE(all) && (all[i].raw != *s || !strchr(which, *s)); i++)
			;
		if (i < ARRAY_SIZE(all))
			text_add(t, all[i].reference);
		else
			text_add_bytes(t, s, 1);
	}
}

void text_clear(struct text *t)
{
	t->len = 0;
	if (t->s)
		t->s[0] = '\0';
}

void text_keep_end(struct text *t, size_t n)
{
	if (t->len <= n)
		return;
	memmove(t->s, t->s + t->len - n, n + 1);
	t->len = n;
}

void text_fini(struct text *t)
{
	free(t->s);
	*t = (struct text){0};
}
