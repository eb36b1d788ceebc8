/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROCESS_TASK_H
#define VBM_PROCESS_TASK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The state of a thread from its /proc files: "runs", "has ended", "waits", or, if this
 * user may know it, "waits in SYSTEM_CALL" as of system_call_of(), or at least "waits in
 * KERNEL_FUNCTION", which in user-mode Linux is a guess. The caller frees.
 */
char *task_doing(pid_t pid, pid_t tid);

/* The state of a thread, and its work so far. */
struct task_stat {
	char state;		/* of proc_pid_stat(5): 'R' runs or wants to run, 'D' waits for a disk */
	pid_t parent;
	uint64_t ticks;		/* clock ticks of processor time, in user and kernel mode */
};

/* False when the thread has ended. */
bool task_stat(struct task_stat *t, pid_t pid, pid_t tid);

/* Both of a process, for a message: "waits in read, after 3 ms of processor time". The caller frees. */
char *task_says(pid_t pid);

/* The processor time that a process got, and the time that it waited for a processor. */
struct process_times {
	int64_t at_ns;		/* the time of the look, of clock_now_ns() */
	int64_t cpu_ns;		/* processor time of all its threads */
	int64_t queued_ns;	/* finished waits for a processor, of the thread that waited longest */
	bool ready;		/* a thread runs or waits for a processor */
};

/* Members that the kernel does not tell are 0. */
struct process_times process_times(pid_t pid);

/*
 * Call @fn for each process of this process namespace or of a session, or for each thread of a process. All stop
 * early when @fn returns false.
 */
void task_each(bool (*fn)(pid_t pid, void *arg), void *arg);
void task_session_each(pid_t sid, bool (*fn)(pid_t pid, void *arg), void *arg);
void process_each_thread(pid_t pid, bool (*fn)(pid_t pid, pid_t tid, void *arg), void *arg);

/* The first line of a file of proc or sysfs; NULL when it cannot be read or is empty. */
char *task_proc_line(const char *path);

struct text;

/*
 * Asks gdb for all threads' frames: of @program and its @core, or, if @core is NULL,
 * of the process whose number is @program. gdb reads no file of its user, asks no network,
 * and is killed after @seconds. The caller frees *@said. False if there is no gdb; *@well
 * tells whether it ended well.
 */
bool task_backtrace(const char *program, const char *core, int seconds, char **said,
			bool *well);

/*
 * Adds the frames of the threads of a living process, in lines that begin with @indent; by
 * gdb, or by eu-stack(1) if there is no gdb. Adds nothing if neither can tell.
 */
void task_add_stack(struct text *out, pid_t pid, int seconds, const char *indent);

/*
 * Pure. Adds the lines of gdb or eu-stack that are about threads and frames, and no more
 * than that.
 */
void task_add_frames(struct text *out, char *said, const char *indent);

/* A line of /proc/PID/syscall, about a thread that waits. */
struct system_call {
	long number;		/* negative: it waits outside a system call */
	unsigned long first;	/* the first argument */
};

/* Pure. False if the thread runs, or if the line is none of these. */
bool system_call_parse(struct system_call *call, const char *line);

/* The name, "read", or NULL if the table does not have the number. */
const char *system_call_name(long number);

/* Whether the first argument is a descriptor. */
bool system_call_has_fd(long number);

/*
 * "read of 5 (/dev/infiniband/rdma_cm)" or "futex": the call in which a thread waits. NULL
 * if it waits in none, or if this user may not know it. The caller frees.
 */
char *system_call_of(pid_t pid, pid_t tid);

#endif
