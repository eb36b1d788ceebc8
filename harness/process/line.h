/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROCESS_LINE_H
#define VBM_PROCESS_LINE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest line, without its newline, where nothing else is said. */
#define LINE_BYTES_MAX (1 << 20)

/*
 * Bytes in, lines out. Pure: line_feed() copies the bytes, line_next() hands
 * out one line after the other. Start with {0}, or with @max and @secret.
 */
struct line_buffer {
	size_t max;	/* the longest line; 0: LINE_BYTES_MAX */
	bool secret;	/* a child of this process finds zeros in the place of all lines */
	char *buf;	/* owned */
	size_t have, used, seen, room;	/* @buf up to @used is handed out, up to @seen has no newline */
};

void line_feed(struct line_buffer *b, const void *data, size_t n);

/*
 * 1 with the next line, terminated, without its newline, valid until the next
 * call with @b; 0 when more bytes are needed; -EMSGSIZE when the line is longer
 * than @max, also before its end has come.
 */
int line_next(struct line_buffer *b, const char **line, size_t *len);

bool line_begun(const struct line_buffer *b);	/* bytes of a line whose end is missing */
void line_buffer_fini(struct line_buffer *b);

/*
 * Lines from a descriptor, blocking or not. All that reads from @fd must share
 * one reader, which may hold more than one line.
 */
struct line_reader {
	int fd;				/* borrowed */
	struct line_buffer in;
	const volatile sig_atomic_t *stop;	/* borrowed; line_read() returns -EINTR once it is set; or NULL */
};

/*
 * 1 with the next line, as line_next(); 0 at the end of the stream; -ETIMEDOUT
 * at the deadline (clock_now_ns() terms; -1: none); -EMSGSIZE; -EPROTO when
 * the stream ended within a line.
 */
int line_read(struct line_reader *r, const char **line, size_t *len, int64_t deadline_ns);

/*
 * One read(2) without a wait before it: how many bytes came, 0 at the end of
 * the stream, or a negative errno. line_next(&r->in, ...) has the lines.
 */
int line_fill(struct line_reader *r);
void line_reader_fini(struct line_reader *r);

/* Writes @line and a newline to a socket, blocking or not. */
int line_write(int fd, const char *line, int64_t deadline_ns);

#endif
