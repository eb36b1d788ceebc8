/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_AGENT_AGENT_H
#define VBM_AGENT_AGENT_H

#include <stdint.h>

#include <verbatim/error.h>

#include "step/step.h"

struct agent;
struct value;

/*
 * An agent is a process that stands on one host of the fabric and executes
 * steps there. The runner owns it, talks to it over a socket pair (JSON
 * lines), and never calls a verb itself. A scenario gets fresh agents, so
 * whatever a scenario leaves open goes with the process.
 */
struct agent_names {
	const char *hosts, *resolv, *nsswitch;	/* content of the files in /etc */
	const char *services;		/* NULL: the machine's own */
	int dns_log_fd;			/* the name server's questions; -1: none */
	int dns_pidfd;			/* the name server; -1: none */
	const struct value *acm;	/* how its path service answers; NULL: none */
};

struct agent_options {
	struct host_info host;		/* copied */
	int netns_fd;			/* entered by the agent; -1 for none */
	const char *target;		/* "system", "reference" or a path */
	int log_fd;			/* the agent's stderr; -1: inherited */
	const struct agent_names *names;	/* NULL: the machine's files */
};

int agent_start(struct agent **out, const struct agent_options *opts,
		struct vbm_error *err);

/*
 * Run one step and wait for its answer until the deadline of @deadline_ms
 * (scaled by the factor; the agent gets the same deadline for its own waits
 * and answers -ETIMEDOUT itself when it can). On 0 *@result is owned by the
 * caller. Negative errno with @err otherwise: -ETIMEDOUT (a wait of the step
 * ran out), -ETIME (the call never came back; the agent was ended),
 * -ECHILD (the agent died: the text says by which signal or status),
 * -EPROTO (its answer was garbled), or what the step itself reported.
 */
int agent_call(struct agent *agent, const struct step_kind *kind,
	       const struct value *args, const char *as, int deadline_ms,
	       struct value **result, struct vbm_error *err);

/* Kills and reaps. NULL is fine. */
void agent_stop(struct agent *agent);

#endif
