/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROCESS_TASK_H
#define VBM_PROCESS_TASK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * What a thread does, as its /proc files say: "runs", "has ended", "waits", or,
 * for those that may know, "waits in KERNEL_FUNCTION". Caller frees.
 */
char *task_doing(pid_t pid, pid_t tid);

/* What a thread is doing, and what it has done. */
struct task_stat {
	char state;		/* as proc_pid_stat(5) has it: 'R' runs or wants to, 'D' waits for a disk */
	uint64_t ticks;		/* clock ticks of processor time, its own and the kernel's for it */
};

/* False when the thread is gone. */
bool task_stat(struct task_stat *t, pid_t pid, pid_t tid);

/* Processor time that all threads of a process have had; -1 when it is gone. */
int64_t process_cpu_ms(pid_t pid);

/* What a process had of the processors, and did without. */
struct process_times {
	int64_t at_ns;		/* when it was asked, as clock_now_ns() tells it */
	int64_t cpu_ns;		/* processor time that all its threads have had */
	int64_t queued_ns;	/* waits for a processor that are over, of the thread which waited longest */
	bool ready;		/* a thread runs or waits for a processor */
};

/* Where the kernel does not tell, it is 0. */
struct process_times process_times(pid_t pid);

/*
 * The processes of a session, and the threads of a process. Both stop early when
 * @fn returns false.
 */
void session_each(pid_t sid, bool (*fn)(pid_t pid, void *arg), void *arg);
void process_each_thread(pid_t pid, bool (*fn)(pid_t pid, pid_t tid, void *arg), void *arg);

/* A file of proc or sysfs in one line; NULL when it cannot be read or is empty. */
char *proc_line(const char *path);

#endif
