/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXECUTE_EXECUTION_H
#define VBM_EXECUTE_EXECUTION_H

/* Between the files that carry out a variant only. */
#include "execute/actors.h"
#include "execute/execute.h"
#include "execute/started.h"
#include "plan/env.h"
#include "plan/expect.h"

struct execution {
	struct emitter *emit;
	const struct variant *v;
	struct env *env;
	struct stage on;	/* its services are owned */
	struct actors *actors;
	struct started started;	/* owned */
	struct outcome *out;
	bool only_known;	/* something failed, and all that did is known to */
	bool says_why;		/* the next failure is the verdict's reason */
};

/* One item while it is carried out. */
struct call {
	const struct item *item;
	struct bound bound;
	struct agent *agent;	/* borrowed; NULL when it did not start */
	struct value *result;	/* owned, or NULL */
	struct vbm_error err;
	int rc;			/* of bind, start, post and collect */
	int64_t asked_ns, began_ns, ended_ns;	/* an agent may start between the first two */
	int tries;
	bool collected;
	bool in_time;		/* it began before a wait of its group ran out */
	char *not_begun;	/* owned; what the wait may have been for, or NULL */
	struct mismatches wrong;
	bool broke;		/* says nothing about the stack */
	bool ruled_out;		/* no outcome of its either: is possible any more */
};

/* The verdict, and why; @reason is taken. */
void execution_decide(struct execution *x, enum verdict verdict, char *reason);

/*
 * A step was carried out. The first one that says nothing about the stack is the
 * verdict's reason.
 */
void execution_tell_step(struct execution *x, const struct call *call, bool ok);

/*
 * An expectation did not hold. The first one is the verdict's reason. @outcome: of
 * an either:, from 1; else 0.
 */
void execution_tell_fail(struct execution *x, const struct item *item,
			 const struct mismatch *m, int outcome);

/* Whether one of @wrong is known: it explains all that is wrong with an answer. */
bool execution_any_known(const struct execution *x, const struct item *item,
			 const struct mismatches *wrong);

#endif
