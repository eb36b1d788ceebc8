/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_RUN_RESTING_H
#define VBM_JOB_RUN_RESTING_H

#include <stdbool.h>

struct agent;

/*
 * Agents that have served a variant, left nothing, and wait on their hosts for the next one. To fork an agent
 * takes longer than the steps of most variants. Only variants for which variant_shares_processes() holds take
 * and leave agents here, and only those that passed leave any.
 */
struct resting;

struct resting *resting_new(void);
void resting_free(struct resting *r);		/* ends the agents; NULL is fine */

/* Ends the agents: the hosts change, or an object is left. */
void resting_drop(struct resting *r);

struct resting_agent {
	struct agent *agent;	/* owned */
	int log_fd;		/* owned; its stderr, empty */
	int host, number;	/* of its process */
	int served;		/* variants */
};

/* Takes the agent for that process out. Returns false if there is none. */
bool resting_take(struct resting *r, int host, int number, struct resting_agent *out);

/* Takes over @a, or ends it if it has served long enough. */
void resting_put(struct resting *r, const struct resting_agent *a);

#endif
