/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_RUN_EXECUTE_H
#define VBM_JOB_RUN_EXECUTE_H

/*
 * Runs in: the runner, in its main thread; agents do the calls.
 * Owns:    agents, taps and services of one variant.
 * Ends:    with the variant; a deadline ends what hangs.
 * Tests:   unit/test_execute; tests/guest/uml-suite.test, broken.test, twins.test.
 */

#include "dns/server.h"
#include "event/emit.h"
#include "event/event.h"
#include "job/job.h"
#include "plan/plan.h"

struct fabric;
struct resting;

/* The result of one variant. */
struct outcome {
	enum verdict verdict;
	char *reason;		/* owned, or NULL */
	int64_t calls_ns;	/* spent in the calls of the steps */
	struct value *left;	/* owned; texts: what it left behind when its processes had ended */
};

/* A variant runs on these; all borrowed. */
struct execute_on {
	struct emitter *emit;
	struct fabric *fabric;
	const char *target;
	struct dns_pool *dns;
	struct resting *resting;
	const struct value *spec;	/* the job, with the environment of its programs */
};

/*
 * Posts and collects the items of one variant on a fabric, with agents that have
 * the target, and emits "step", "fail", "last" and "log" events. A group is posted whole,
 * then collected, and judged in the file's order. Stops after the first item or group
 * with an unknown failure.
 */
void execute_variant(const struct execute_on *on, const struct variant *v, struct outcome *out);

/*
 * The wait of item @waited of a group ran out, and the items @from to @to - 1 of @v came
 * after it. Item @from has the same actor; the wait may have needed the steps of other
 * actors. Returns a text that names these steps and begins with "; ", which the caller
 * frees; NULL if other actors have no step among them.
 */
char *execute_not_begun(const struct variant *v, size_t waited, size_t from, size_t to);

extern const struct job_kind job_run;	/* variants, one after the other */

#endif
