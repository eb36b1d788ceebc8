/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROCESS_SYSTEM_CALL_H
#define VBM_PROCESS_SYSTEM_CALL_H

#include <stdbool.h>
#include <sys/types.h>

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
