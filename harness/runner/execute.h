/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUNNER_EXECUTE_H
#define VBM_RUNNER_EXECUTE_H

#include "dns/server.h"
#include "event/emit.h"
#include "event/event.h"
#include "fabric/fabric.h"
#include "plan/plan.h"

/* What one variant came to. */
struct outcome {
	enum verdict verdict;
	char *reason;		/* owned, or NULL */
	int64_t calls_ns;	/* spent in the calls of the steps */
};

/*
 * Post and collect the items of one variant on @fabric, with fresh agents that
 * implement @target, and emit "step", "fail", "last" and "log" events. A group
 * is posted whole, then collected, and judged in the file's order. Stops after
 * the first item or group that is not as expected.
 */
void execute(struct emitter *emit, const struct variant *v, struct fabric *fabric,
	     const char *target, struct dns_pool *dns, struct outcome *out);

#endif
