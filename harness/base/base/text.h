/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_TEXT_H
#define VBM_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <verbatim/error.h>

#define UTF8_REPLACEMENT "\xef\xbf\xbd"	/* U+FFFD */

/* Whether both are the same. Faster than strcmp() for names, of which most differ in the first character. */
static inline bool text_same(const char *a, const char *b)
{
	return *a == *b && strcmp(a, b) == 0;
}

/* The length of the UTF-8 sequence at @s (terminated); 0: not UTF-8. */
size_t text_utf8_length(const char *s);

/* The length of the byte order mark (U+FEFF) that some editors write first: 3 or 0. */
size_t text_mark(const char *s, size_t len);

/* Whether all of @s is UTF-8. */
bool text_utf8_is(const char *s);

/* @s with U+FFFD for each byte that is not UTF-8. The caller frees. */
char *text_utf8_clean(const char *s);

/* Text that grows. Start with {0}. It is terminated once something was added. */
struct text {
	char *s;	/* owned; NULL until something was added */
	size_t len;
	size_t room;
};

/* Makes room for @n more bytes, and for the NUL. */
void text_reserve(struct text *t, size_t n);

/* Inline, because JSON is written a few bytes at a time. */
static inline void text_add_bytes(struct text *t, const char *s, size_t n)
{
	if (t->room <= t->len + n)
		text_reserve(t, n);
	memcpy(t->s + t->len, s, n);
	t->len += n;
	t->s[t->len] = '\0';
}

void text_add(struct text *t, const char *s);
void text_addf(struct text *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Adds what a program printed. A NUL byte would end the text, so it becomes U+FFFD. */
void text_add_printed(struct text *t, const char *s, size_t n);

/*
 * Add @s in a form that is safe for a terminal, XML and YAML: control characters except
 * newline and tab as "\x1b", characters that change the writing direction or end a line as
 * "\u202e", bytes that are not UTF-8 and non-characters as U+FFFD.
 */
void text_add_visible(struct text *t, const char *s);

/* The same on one line: newline and tab become "\x0a" and "\x09". */
void text_add_visible_line(struct text *t, const char *s);

/* Adds a text in which those of the characters @which that mean something in XML or HTML are references. */
void text_add_xml(struct text *t, const char *s, const char *which);

/*
 * The contents of a text file, without a byte order mark, up to its first NUL. The caller
 * frees. NULL with @err when the file cannot be read, is not a regular file (EINVAL), is
 * too large (EFBIG) or is empty (EINVAL).
 */
#define TEXT_FILE_MAX (64 << 20)
char *text_of_file(const char *path, struct vbm_error *err);

void text_clear(struct text *t);	/* keeps the memory */
void text_keep_end(struct text *t, size_t n);	/* removes all but the last @n bytes */
void text_fini(struct text *t);

#define auto_text __attribute__((cleanup(text_fini)))

#endif
