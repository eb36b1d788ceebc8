/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CALL_PROGRAM_READY_H
#define VBM_CALL_PROGRAM_READY_H

#include <regex.h>
#include <stdint.h>

#include <verbatim/error.h>

struct host_info;
struct program;
struct program_home;

/* How a program that was started tells that it is ready. */
struct program_ready {
	const struct host_info *host;
	const struct program_home *home;
	struct program *program;
	const regex_t *line;	/* a line of its output matches; or NULL */
	const char *command;	/* succeeds then, in @cwd; or NULL */
	const char *cwd;
	int64_t deadline_ns;
};

/*
 * Without @line and @command it is ready once it listens (on TCP or with rdma_cm),
 * has ended with status 0, or has nothing to do (program/activity.h). 1 when it is,
 * 0 when it ended before, -ETIMEDOUT at the deadline, or another negative errno.
 */
int program_await_ready(const struct program_ready *r, struct vbm_error *err);

#endif
