/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_ACTING_RUNNER_H
#define VBM_TESTS_ACTING_RUNNER_H

#include "child-lane.h"

/*
 * A life of a child lane (child-lane.h): a runner that takes its job and variants as a real
 * one does, and carries no steps out. What it does with a variant is in the variant's name:
 *
 *   pass, echo, shout, broken   a verdict: PASS, SKIP with the list of known failures as its
 *                               reason, ERROR after a complaint of the kernel, the same and the end
 *   mumble                      PASS, and a complaint on the console only
 *   leave, end                  PASS, and the runner dies or ends
 *   die, oops, panic            dies, with nothing, a complaint or a panic on the console
 *   lie, garble, hang           tells what cannot be, writes what is no event, is silent
 *   interrupt                   sends SIGTERM to the front end
 *   await                       PASS once there is another variant
 *   meet-r, meet-w              PASS once the other of the two has begun
 *   fall, mourn                 dies once mourn has begun; PASS once fall is dead
 */
void acting_runner(struct child_place *p);

/* The same without the rest: only the job is taken. */
void acting_take_job(struct child_place *p);

/* Where meet, fall and mourn find each other: the path of a FIFO that the test makes. */
extern char *acting_fifo;

#define ACTING_PANIC "Kernel panic - not syncing: out of frames"
#define ACTING_OOPS "BUG: kernel NULL pointer dereference"

#endif
