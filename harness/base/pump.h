/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_PUMP_H
#define VBM_BASE_PUMP_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * One direction of a terminal's bytes: from @in to @out. It reads only when all
 * was written, so that a slow reader slows the writer down; @out must not
 * block, so that two pumps of one terminal cannot lock each other up.
 */
struct pump {
	int in, out;		/* borrowed */
	char buf[4096];
	size_t from, to;	/* what is in @buf */
	bool eof;		/* nothing more comes from @in */
	int error;		/* -errno of a write that failed: all is lost */
};

void pump_init(struct pump *p, int in, int out);

/* What to wait for; -1 as descriptor when there is nothing. */
struct pollfd pump_wants(const struct pump *p);

/* After a wait that ended for it: one read at most, and what can be written. */
void pump_run(struct pump *p);

/* Bytes that come before what @in has, as if they were read. They must fit. */
void pump_insert(struct pump *p, const char *bytes, size_t n);

bool pump_done(const struct pump *p);	/* at the end, and all written */

#endif
