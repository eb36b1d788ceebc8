/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_WIRE_BACKLOG_H
#define VBM_WIRE_BACKLOG_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/*
 * Blocks of a file that wait for their turn: they come by interface, and leave by
 * time. Two of one time leave as they came. Pure. Start with {0}.
 */
struct backlog_entry {
	uint64_t ns;
	uint64_t number;	/* how many came before it */
	size_t at, len;		/* in the bytes of the backlog */
};

struct backlog {
	struct text bytes;		/* owned */
	struct backlog_entry *entry;	/* owned */
	size_t count, room;
	uint64_t number;
	uint64_t oldest_ns;		/* of its entries; UINT64_MAX where @count is 0 */
};

/* What was added to @b->bytes since it had @len bytes is a block. */
void backlog_add(struct backlog *b, uint64_t ns, size_t len);

/* All that are not later than @ns go to @out, in the order of their times. */
void backlog_take(struct backlog *b, uint64_t ns, struct text *out);
void backlog_fini(struct backlog *b);

#endif
