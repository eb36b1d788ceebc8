/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COMMANDS_COMMANDS_H
#define VBM_COMMANDS_COMMANDS_H

#include "job/job.h"

/* The jobs that start the user's own commands on hosts. */
extern const struct job_kind job_exec, job_shell;

#endif
