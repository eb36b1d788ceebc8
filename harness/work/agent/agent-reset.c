/* SPDX-License-Identifier: BSD-2-Clause */
#include "agent/agent-reset.h"

#include <dirent.h>
#include <signal.h>
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

static struct value *find_left(void)
{
	struct process_state now = look_at_process();
	int sig;

	if (now.files < 0 || now.files != at_start.files)
		return value_format_string("%d open files, and %d at its start", now.files, at_start.files);
	if (now.threads != at_start.threads)
		return value_format_string("%d threads, and %d at its start", now.threads, at_start.threads);
	for (sig = 1; sig < NSIG; sig++)
		if (sigismember(&now.blocked, sig) != sigismember(&at_start.blocked, sig))
			return value_format_string("another mask of signals");
	return value_null();
}

static int run_reset(struct step_ctx *ctx, const struct value *args, struct value *result, struct vbm_error *err)
{
	(void)args;
	(void)err;
	objects_free(ctx->objects);
	ctx->objects = objects_new();
	ctx->numbering->mapped = 0;
	value_set(result, "left", find_left());
	return 0;
}

const struct step_kind agent_reset_kind = {
	.name = "reset", .call = "no call", .doc = "Between two variants.", .run = run_reset,
};
