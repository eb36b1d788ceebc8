/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_EXEC_COMMANDS_H
#define VBM_JOB_EXEC_COMMANDS_H

/*
 * Runs in: the runner, in its main thread with one loop; rsh and join are processes of their own.
 * Owns:    the commands of the user, their output, and the capture.
 * Ends:    when all commands have ended, or COMMANDS_GRACE_MS after a signal.
 * Tests:   unit/test_exec_command, test_join, test_rsh; tests/guest/exec.test, join.test.
 */

#include "job/job.h"

/* From SIGTERM to SIGKILL for a command. */
#define COMMANDS_GRACE_MS 2000

/* The jobs that start the user's own commands on hosts. */
extern const struct job_kind job_exec, job_shell;

#endif
