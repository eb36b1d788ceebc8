/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "job-exec/exec-job.h"
#include "event/read.h"
#include "job/job.h"
#include "program/spawn.h"

static int spawn_far(struct exec *x, int host, const char *text, const int *stdio, struct running_command *run, int *end_fd,
		     struct vbm_error *err)
{
	struct value *setup = value_map();

	value_set(setup, "text", json_bytes(text));
	value_set_bool(setup, "quiet", stdio[1] < 0);
	return running_start_far(run, x->far, x->fabric, host, x->job->spec, x->found, setup, stdio, end_fd, err);
}

int exec_spawn(struct exec *x, int host, const char *text, const int *stdio, struct running_command *run, int *end_fd,
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
	int ret;

	if (x->far)
		return spawn_far(x, host, text, stdio, run, end_fd, err);
	*run = (struct running_command){.host = host};
	ret = spawn_on_host(&spawn, x->fabric, host, x->job->spec, &run->pid, end_fd, err);
	if (ret == 0)
		run->fabric = x->fabric;
	return ret;
}
