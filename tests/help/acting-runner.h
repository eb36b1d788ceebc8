/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_ACTING_RUNNER_H
#define VBM_TESTS_ACTING_RUNNER_H

#include "child-lane.h"

/*
 * A life of a child lane (child-lane.h): a runner that takes its job and variants as a real
 * runner does, and executes no steps. The name of a variant decides what the runner does:
 *
 *   pass, echo, shout, broken   a verdict: PASS, SKIP with the list of known failures as its
 *                               reason, ERROR after a complaint of the kernel, the same and the end
 *   mumble                      PASS, and a complaint on the console only
 *   leave, end                  PASS, and the runner dies or ends
 *   die, oops, panic            dies, with nothing, a complaint or a panic on the console
 *   lie, garble, hang           sends an impossible event, writes a line that is no event, is silent
 *   interrupt                   sends SIGTERM to the front end
 *   await                       PASS once there is another variant
 *   meet-r, meet-w              PASS once the other of the two has begun
 *   fall, mourn                 dies once mourn has begun; PASS once fall is dead
 */
void acting_runner(struct child_place *p);

/* Only the beginning: read the job. */
void acting_take_job(struct child_place *p);

/* The FIFO that meet, fall and mourn use to find each other; the test makes it. */
extern char *acting_fifo;

#define ACTING_PANIC "Kernel panic - not syncing: out of frames"
#define ACTING_OOPS "BUG: kernel NULL pointer dereference"

#endif
