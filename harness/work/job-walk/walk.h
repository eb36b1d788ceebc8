/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_WALK_WALK_H
#define VBM_JOB_WALK_WALK_H

/*
 * Runs in: the runner, in one thread, in the namespaces of both hosts in turn.
 * Owns:    the RDMA objects of a sequence.
 * Ends:    with the sequence.
 * Tests:   unit/test_model_stream; tests/guest/uml-explore.test.
 */

#include "job/job.h"

/*
 * The job "walk": random sequences of the model's operations, carried out and judged
 * next to the kernel.
 *
 *   target             the implementation under test
 *   seed, steps, groups, exceptions   the numbers from which sequences follow
 *
 * Later lines: {"walk": FIRST, "count": N} orders sequences; an event "walking" before each
 * sequence, the events "astray" and then one "walked" answer it. {"end": true} ends the job.
 */
extern const struct job_kind job_walk;

#endif
