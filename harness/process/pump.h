/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROCESS_PUMP_H
#define VBM_PROCESS_PUMP_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

struct deflater;

/*
 * One direction of a terminal's bytes: from @in to @out. The pump reads only
 * when it has written everything, so a slow reader slows the writer down. @out
 * must not block: two pumps of one terminal would wait for each other.
 */
struct pump {
	int in, out;		/* borrowed */
	struct deflater *deflater;	/* borrowed; NULL: the bytes go as they are */
	char buf[4096];
	size_t from, to;	/* what is in @buf */
	bool eof;		/* nothing more comes from @in */
	int error;		/* -errno of a write that failed: all is lost */
	size_t limit;		/* how much may be written in one run */
	size_t written;		/* in all */
};

void pump_init(struct pump *p, int in, int out);	/* without a limit */

/* What to wait for; -1 as descriptor when there is nothing. */
struct pollfd pump_wants(const struct pump *p);

/* When poll(2) reported pump_wants(): reads once at most, writes what it can. */
void pump_run(struct pump *p);

/* Puts @bytes before those that @in will give. There must be room for them. */
void pump_insert(struct pump *p, const char *bytes, size_t n);

bool pump_done(const struct pump *p);	/* at the end, and all written */

#endif
