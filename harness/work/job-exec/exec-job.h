/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_EXEC_EXEC_JOB_H
#define VBM_JOB_EXEC_EXEC_JOB_H

/* For the files of the job "exec" only. */
#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <verbatim/error.h>

#include "base/text.h"
#include "base/watch.h"
#include "job-exec/join.h"
#include "job-exec/running.h"
#include "program/activity.h"
#include "program/spawn.h"
#include "program/process-ns.h"
#include "wire/capture.h"

struct fabric;
struct machine_commands;
struct job;
struct state;
struct value;
struct wire_count;

/* How to find out whether a command is ready, if the caller said how. */
struct readiness {
	char *probe;		/* owned; a command that succeeds when it is ready; NULL: none */
	struct running_command probe_run;
	struct watch probe_end;	/* readable when it has ended, owned; -1: it does not run */
	int probe_status;	/* the exit status of the last probe */
	bool asked_after_end;	/* the last probe began after the command had ended */
	int64_t probe_ns;	/* the time of the next probe */
	bool has_regex;		/* a line of its output has to match */
	regex_t regex;		/* owned, when @has_regex */
	char *found;		/* owned; what its first group matched; NULL: it has none, or not yet */
	bool growing;		/* the group reaches to the end of a line that may go on */
	int64_t whole_ns;	/* then the line is taken as it is at this time */
	struct text line[2];	/* owned; incomplete lines of its output */
	bool seen;		/* it is ready */
	int64_t deadline_ns;	/* for the probe and for the line */
	struct activity activity;
};

/* Whether a command said that it got no memory, and how much was in use then. */
struct memory {
	struct text tail;	/* owned; the last bytes of its output */
	bool complained;
	int64_t all_mb, used_mb;	/* of the kernel below the hosts; 0: unknown */
};

#define MEMORY_TAIL 32

struct command {
	struct exec *exec;
	char *text;		/* owned */
	const char *host;	/* borrowed */
	int number;		/* of the host */
	bool service;		/* it is ended when all other commands have ended */
	bool fed;		/* it gets the caller's standard input */
	struct running_command run;
	struct watch end;	/* readable when it has ended, owned; -1: ended or not started */
	struct command_output output;
	struct watch in;	/* owned: to its stdin; -1: none or closed */
	struct text input;	/* owned; input that it has not taken yet */
	bool input_ended;
	struct readiness ready;
	struct memory memory;
	bool told;		/* we told it to end */
	struct timer kill;
};

struct exec {
	struct job *job;
	struct fabric *fabric;
	struct machine_commands *far;	/* owned; the hosts are machines; NULL: they are made here */
	struct process_ns process_ns;	/* of all commands, so that they see each other */
	struct command *cmd;		/* owned */
	size_t count, started;
	struct value *found;		/* owned; map of hosts: what --ready-line matched there */
	bool stopping;			/* one failed, or we were told to stop */
	struct loop loop;
	struct watch front, kernel, joined;	/* handled after the commands */
	struct timer timeout;
	struct kernel_log *log;		/* owned */
	struct wire_count *count_wire;	/* owned; or NULL */
	struct exec_rules *rules;	/* owned; or NULL */
	struct capture capture;
	struct join join;
	struct state *since;	/* owned; the counters when the commands began */
};

static inline bool command_runs(const struct command *c)
{
	return c->end.fd >= 0;
}

/* exec-ready.c: the shell's command @text on a host, in the job's folder and environment. */
int exec_start(struct exec *x, int host, const char *text, const int *stdio, struct running_command *run, int *end_fd,
	       struct vbm_error *err);

/* exec-command.c: one command. */
void command_init(struct command *c, struct exec *x);
int command_start(struct exec *x, struct command *c, struct vbm_error *err);
void command_wait_for(struct command *c);	/* before each wait */
void command_feed(struct command *c, const char *data, size_t len);
void command_end_input(struct command *c);

/*
 * Sends SIGTERM now and SIGKILL a little later; does nothing if the command was told
 * already.
 */
void command_stop(struct command *c);
void command_fini(struct command *c);

/* exec-ready.c */
int ready_read(struct readiness *r, const struct value *spec, struct vbm_error *err);
void ready_begin(struct readiness *r);
void ready_hear(struct readiness *r, int which, const char *data, size_t len);
void ready_probe_ended(struct readiness *r);	/* call this when its descriptor is readable */
void ready_fini(struct readiness *r);

/*
 * Returns 1 if the next command may start, 0 if it is too early, -ETIME with @err if this
 * command will never be ready.
 */
int ready_look(struct exec *x, struct command *c, struct vbm_error *err);

/* How long to wait before the next look. */
int ready_patience_ms(const struct command *c);

/*
 * exec-stuck.c: emits the commands that still run, where they wait, the RDMA objects of
 * their hosts, and the counters that grew since stuck_begin(). @why is "timeout",
 * "interrupted" or "failed"; a report of a failure has no stacks, which take seconds.
 */
void stuck_begin(struct exec *x);
void stuck_report(struct exec *x, const char *why);
void stuck_fini(struct exec *x);

/* Emits the counters of each host. */
void stuck_counters(struct exec *x);

/* exec-rules.c: puts the job's rules for packets on the hosts' interfaces, and tells how often they acted. */
int exec_rules_begin(struct exec *x, struct vbm_error *err);
void exec_rules_tell(struct exec *x);
void exec_rules_end(struct exec *x);

/* exec-memory.c: hears output; adds to the event of the end what was found. */
void memory_hear(struct memory *m, const char *data, size_t len);
void memory_killed(struct memory *m);	/* the kernel needed its memory */
void memory_put(const struct memory *m, struct value *event);

/* exec-kernel.c: the kernel's messages while the commands run. */
struct kernel_log *kernel_log_new(int fd);	/* takes the descriptor of the log, or -1 */
int kernel_log_fd(const struct kernel_log *log);	/* -1: it cannot be read here */
void kernel_log_hear(struct kernel_log *log, struct job *job);
bool kernel_log_oom(const struct kernel_log *log);	/* whether it killed a process to get its memory */
void kernel_log_last(const struct kernel_log *log, struct text *out);
void kernel_log_free(struct kernel_log *log);

#endif
