/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SESSION_SHELL_H
#define VBM_SESSION_SHELL_H

#include <sys/types.h>

#include "session/exec-status.h"

struct exec_options;

/*
 * Opens a terminal on @host of a fabric; the commands of @opts are not used. Returns the
 * shell's exit status, or one of @opts' statuses.
 */
int shell_run(const char *host, const struct exec_options *opts);

/*
 * The exit status for @end. If it is @own, the shell's, and not 0, a line says that, because it
 * could be one of verbatim.
 */
int shell_status(const struct exec_statuses *s, enum exec_end end, const char *host, int own);

/*
 * join.c: opens a terminal on @host of the run whose process is @run; 0 means the only run.
 * Returns the exit status of the shell, or one of @statuses.
 */
int join_run(pid_t run, const char *host, const struct exec_statuses *statuses);

#endif
