/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUNNER_EXECUTE_H
#define VBM_RUNNER_EXECUTE_H

#include "dns/server.h"
#include "fabric/fabric.h"
#include "event/event.h"
#include "event/emit.h"
#include "compile/scenario.h"

/* What one variant of a scenario came to. */
struct outcome {
	enum verdict verdict;
	char *reason;		/* owned, or NULL */
	int64_t calls_ns;	/* spent in the calls of the steps */
};

/*
 * Run the steps of one variant on @fabric, with fresh agents that implement
 * @target, with a name server of @dns where it asks for one, and emit "step", "fail", "last" and "log" events for it. Stops at
 * the first step that is not as expected.
 */
void execute(struct emitter *emit, const struct scenario *sc, const struct variant *var,
	     struct fabric *fabric, const char *target, struct dns_pool *dns,
	     struct outcome *out);

#endif
