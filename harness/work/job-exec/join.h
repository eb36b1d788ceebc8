/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_EXEC_JOIN_H
#define VBM_JOB_EXEC_JOIN_H

#include <sys/types.h>

#include <verbatim/error.h>

#include "process/peer.h"

struct fabric;
struct job;
struct process_ns;
struct value;

/*
 * A process with the shells that join a run ("verbatim shell --join"): each has a
 * terminal on a host. Lines of the front end with a member "join", the number of a shell,
 * are for this process; it answers by events "terminal". So the run never waits for a
 * shell or for its user.
 *
 *   {"join": N, "host": "b", "shell", "term", "cwd", "rows", "cols"}   starts one
 *   {"join": N, "data": BASE64}             typed input; answered by "taken"
 *   {"join": N, "rows": R, "cols": C}       the size has changed
 *   {"join": N, "hangup": true}             the user has gone
 *   {"join": N, "data": BASE64}, {"join": N, "taken": true}, and last
 *   {"join": N, "status": S} or {"join": N, "error": TEXT}    its answers
 */
struct join {
	pid_t pid;		/* 0: not started */
	struct peer peer;
};

#define JOIN_NONE {.peer = {.fd = -1}}

int join_start(struct join *join, const struct job *job, const struct fabric *fabric,
	       const struct process_ns *ns, struct vbm_error *err);

/* Whether @line of the front end was for this process. */
bool join_takes(struct join *join, const struct value *line);

struct pollfd join_wants(const struct join *join);
void join_act(struct join *join, const struct job *job, short revents);
void join_stop(struct join *join);

#endif
