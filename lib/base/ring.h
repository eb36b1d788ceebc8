/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_BASE_RING_H
#define VBM_LIB_BASE_RING_H

#include <stdbool.h>
#include <stddef.h>

/* A doubly linked ring, and an entry's links in it. */
struct ring {
	struct ring *prev, *next;
};

/* The struct of @type whose @member @p points to. */
#define container_of(p, type, member) ((type *)(void *)((char *)(p) - offsetof(type, member)))

static inline void ring_init(struct ring *n)
{
	n->prev = n->next = n;
}

static inline bool ring_empty(const struct ring *n)
{
	return n->next == n;
}

static inline void ring_add(struct ring *ring, struct ring *n)
{
	n->prev = ring->prev;
	n->next = ring;
	ring->prev->next = n;
	ring->prev = n;
}

static inline void ring_remove(struct ring *n)
{
	n->prev->next = n->next;
	n->next->prev = n->prev;
	ring_init(n);
}

#endif
