/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_RUN_EXECUTION_H
#define VBM_JOB_RUN_EXECUTION_H

/* For the files that carry out a variant only. */
#include "job-run/actors.h"
#include "job-run/execute.h"
#include "job-run/packets.h"
#include "job-run/started.h"
#include "plan/env.h"
#include "plan/expect.h"

struct execution {
	struct emitter *emit;
	const struct variant *v;
	struct env *env;
	struct stage on;	/* its services are owned */
	struct actors *actors;
	struct started started;	/* owned */
	struct packets packets;	/* owned */
	struct state *since;	/* owned; the counters when the variant began */
	struct outcome *out;
	int64_t now_ns;		/* when the last call ended; 0: since then, time may have passed */
	bool only_known;	/* the verdict is FAIL, and all failures are known */
	bool waited;		/* what failed last was a wait or a program, so what hosts have open tells more */
	bool new_reason;	/* the next failure replaces the verdict's reason */
};

/* One item while it is carried out. */
struct call {
	const struct item *item;
	struct bound bound;
	struct agent *agent;	/* borrowed; NULL when it did not start */
	struct value *result;	/* owned, or NULL */
	struct vbm_error err;
	int rc;			/* the result of bind, start, post and collect */
	int64_t asked_ns, began_ns, ended_ns;	/* an agent may start between the first two */
	int tries;
	bool collected;
	bool in_time;		/* it began before a wait of its group ran out */
	char *not_begun;	/* owned; names the steps that a wait held up, or NULL */
	struct mismatches wrong;
	bool broke;		/* the harness failed, not the stack */
	bool ruled_out;		/* no outcome of its either: is possible any more */
};

/* Sets the verdict and its reason; takes over @reason. */
void execution_decide(struct execution *x, enum verdict verdict, char *reason);

/*
 * Emits the event of a step. The first step that the harness could not carry out gives
 * the verdict and its reason.
 */
void execution_tell_step(struct execution *x, const struct call *call, bool ok);

/*
 * Emits a failed expectation. The first one gives the verdict and its reason. @outcome:
 * the outcome of an either:, from 1; else 0.
 */
void execution_tell_fail(struct execution *x, const struct item *item,
			 const struct mismatch *m, int outcome);

/*
 * Emits, as a log of each host, the queue pairs and rdma_cm ids that it has open and the
 * counters that grew since @since.
 */
struct state;
void execution_tell_state(struct execution *x, const struct state *since);

/* Whether one of @wrong is a known failure: then all of @wrong is explained. */
bool execution_any_known(const struct execution *x, const struct item *item,
			 const struct mismatches *wrong);

#endif
