/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COMMANDS_RUNNING_H
#define VBM_COMMANDS_RUNNING_H

#include <stdbool.h>
#include <sys/types.h>

#include <verbatim/error.h>

struct activity;
struct fabric;
struct machine_command;
struct machine_commands;
struct text;
struct value;

/* A command of the user: a child of this process, or, if the hosts are machines of one's own, a command there. */
struct running_command {
	struct fabric *fabric;	/* borrowed; NULL: it was not started */
	int host;
	pid_t pid;
	struct machine_command *far;	/* owned; NULL: it is a child */
};

/*
 * Starts @setup, which this call takes, on a machine of the @fabric: machine-line/machine-command.h describes it, its
 * "env" is added here. A command there gets none of the variables of the @job except TERM.
 */
int running_start_far(struct running_command *r, struct machine_commands *all, struct fabric *fabric, int host, const struct value *job,
		      const struct value *found, struct value *setup, const int stdio[3], int *end_fd,
		      struct vbm_error *err);

void running_signal(const struct running_command *r, int signal);
/* To be called when the descriptor of its end is readable. Returns 0..255, or 128 + the signal. */
int running_reap(struct running_command *r);
/* Whether it listens, or has no more work and so waits for its peers. */
bool running_is_ready(const struct running_command *r, struct activity *activity);
/* As processes_report(). */
void running_report(const struct running_command *r, struct text *out, int seconds, int *stacks);

#endif
