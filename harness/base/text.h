/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_TEXT_H
#define VBM_BASE_TEXT_H

#include <stddef.h>

#include <verbatim/error.h>

/* Text that grows. Start with {0}; always terminated once something is in it. */
struct text {
	char *s;	/* owned; NULL while nothing was ever added */
	size_t len;
	size_t room;
};

void text_add(struct text *t, const char *s);
void text_add_bytes(struct text *t, const char *s, size_t n);
void text_addf(struct text *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * @s fit for a terminal, XML and YAML: control characters but newline and tab
 * as "\x1b", bytes that are not UTF-8 and non-characters as U+FFFD.
 */
void text_add_visible(struct text *t, const char *s);
/*
 * All of a file up to the first NUL, terminated, which the caller frees; NULL
 * with @err when it cannot be read or is empty (EINVAL).
 */
char *text_of_file(const char *path, struct vbm_error *err);

void text_clear(struct text *t);	/* keeps the room */
void text_fini(struct text *t);

#define auto_text __attribute__((cleanup(text_fini)))

#endif
