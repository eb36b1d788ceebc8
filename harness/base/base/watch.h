/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_WATCH_H
#define VBM_BASE_WATCH_H

#include "lib/base/loop.h"

/*
 * The harness waits for several descriptors with a plain loop of lib/base/loop.h. As
 * everywhere in the harness, the process ends when memory runs out.
 */

/*
 * Add @w to @l. The caller has set its rank. It waits for @events (POLLIN, ...) of @fd;
 * with -1 it waits for nothing.
 */
void watch_add(struct loop *l, struct watch *w, int fd, uint32_t events,
	       void (*ready)(struct watch *w, uint32_t events));

/* From now on @w waits for the descriptor and the events in @wanted. */
static inline void watch_for(struct watch *w, struct pollfd wanted)
{
	vbm_watch_set(w, wanted.fd, (uint32_t)(unsigned short)wanted.events);
}

/* Close the descriptor of @w, if it has one. From now on @w waits for nothing. */
void watch_close(struct watch *w);

/* The struct of type @type that has @pointer as its member @member. */
#define OWNER_OF(pointer, type, member) ((type *)(void *)((char *)(pointer) - offsetof(type, member)))

#endif
