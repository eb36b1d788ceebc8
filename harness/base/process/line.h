/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROCESS_LINE_H
#define VBM_PROCESS_LINE_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The default for the longest line, without its newline. */
#define LINE_BYTES_MAX (1 << 20)

/*
 * Takes bytes and returns lines. Pure: line_feed() copies the bytes, line_next() returns
 * one line after the other. Start with {0}, or with @max and @secret.
 */
struct line_buffer {
	size_t max;	/* the longest line; 0: LINE_BYTES_MAX */
	bool secret;	/* a child of this process finds zeros instead of the lines */
	char *buf;	/* owned */
	size_t have, used, seen, room;	/* @buf: returned before @used, no newline before @seen */
};

void line_feed(struct line_buffer *b, const void *data, size_t n);

/*
 * 1 with the next line, terminated, without its newline; it is valid until the next call
 * with @b. 0 when more bytes are needed. -EMSGSIZE when the line is longer than @max, even
 * before its end has arrived.
 */
int line_next(struct line_buffer *b, const char **line, size_t *len);

bool line_begun(const struct line_buffer *b);	/* has bytes of an incomplete line */
void line_buffer_fini(struct line_buffer *b);

/*
 * Lines from a descriptor, blocking or not. All readers of @fd must share one line_reader,
 * because it may hold more than one line.
 */
struct line_reader {
	int fd;				/* borrowed */
	struct line_buffer in;
	const volatile sig_atomic_t *stop;	/* borrowed; line_read() returns -EINTR when it is set; or NULL */
};

/*
 * 1 with the next line, as line_next(); 0 at the end of the stream; -ETIMEDOUT at the
 * deadline (a time of clock_now_ns(); -1: no deadline); -EMSGSIZE; -EPROTO when the stream
 * ended within a line.
 */
int line_read(struct line_reader *r, const char **line, size_t *len, int64_t deadline_ns);

/*
 * One read(2) without waiting before it. Returns the number of bytes, 0 at the end of the
 * stream, or a negative errno. line_next(&r->in, ...) returns the lines.
 */
int line_fill(struct line_reader *r);
void line_reader_fini(struct line_reader *r);

/* Write @line and a newline to a socket, blocking or not. */
int line_write(int fd, const char *line, int64_t deadline_ns);

/*
 * poll(2) that a signal ends: -1 with EINTR when the signal's handler has set *@stop, even
 * if that was just before the wait. With NULL for @stop it is poll(2).
 */
int line_stop_poll(struct pollfd *p, nfds_t n, int ms, const volatile sig_atomic_t *stop);

#endif
