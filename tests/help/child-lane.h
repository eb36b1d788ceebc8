/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_CHILD_LANE_H
#define VBM_TESTS_CHILD_LANE_H

#include "event/emit.h"
#include "lane/lane.h"
#include "process/line.h"

/*
 * A lane whose places are child processes of a test. Each child has said hello, and then
 * does what a function of the test says: its life.
 */
struct child_place {
	int fd;			/* the runner's end of the lane: events and lines */
	int terminal;		/* its end of the terminal */
	int console;		/* what it writes here, the lane takes for its console */
	struct emitter emit;
	struct line_reader in;
};

typedef void (*child_life)(struct child_place *p);

extern const struct lane_ops child_lane;

/* The text that end_cause of these places returns. */
#define CHILD_OBITUARY "it is gone"

/* The lives of the children to come, in order. */
void child_lane_live(const child_life *lives);

/* How many children have been started since then. */
size_t child_lane_started(void);

/* No place starts, for this reason; NULL: each does. */
void child_lane_start_not(const char *why);

#endif
