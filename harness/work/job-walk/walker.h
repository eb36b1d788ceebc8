/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_WALK_WALKER_H
#define VBM_JOB_WALK_WALKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <verbatim/error.h>

#include "model/rules.h"

struct fabric;
struct value;

/* The sequences to carry out: they follow from these numbers, on every machine. */
struct walk_orders {
	const char *target;	/* borrowed; "system", "reference" or a path */
	uint64_t seed;
	size_t steps;		/* operations of a sequence */
	unsigned groups;
	struct model_stack stack;
	bool each;		/* tell of each operation before it is carried out */
};

/*
 * A process that carries out sequences one after another. It begins each when it is told to, so that the one that ends the
 * kernel is known, and tells of it on one line:
 * {"lacks": N} before the first (bits of enum model_lack), then
 * {"operation": N} before each operation, if the orders say so, and waits for another byte;
 * {"sequence": N, "operations": N} after it, with "astray" (the members of the event "astray") if
 * the model does not allow what came, and {"error": TEXT} if it cannot go on.
 */
struct walker {
	pid_t pid;		/* 0: there is none */
	int fd;			/* owned; its lines, and a byte to it for each sequence */
};

/* Starts the process for the sequences @from to @to - 1. It ends with this process. */
int walker_start(struct walker *w, struct fabric *fabric, const struct walk_orders *orders, uint64_t from, uint64_t to,
		 struct vbm_error *err);

/* Lets it begin the next sequence. -EPIPE: it is gone. */
int walker_go_on(const struct walker *w);

/* Kills and reaps. */
void walker_stop(struct walker *w);

#endif
