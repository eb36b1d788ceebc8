/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CALL_PROGRAM_READY_H
#define VBM_CALL_PROGRAM_READY_H

#include <regex.h>
#include <stdint.h>

#include <verbatim/error.h>

#include "names/host.h"

struct host_info;
struct program;
struct program_home;

/* How to see that a started program is ready. */
struct program_ready {
	const struct host_info *host;
	const struct program_home *home;
	struct program *program;
	const regex_t *line;	/* ready when a line of its output matches; or NULL */
	const char *command;	/* ready when this command succeeds, in @cwd; or NULL */
	const char *cwd;
	int64_t deadline_ns;
};

/*
 * Without @line and @command, the program is ready when it listens (on TCP or with
 * rdma_cm), has ended with status 0, or has nothing to do (program/activity.h).
 * Returns 1 when it is ready, 0 when it ended before, -ETIMEDOUT at the deadline,
 * or another negative errno.
 */
int program_await_ready(const struct program_ready *r, struct vbm_error *err);

#endif
