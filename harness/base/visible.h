/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_VISIBLE_H
#define VBM_BASE_VISIBLE_H

#include <stdio.h>

/*
 * What others wrote (titles, paths, names, messages that quote them), for people at
 * a terminal: what would steer the terminal is written out, see text_add_visible().
 */

/* @s on one line: newlines and tabs are written out, too. The caller frees. */
char *visible_line(const char *s);

/* All lines of @text. */
void put_visible(const char *text, FILE *to);

/* Write to the stream; what was written goes to @to at the end, fit for a terminal. */
struct visible {
	FILE *to;	/* borrowed */
	char *text;	/* owned */
	size_t len;
	FILE *stream;	/* owned */
};

FILE *visible_begin(struct visible *v, FILE *to);
void visible_end(struct visible *v);

/* "verbatim: MESSAGE" and a newline to standard error. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
