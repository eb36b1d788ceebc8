/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROGRAM_SPAWN_H
#define VBM_PROGRAM_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <verbatim/error.h>

#include "base/watch.h"

struct fabric;
struct host_ns;
struct process_ns;
struct value;

/* A program of the machine on a host of the fabric, in a POSIX session of its own. */
struct spawn {
	const struct process_ns *process_ns;		/* NULL: no process namespace */
	const struct host_ns *ns;	/* NULL: the caller's namespaces */
	const char *const *argv;	/* argv[0] is searched in the PATH of envp */
	char **envp;
	const struct value *found;	/* for spawn_on_host(), see host-env.h; NULL: nothing */
	const char *cwd;		/* "/" if it does not exist */
	int stdio[3];
	bool terminal;			/* stdio[0] becomes the program's controlling terminal */
};

/*
 * Make a pipe between the caller and a program; @reads: the caller reads. The caller owns both descriptors. *@ours does
 * not block.
 */
int spawn_pipe(int *ours, int *theirs, bool reads, struct vbm_error *err);

/*
 * Start the program. *@pidfd (owned by the caller) is readable when it has ended. The
 * child writes its errors to its stderr, and ends with 126 or 127 as under a shell.
 */
int spawn_start(const struct spawn *spawn, pid_t *pid, int *pidfd, struct vbm_error *err);

/*
 * The same on @host of the fabric, with the environment that @job has there (see
 * host-env.h). Fills in the ns and envp of @spawn.
 */
int spawn_on_host(struct spawn *spawn, const struct fabric *fabric, int host,
		  const struct value *job, pid_t *pid, int *pidfd, struct vbm_error *err);

/* Signal all processes of the program's first process group. */
void spawn_signal(pid_t pid, int sig);

/*
 * To be called when @pidfd is readable: end the processes that are left. Returns 0..255,
 * or 128 + the signal.
 */
int spawn_reap(pid_t pid);

/* The same, except that processes that are left go on. */
int spawn_reap_alone(pid_t pid);

/* The exit status that a shell gives for one of waitpid(2): 0..255, or 128 + the signal. */
int spawn_status(int status);

/* As spawn_reap(). Returns the status of waitpid(2). */
int spawn_reap_status(pid_t pid);

/*
 * Make a pseudo-terminal for a program. The caller owns both descriptors. Reads of *@ours
 * do not block, and fail with EIO when no process has the other side open.
 */
int spawn_terminal(int *ours, int *theirs, struct vbm_error *err);

/*
 * Make a terminal that changes no byte, for a program's standard output. The program then
 * writes line by line, so that a crash loses nothing.
 */
int spawn_terminal_raw(int *ours, int *theirs, struct vbm_error *err);

/*
 * The two streams that a command writes, read as they come. The job of exec has one for each command on a host of this
 * kernel, a station one for each command that it starts.
 */
struct command_output {
	struct watch out[2];	/* owned: its stdout (perhaps a terminal) and stderr; -1: closed */
	void (*take)(struct command_output *o, int which, const char *bytes, size_t n);
};

/* Adds both streams to @loop. */
void command_output_watch(struct command_output *o, struct loop *loop);
/* To be called at the command's end: reads the rest. Other processes may still have the descriptors open. */
void command_output_drain(struct command_output *o);

#endif
