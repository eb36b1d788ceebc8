/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_WIRE_BACKLOG_H
#define VBM_WIRE_BACKLOG_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/*
 * Blocks of a file that wait to be written. They arrive interface by interface and leave
 * in the order of their times. Blocks of the same time leave in the order of their
 * arrival. Pure. Start with {0}.
 */
struct backlog_entry {
	uint64_t ns;
	uint64_t number;	/* the number of earlier arrivals */
	size_t at, len;		/* in the bytes of the backlog */
};

struct backlog {
	struct text bytes;		/* owned */
	struct backlog_entry *entry;	/* owned */
	size_t count, room;
	uint64_t number;
	uint64_t oldest_ns;		/* the time of the oldest entry; UINT64_MAX if @count is 0 */
};

/* Make a block of the bytes that were added to @b->bytes since it had @len bytes. */
void backlog_add(struct backlog *b, uint64_t ns, size_t len);

/* Move all blocks that are not later than @ns to @out, in the order of their times. */
void backlog_take(struct backlog *b, uint64_t ns, struct text *out);
void backlog_fini(struct backlog *b);

#endif
