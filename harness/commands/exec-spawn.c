/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "commands/exec-job.h"
#include "event/read.h"
#include "fabric/fabric.h"
#include "job/job.h"
#include "program/spawn.h"

int exec_spawn(struct exec *x, int host, const char *text, const int *stdio, pid_t *pid, int *pidfd,
	       struct vbm_error *err)
{
	const char *const argv[] = {"/bin/sh", "-c", text, NULL};
	auto_free char *cwd = event_bytes(x->job->spec, "cwd");
	struct spawn spawn = {
		.process_ns = &x->process_ns,
		.argv = argv,
		.cwd = cwd,
		.found = x->found,
		.stdio = {stdio[0], stdio[1], stdio[2]},
	};

	return spawn_on_host(&spawn, x->fabric, host, x->job->spec, pid, pidfd, err);
}
