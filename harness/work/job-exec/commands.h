/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COMMANDS_COMMANDS_H
#define VBM_COMMANDS_COMMANDS_H

#include "job/job.h"

/* From SIGTERM to SIGKILL for a command. */
#define COMMANDS_GRACE_MS 2000

/* The jobs that start the user's own commands on hosts. */
extern const struct job_kind job_exec, job_shell;

#endif
