/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROGRAM_PROCESSES_H
#define VBM_PROGRAM_PROCESSES_H

#include <sys/types.h>

struct text;

/*
 * Adds the processes of a session, and where in the kernel each of their threads waits. @seconds: how long a debugger
 * may take to find the stack of one process; 0: no stacks. *@stacks: how many more processes get one.
 */
void processes_report(struct text *out, pid_t session, int seconds, int *stacks);

#endif
