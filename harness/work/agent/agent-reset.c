/* SPDX-License-Identifier: BSD-2-Clause */
#include "agent/agent-reset.h"

#include <dirent.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "call/numbering.h"
#include "call/objects.h"

/* The parts of a process that a step could change and that its objects do not have. */
struct process_state {
	int files;	/* open descriptors; -1: not known */
	int threads;
	sigset_t blocked;
};

static struct process_state at_start;	/* of this agent */

static int count_files(void)
{
	auto_dir DIR *folder = opendir("/proc/self/fd");
	int n = 0;

	if (!folder)
		return -1;
	while (readdir(folder))
		n++;
	return n;
}

static struct process_state look_at_process(void)
{
	struct process_state now = {.files = count_files()};
	struct stat st;

	if (stat("/proc/self/task", &st) == 0)
		now.threads = (int)st.st_nlink - 2;
	sigemptyset(&now.blocked);
	sigprocmask(SIG_SETMASK, NULL, &now.blocked);
	return now;
}

void agent_reset_baseline(void)
{
	at_start = look_at_process();
}

static bool is_as_at_start(void)
{
	struct process_state now = look_at_process();

	return now.files >= 0 && now.files == at_start.files && now.threads == at_start.threads &&
	       memcmp(&now.blocked, &at_start.blocked, sizeof(now.blocked)) == 0;
}

static int run_reset(struct step_ctx *ctx, const struct value *args, struct value *result, struct vbm_error *err)
{
	(void)args;
	(void)err;
	objects_free(ctx->objects);
	ctx->objects = objects_new();
	ctx->numbering->mapped = 0;
	value_set_bool(result, "clean", is_as_at_start());
	return 0;
}

const struct step_kind agent_reset_kind = {
	.name = "reset", .call = "no call", .doc = "Between two variants.", .run = run_reset,
};
