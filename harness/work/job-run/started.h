/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_RUN_STARTED_H
#define VBM_JOB_RUN_STARTED_H

#include <stddef.h>

#include "plan/plan.h"

struct actors;
struct value;

/*
 * The programs that a variant has started and whose end no step has reported. If one dies
 * meanwhile, the variant fails, unless its step allows that.
 */
struct started {
	struct started_program *item;	/* owned */
	size_t count;
};

/* Call this after each item, because it may have started or ended a program. */
void started_note(struct started *s, const struct item *item, const struct value *args,
		  const struct value *result);

/* Asks the agents that still live, and calls @dead for each item whose program died. */
void started_look(const struct started *s, struct actors *actors,
		  void (*dead)(void *arg, const struct item *item, const char *how), void *arg);

void started_fini(struct started *s);

#endif
