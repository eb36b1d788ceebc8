/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXPLORE_WALKS_H
#define VBM_EXPLORE_WALKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

#include "explore/batch.h"
#include "worker/signals.h"

/* The sequences that one place carries out between two messages. */
#define WALK_COUNT 50

/* A sequence whose answers the model does not allow. */
struct walk_failure {
	uint64_t sequence;
	size_t operation;	/* that led to it, from 0 */
	char *cause;	/* owned; equal for failures that have one cause */
	char *says;	/* owned; for people */
};

/* The results of the sequences @first to @first + @count - 1. */
struct walk_news {
	uint64_t first;
	size_t count;
	int64_t operations;
	struct walk_failure *failure;	/* owned */
	size_t failures;
	uint64_t last;		/* the sequence that began last */
	int64_t operation;	/* its operation that began last, or -1: nobody told */
	bool lost;		/* the place ended or hung in that one */
	char *doubt;	/* owned; a complaint, a leak, or the end of the place, which one of them caused; or NULL */
};

/*
 * Walks: sequences that places carry out and judge by themselves, without a scenario.
 * A place lives until its kernel complains, hangs or ends. Strings are borrowed.
 */
struct walks {
	struct batch_place *place;	/* "used" is filled in */
	uint64_t seed;
	size_t steps, sequences;	/* 0 sequences: the caller says when it is enough */
	uint64_t first;			/* the sequence to begin with; only those before number @sequences are walked */
	bool each;			/* tell of each operation before it begins */
	unsigned groups;
	int jobs;			/* places at a time */
	struct signals *signals;
	int (*began)(void *arg, struct vbm_error *err);	/* the first place is up; the caller settles the exceptions; or NULL */
	bool (*enough)(void *arg);	/* or NULL */
	int (*heard)(void *arg, const struct walk_news *news, struct vbm_error *err);
	void *arg;
};

/*
 * Returns 0; -EINTR after a signal; -EINVAL for a lane or target that cannot be; -ENODEV
 * if no place could be started.
 */
int walks_run(struct walks *w, struct vbm_error *err);

#endif
