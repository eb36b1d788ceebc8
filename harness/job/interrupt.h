/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_INTERRUPT_H
#define VBM_JOB_INTERRUPT_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>

/*
 * SIGINT, SIGTERM and SIGHUP in the runner: a job unwinds and leaves. The first of these
 * signals ends all processes of the runner's group, too. interrupt_catch() makes the
 * runner the leader of a group of its own.
 */
void interrupt_catch(void);
bool interrupt_came(void);

/* Not 0 once such a signal came: for a struct line_reader. */
const volatile sig_atomic_t *interrupt_flag(void);

/* poll(2), which those signals end, also when they come just before it. */
int interrupt_poll(struct pollfd *p, nfds_t n, int ms);

#endif
