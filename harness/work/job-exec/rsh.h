/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_EXEC_RSH_H
#define VBM_JOB_EXEC_RSH_H

#include <sys/types.h>

#include <verbatim/error.h>

struct job;
struct fabric;
struct process_ns;

/*
 * A process that starts commands on a host for programs on another host: the server of
 * verbatim-rsh, which finds it by the name in VERBATIM_RSH_SOCKET. The name is an
 * abstract address in each network namespace of the fabric, so it ends with the process.
 * One request is one message:
 *
 *   {"host": "b", "command": BYTES, "cwd": BYTES, "env": [BYTES...]} and descriptors 0, 1
 *   and 2; "env" has variables "NAME=VALUE" besides those of the host
 *   {"status": N} or {"error": TEXT}, once the command has ended
 *
 * If the asking side closes its connection first, the command gets SIGHUP. As below ssh,
 * processes that the command has started and left behind go on, at most until the run ends.
 */
struct rsh {
	pid_t pid;	/* 0: not started */
};

/* Does nothing if the job names no socket. */
int rsh_start(struct rsh *rsh, const struct job *job, const struct fabric *fabric,
	      const struct process_ns *ns, struct vbm_error *err);
void rsh_stop(struct rsh *rsh);

/* Sends a request or an answer, with or without descriptors. */
#define RSH_MESSAGE_MAX 131072
#define RSH_FDS 3
int rsh_send(int fd, const char *text, const int *fds);
/* Returns the number of bytes, 0 at the end, or a negative errno; missing @fds[] are -1. */
int rsh_receive(int fd, char *text, int *fds);

#endif
