/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROGRAM_SESSION_H
#define VBM_PROGRAM_SESSION_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * What belongs to a program that was started in a session of its own, as /proc
 * shows it: the processes, and the threads of one of them. Both stop early
 * when @fn returns false.
 */
void session_each(pid_t sid, bool (*fn)(pid_t pid, void *arg), void *arg);
void process_each_thread(pid_t pid, bool (*fn)(pid_t pid, pid_t tid, void *arg), void *arg);

#endif
