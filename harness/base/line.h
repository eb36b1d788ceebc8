/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_LINE_H
#define VBM_BASE_LINE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Lines over a descriptor, with a deadline (clock_now_ns() terms; -1: none)
 * and a bound on their length. Works on blocking and non-blocking ones.
 */
#define LINE_BYTES_MAX (1 << 20)

struct line_reader {
	int fd;
	char *buf;	/* owned */
	size_t have, used, room;
};

void line_reader_fini(struct line_reader *r);

/*
 * 1 with the next line, without its newline, valid until the next call; 0 at
 * the end of the stream; -ETIMEDOUT; -EMSGSIZE for a line without end;
 * -EPROTO when the stream ended within a line.
 */
int line_read(struct line_reader *r, const char **line, size_t *len, int64_t deadline_ns);

/* Writes @line and a newline. */
int line_write(int fd, const char *line, int64_t deadline_ns);

#endif
