/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_WATCH_H
#define VBM_BASE_WATCH_H

#include "lib/base/loop.h"

/*
 * The harness waits for several things with a plain loop of lib/base/loop.h. As with
 * all memory of programs, want of it ends the process.
 */

/* Adds @w to @l. Its rank must be set; it waits for @events (POLLIN, ...) of @fd, or with -1 for nothing. */
void watch_add(struct loop *l, struct watch *w, int fd, uint32_t events,
	       void (*ready)(struct watch *w, uint32_t events));

/* From now on @w waits for what @wanted says. */
static inline void watch_for(struct watch *w, struct pollfd wanted)
{
	vbm_watch_set(w, wanted.fd, (uint32_t)(unsigned short)wanted.events);
}

/* Closes its descriptor, where it has one; it can be given another. */
void watch_close(struct watch *w);

/* The struct of type @type that has @pointer as its member @member. */
#define OWNER_OF(pointer, type, member) ((type *)(void *)((char *)(pointer) - offsetof(type, member)))

#endif
