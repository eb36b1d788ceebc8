/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_VISIBLE_H
#define VBM_BASE_VISIBLE_H

#include <stdio.h>

/*
 * Output of foreign text (titles, paths, names, messages that quote them) to a terminal.
 * Characters that would control the terminal are escaped, see text_add_visible().
 */

/* @s on one line, with newlines and tabs escaped as well. The caller frees. */
char *visible_line(const char *s);

/* Print all lines of @text. */
void visible_put(const char *text, FILE *to);

/* A stream for writing. At the end its text is printed to @to, safe for a terminal. */
struct visible {
	FILE *to;	/* borrowed */
	char *text;	/* owned */
	size_t len;
	FILE *stream;	/* owned */
};

FILE *visible_begin(struct visible *v, FILE *to);
void visible_end(struct visible *v);

/* "verbatim: MESSAGE" and a newline to standard error. */
void visible_complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
