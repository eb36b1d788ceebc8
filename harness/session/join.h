/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SESSION_JOIN_H
#define VBM_SESSION_JOIN_H

#include <sys/types.h>

/*
 * A terminal on @host of the run that is process @run, or with 0 of the only run that
 * is under way. Returns an exit status (cmd.h): that of the shell there.
 */
int join_run(pid_t run, const char *host);

#endif
