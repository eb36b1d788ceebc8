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

void resting_free(struct resting *k)
{
	if (!k)
		return;
	resting_drop(k);
	free(k->item);
	free(k);
}

void resting_drop(struct resting *k)
{
	while (k->count)
		end_agent(&k->item[--k->count]);
}

bool resting_has(const struct resting *k)
{
	return k->count;
}

bool resting_take(struct resting *k, int host, int number, struct resting_agent *out)
{
	size_t i;

	for (i = 0; i < k->count; i++) {
		if (k->item[i].host != host || k->item[i].number != number)
			continue;
		*out = k->item[i];
		k->item[i] = k->item[--k->count];
		if (!agent_end(out->agent)) {
			agent_resume(out->agent);
			return true;
		}
		end_agent(out);
		return false;
	}
	return false;
}

void resting_put(struct resting *k, const struct resting_agent *a)
{
	if (a->served >= SERVED_MAX) {
		end_agent(a);
		return;
	}
	k->item = xreallocarray(k->item, k->count + 1, sizeof(*k->item));
	k->item[k->count++] = *a;
}
