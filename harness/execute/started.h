/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXECUTE_STARTED_H
#define VBM_EXECUTE_STARTED_H

#include <stddef.h>

#include "plan/plan.h"

struct actors;
struct value;

/*
 * The programs that a variant has started and whose end no step has told. One that
 * dies meanwhile fails the variant, unless its step says that it may.
 */
struct started {
	struct started_program *item;	/* owned */
	size_t count;
};

/* An item was carried out with these arguments: it may have started or ended one. */
void started_note(struct started *s, const struct item *item, const struct value *args,
		  const struct value *result);

/* Asks the agents that still live; @dead is told each item whose program died, and how. */
void started_look(const struct started *s, struct actors *actors,
		  void (*dead)(void *arg, const struct item *item, const char *how), void *arg);

void started_fini(struct started *s);

#endif
