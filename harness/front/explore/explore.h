/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXPLORE_EXPLORE_H
#define VBM_EXPLORE_EXPLORE_H

/*
 * Runs in: the front end, in its main thread; walks run in places.
 * Owns:    the seeds, the failures, and their files.
 * Ends:    after its time or its failures, with a summary.
 * Tests:   unit/test_explore; tests/guest/uml-explore.test.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "explore/batch.h"

struct facts;
struct findings;

/* The options of "verbatim explore". Strings are borrowed. */
struct explore_options {
	struct batch_place place;
	uint64_t seed;
	int seconds;
	size_t steps;		/* operations of a sequence */
	size_t sequences;	/* stop after so many; 0: only the time ends it */
	int jobs;		/* places at a time */
	unsigned groups;	/* bits of enum model_group */
	unsigned without;	/* bits of enum model_exception: those that --without names */
	const char *output;	/* the folder of the scenarios that it writes */
	struct text decides;	/* owned: the options, besides the seed and the steps, that decide the sequences; " --only=mw" */
};

/*
 * Runs random sequences. Shrinks each that fails for a new cause, and writes it as a scenario file.
 * Tells on stdout what it found. Returns an exit status (cmd.h).
 */
int explore(struct explore_options *o);

/*
 * The exceptions of @wanted (bits of enum model_exception) whose finding is in @list with
 * conditions that hold for @facts: a stack without the bug has no exception. Pure.
 */
unsigned explore_exceptions(unsigned wanted, const struct findings *list, const struct facts *facts);

#endif
