/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROGRAM_SPAWN_H
#define VBM_PROGRAM_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

#include <verbatim/error.h>

struct fabric;
struct host_ns;
struct process_ns;
struct value;

/* A program of the machine on a host of the fabric, in a session of its own. */
struct spawn {
	const struct process_ns *process_ns;		/* NULL: none */
	const struct host_ns *ns;	/* NULL: the caller's own */
	const char *const *argv;	/* argv[0] is looked up in the PATH of envp */
	char **envp;
	const char *cwd;		/* "/" when it is not there */
	int stdio[3];
	bool terminal;			/* stdio[0] becomes its terminal */
};

/*
 * Starts it; *@pidfd (owned by the caller) is readable once it is gone. What
 * goes wrong in the child is said on its stderr, and it ends with 126 or 127
 * as under a shell.
 */
int spawn_start(const struct spawn *spawn, pid_t *pid, int *pidfd, struct vbm_error *err);

/*
 * The same on @host of the fabric, with the environment that @job (see
 * host-env.h) has there: fills in the ns and envp of @spawn.
 */
int spawn_on_host(struct spawn *spawn, const struct fabric *fabric, int host,
		  const struct value *job, pid_t *pid, int *pidfd, struct vbm_error *err);

/* Signal everything in the session's first process group. */
void spawn_signal(pid_t pid, int sig);

/* After @pidfd was readable: ends what it left, 0..255 or 128 + signal. */
int spawn_reap(pid_t pid);

/* The same; the status as of waitpid(2). */
int spawn_reap_status(pid_t pid);

#endif
