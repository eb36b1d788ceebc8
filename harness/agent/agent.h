/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_AGENT_AGENT_H
#define VBM_AGENT_AGENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <verbatim/error.h>

#include "services/host-files.h"
#include "step/step.h"

struct agent;
struct host_ns;
struct program_home;
struct value;

/*
 * An agent is a process that stands on one host of the fabric and executes
 * steps there. The runner owns it, talks to it over a socket pair (JSON
 * lines), and never calls a verb itself. A scenario gets fresh agents, so
 * whatever a scenario leaves open goes with the process.
 */
/* The variable that tells a target the name of the variant that calls it. */
#define AGENT_ENV_VARIANT "VERBATIM_VARIANT"

struct agent_options {
	struct host_info host;		/* copied */
	int host_index;			/* from 0: keeps the numbers of hosts apart */
	const struct host_ns *ns;	/* borrowed; entered by the agent; NULL for none */
	const char *target;		/* "system", "reference" or a path */
	const char *variant;		/* its name, for AGENT_ENV_VARIANT; NULL: none */
	const struct value *env;	/* texts by name, for the target; NULL: none */
	int log_fd;			/* the agent's stderr; -1: inherited */
	int number;			/* of the host's processes: 0 is "a", 1 is "a.1" */
	const struct host_files *names;	/* NULL: the machine's files */
	const struct program_home *programs;	/* borrowed; NULL: it starts none */
};

int agent_start(struct agent **out, const struct agent_options *opts,
		struct vbm_error *err);

/*
 * Whatever a call of the target needs to know before it is asked for: a map
 * with "target" (as named), "calls" (those that not every version has, as
 * "requires:" names them) and "file" (that answers rdma_getaddrinfo, or
 * null). Borrowed; lives as long as the agent.
 */
const struct value *agent_offers(const struct agent *a);

/*
 * Give the agent one step to run, at @now_ns, which clock_now_ns() just told.
 * It has @deadline_ms from then on (scaled by the factor; the agent gets the
 * same deadline for its own waits and answers -ETIMEDOUT itself when it can). Does not wait: several agents
 * can be at work at the same time. 0, or a negative errno with @err, and then
 * there is nothing to collect: -EBUSY (the last answer was not collected),
 * otherwise as agent_collect().
 */
int agent_post(struct agent *a, const struct step_kind *kind, const struct value *args,
	       const char *as, int64_t now_ns, int deadline_ms, struct vbm_error *err);

/*
 * Wait for the answer to what was posted. On 0 *@result is owned by the
 * caller. Negative errno with @err otherwise: -ETIMEDOUT (a wait of the step
 * ran out), -ETIME (the call never came back; the agent was ended),
 * -ECHILD (the agent died: the text says by which signal or status),
 * -EPROTO (its answer was garbled), or what the step itself reported.
 */
int agent_collect(struct agent *a, struct value **result, struct vbm_error *err);

/* Post and collect. */
int agent_call(struct agent *a, const struct step_kind *kind, const struct value *args,
	       const char *as, int64_t now_ns, int deadline_ms, struct value **result, struct vbm_error *err);

/*
 * Send @signal and wait until the process is gone. -ESRCH: it was gone before;
 * -ETIME: it outlived the signal and was ended.
 */
int agent_kill(struct agent *a, int signal, struct vbm_error *err);

struct agent_end {
	int signal;		/* that ended it; 0: it exited */
	int status;		/* of the exit */
	bool by_runner;		/* ended by agent_kill(), or because it hung or talked nonsense */
};

/* How the process ended; NULL while it lives. */
const struct agent_end *agent_end(struct agent *a);

/* 0 once the process is gone. */
pid_t agent_pid(const struct agent *a);

/* Borrowed, for poll(2): readable once the process is gone. */
int agent_pidfd(const struct agent *a);

/* Kills and reaps. NULL is fine. */
void agent_stop(struct agent *agent);

#endif
