/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_AGENT_AGENT_H
#define VBM_AGENT_AGENT_H

/*
 * Runs in: one process for each host, forked by the runner or by a station, for one variant or several.
 * Owns:    what its steps made, until the end of the variant.
 * Ends:    at the end of the variant, unless job-run/resting keeps it; agent_kill() when it hangs.
 * Tests:   unit/test_agent, test_agent_proto; tests/guest/uml-suite.test.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <verbatim/error.h>

#include "names/host.h"
#include "services/services.h"
#include "step/step.h"

struct agent;
struct machine_line;
struct host_ns;
struct program_home;
struct value;

/*
 * An agent is a process on one host of the fabric. It executes steps there. The
 * runner owns it, sends it requests over a socket pair (JSON lines), and never
 * calls a verb itself. A scenario that may leave more than objects behind gets fresh agents,
 * so everything that it leaves open ends with the process.
 */
/* The variable that tells a target the name of the variant that calls it. */
#define AGENT_ENV_VARIANT "VERBATIM_VARIANT"

/* The last bytes of its standard error are kept, up to this many. */
#define AGENT_LOG_MAX 65536

struct agent_options {
	struct host_info host;		/* copied */
	int host_index;			/* from 0; decides which numbers the host's objects get */
	const struct host_ns *ns;	/* borrowed; entered by the agent; NULL for none */
	struct machine_line *there;	/* borrowed; the machine on which the agent starts; NULL: this one */
	const char *target;		/* "system", "reference" or a path */
	const char *variant;		/* its name, for AGENT_ENV_VARIANT; NULL: none */
	const struct value *env;	/* texts by name, for the target; NULL: none */
	int log_fd;			/* the agent's stderr; -1: inherited */
	int number;			/* of this process on its host: 0 is "a", 1 is "a.1" */
	const struct host_files *names;	/* NULL: the machine's files */
	const struct program_home *programs;	/* borrowed; NULL: the agent starts no programs */
};

int agent_start(struct agent **out, const struct agent_options *opts,
		struct vbm_error *err);

/*
 * Facts about the target that the caller needs before it asks for a call: a map
 * with "target" (as named), "calls" (those of its calls that not every
 * version has, by the names that "requires:" uses) and "file" (the library whose rdma_getaddrinfo
 * is called, or null). Borrowed; lives as long as the agent.
 */
const struct value *agent_offers(const struct agent *a);

/*
 * Gives the agent one step to run. @now_ns is what clock_now_ns() just returned.
 * The step has @deadline_ms from then on, scaled by the factor. The agent uses
 * the same deadline for its own waits, and answers -ETIMEDOUT itself when it can.
 * Does not wait, so several agents can work at the same time. Returns 0, or a
 * negative errno with @err, and then there is nothing to collect: -EBUSY when
 * the last answer was not collected, otherwise the errors of agent_collect().
 */
int agent_post(struct agent *a, const struct step_kind *kind, const struct value *args,
	       const char *as, int64_t now_ns, int deadline_ms, struct vbm_error *err);

/*
 * Waits for the answer to the posted step. On 0 the caller owns *@result.
 * Otherwise a negative errno with @err: -ETIMEDOUT (a wait of the step ran out),
 * -ETIME (the call did not return; the agent was killed), -ECHILD (the agent
 * died: the text names the signal or status), -EPROTO (the answer was garbled),
 * or the error that the step itself reported.
 */
int agent_collect(struct agent *a, struct value **result, struct vbm_error *err);

/* Post and collect. */
int agent_call(struct agent *a, const struct step_kind *kind, const struct value *args,
	       const char *as, int64_t now_ns, int deadline_ms, struct value **result, struct vbm_error *err);

/*
 * Between two variants of one agent. agent_post_reset() asks the agent to release all its objects;
 * agent_collect_reset() waits for that and returns whether its process is as it was at its start. The agent
 * has no claims of numbers then, until agent_resume().
 */
int agent_post_reset(struct agent *a);
bool agent_collect_reset(struct agent *a);
void agent_resume(struct agent *a);

/*
 * Sends @signal and waits until the process is gone. -ESRCH: it was gone before;
 * -ETIME: it survived the signal and was killed.
 */
int agent_kill(struct agent *a, int signal, struct vbm_error *err);

struct agent_end {
	int signal;		/* the signal that ended it; 0: it exited */
	int status;		/* the exit status */
	bool by_runner;		/* the runner killed it: agent_kill(), a hang, or a garbled answer */
};

/* How the process ended; NULL while it lives. */
const struct agent_end *agent_end(struct agent *a);

/* 0 once the process is gone, or if it is not one of this machine. */
pid_t agent_pid(const struct agent *a);

/* Borrowed, for poll(2): readable once the process is gone; on another machine also when that says anything. */
int agent_pidfd(const struct agent *a);

/* SIGKILL did not end it: it waits in the kernel, perhaps for what another process has open. */
bool agent_is_stuck(const struct agent *a);

/* Kills and reaps. A process that is stuck has to be the last. NULL is fine. */
void agent_stop(struct agent *agent);

#endif
