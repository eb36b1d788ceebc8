/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SESSION_JOIN_H
#define VBM_SESSION_JOIN_H

#include <sys/types.h>

#include "session/exec-status.h"

/*
 * Opens a terminal on @host of the run whose process is @run; 0 means the only run.
 * Returns the exit status of the shell, or one of @statuses.
 */
int join_run(pid_t run, const char *host, const struct exec_statuses *statuses);

#endif
