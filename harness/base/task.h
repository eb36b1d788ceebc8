/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_TASK_H
#define VBM_BASE_TASK_H

#include <stdint.h>
#include <sys/types.h>

/*
 * What a thread does, as its /proc files say: "runs", "has ended", "waits", or,
 * for those that may know, "waits in KERNEL_FUNCTION". Caller frees.
 */
char *task_doing(pid_t pid, pid_t tid);

/* Processor time that all threads of a process have had; -1 when it is gone. */
int64_t process_cpu_ms(pid_t pid);

/* A file of proc or sysfs in one line; NULL when it cannot be read or is empty. */
char *proc_line(const char *path);

#endif
