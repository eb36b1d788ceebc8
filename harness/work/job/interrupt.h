/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_INTERRUPT_H
#define VBM_JOB_INTERRUPT_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>

/*
 * SIGINT, SIGTERM and SIGHUP in the runner: the job undoes its work and ends. The first
 * of these signals also ends all processes of the runner's group. interrupt_catch() makes
 * the runner the leader of a new group.
 */
void interrupt_catch(void);
bool interrupt_came(void);

/* Not 0 after such a signal; for a struct line_reader. */
const volatile sig_atomic_t *interrupt_flag(void);

/* poll(2) that these signals end, also if they come just before it. */
int interrupt_poll(struct pollfd *p, nfds_t n, int ms);

#endif
