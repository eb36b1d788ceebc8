/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_CHILD_LANE_H
#define VBM_TESTS_CHILD_LANE_H

#include "event/emit.h"
#include "lane/lane.h"
#include "process/line.h"

/*
 * A lane whose places are child processes of a test. Each child has said hello, and then
 * runs a function of the test, which is its life.
 */
struct child_place {
	int fd;			/* the runner's end of the lane: events and lines */
	int terminal;		/* the runner's end of the terminal */
	int console;		/* the lane takes the bytes written here for its console */
	struct emitter emit;
	struct line_reader in;
};

typedef void (*child_life)(struct child_place *p);

extern const struct lane_ops child_lane;

/* The text that end_cause of these places returns. */
#define CHILD_END_CAUSE "it is gone"

/* Set the lives of the next children, in order. */
void child_lane_live(const child_life *lives);

/* The number of children started since then. */
size_t child_lane_started(void);

/* From now on no place starts, for this reason; NULL: each starts. */
void child_lane_start_not(const char *why);

#endif
