/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_EXEC_RUNNING_H
#define VBM_JOB_EXEC_RUNNING_H

#include <stdbool.h>
#include <sys/types.h>

#include <verbatim/error.h>

struct activity;
struct fabric;
struct process_ns;
struct machine_command;
struct machine_commands;
struct text;
struct value;

/* A command of the user: a child of this process, or, if the hosts are machines, a command there. */
struct running_command {
	struct fabric *fabric;	/* borrowed; NULL: it was not started */
	int host;
	pid_t pid;
	struct machine_command *far;	/* owned; NULL: it is a child */
};

struct running_options {
	struct fabric *fabric;
	int host;
	struct machine_commands *far;		/* NULL: the hosts are made here */
	const struct process_ns *process_ns;	/* of commands here */
	const struct value *job, *found;	/* as for spawn_on_host() */
	const char *text;	/* what sh -c runs; NULL: the shell of the user, in a terminal */
	int rows, cols;		/* of the terminal of a shell elsewhere */
};

/*
 * Starts a command on a host, in the folder and the environment of the job. A command elsewhere gets none of the job's
 * variables except TERM. @stdio: -1 for /dev/null. *@end_fd, which the caller owns, is readable when the command has ended.
 */
int running_start(struct running_command *r, const struct running_options *opts, const int stdio[3], int *end_fd,
		  struct vbm_error *err);

void running_signal(const struct running_command *r, int signal);
/* To be called when the descriptor of its end is readable. Returns 0..255, or 128 + the signal. */
int running_reap(struct running_command *r);
/* Whether it listens, or has no more work and so waits for its peers. */
bool running_is_ready(const struct running_command *r, struct activity *activity);
/* As activity_report(). */
void running_report(const struct running_command *r, struct text *out, int seconds, int *stacks);

#endif
