/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROCESS_PUMP_H
#define VBM_PROCESS_PUMP_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

struct deflater;

/*
 * One direction of a terminal's bytes: from @in to @out. The pump reads only when it has
 * written everything, so a slow reader slows the writer down. @out must be non-blocking,
 * because otherwise two pumps of one terminal would wait for each other.
 */
struct pump {
	int in, out;		/* borrowed */
	struct deflater *deflater;	/* borrowed; NULL: no compression */
	char buf[4096];
	size_t from, to;	/* the bytes in @buf */
	bool eof;		/* @in has ended */
	int error;		/* -errno of a failed write, after which all bytes are dropped */
	size_t limit;		/* the most bytes to write in one run */
	size_t written;		/* total number of bytes */
};

void pump_init(struct pump *p, int in, int out);	/* without a limit */

/* The descriptor and events to wait for; the descriptor is -1 when there are none. */
struct pollfd pump_wants(const struct pump *p);

/*
 * To be called when poll(2) has reported pump_wants(): reads at most once, and writes as
 * much as possible.
 */
void pump_run(struct pump *p);

/* Insert @bytes before the next bytes of @in. There must be room for them. */
void pump_insert(struct pump *p, const char *bytes, size_t n);

bool pump_done(const struct pump *p);	/* @in has ended, and all bytes are written */

#endif
