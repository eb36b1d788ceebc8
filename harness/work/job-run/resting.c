/* SPDX-License-Identifier: BSD-2-Clause */
#include "job-run/resting.h"

#include <stdlib.h>
#include <unistd.h>

#include "agent/agent.h"
#include "base/xalloc.h"

/* What a library keeps in a process stays small. */
#define SERVED_MAX 100

struct resting {
	struct resting_agent *item;	/* owned */
	size_t count;
};

static void end_agent(const struct resting_agent *a)
{
	agent_stop(a->agent);
	if (a->log_fd >= 0)
		close(a->log_fd);
}

struct resting *resting_new(void)
{
	return xcalloc(1, sizeof(struct resting));
}

void resting_free(struct resting *r)
{
	if (!r)
		return;
	resting_drop(r);
	free(r->item);
	free(r);
}

void resting_drop(struct resting *r)
{
	while (r->count)
		end_agent(&r->item[--r->count]);
}

bool resting_take(struct resting *r, int host, int number, struct resting_agent *out)
{
	size_t i;

	for (i = 0; i < r->count; i++) {
		if (r->item[i].host != host || r->item[i].number != number)
			continue;
		*out = r->item[i];
		r->item[i] = r->item[--r->count];
		if (!agent_end(out->agent)) {
			agent_resume(out->agent);
			return true;
		}
		end_agent(out);
		return false;
	}
	return false;
}

void resting_put(struct resting *r, const struct resting_agent *a)
{
	if (a->served >= SERVED_MAX) {
		end_agent(a);
		return;
	}
	r->item = xreallocarray(r->item, r->count + 1, sizeof(*r->item));
	r->item[r->count++] = *a;
}
