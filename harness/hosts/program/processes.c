/* SPDX-License-Identifier: BSD-2-Clause */
#include "program/processes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "process/debugger.h"
#include "process/task.h"

static void add_stack(struct text *out, const char *task)
{
	auto_free char *path = xasprintf("%s/stack", task), *stack = NULL;
	char *pos, *line;

	if (file_read(path, &stack, NULL, NULL) < 0)
		return;
	for (pos = stack; (line = file_next_line(&pos));)
		if (*line)
			text_addf(out, "        %s\n", line);
}

static bool add_thread(pid_t pid, pid_t tid, void *arg)
{
	struct text *out = arg;
	auto_free char *task = xasprintf("/proc/%d/task/%d", pid, tid);
	auto_free char *name_path = xasprintf("%s/comm", task), *name = task_proc_line(name_path);
	auto_free char *doing = task_doing(pid, tid);

	text_addf(out, "      thread %d (%s): %s\n", tid, name ? name : "?", doing);
	if (strcmp(doing, "runs") != 0)
		add_stack(out, task);
	return true;
}

struct children {
	pid_t parent;
	bool any;
};

static bool is_child(pid_t pid, void *arg)
{
	struct children *c = arg;
	struct task_stat t;

	c->any = c->any || (task_stat(&t, pid, pid) && t.parent == c->parent);
	return !c->any;
}

struct session_report {
	struct text *out;
	pid_t session;
	int seconds, *stacks;
};

/* A shell that waits for its children says nothing by its stack. */
static void add_user_stack(struct session_report *r, pid_t pid)
{
	struct children children = {.parent = pid};

	if (!r->seconds || !*r->stacks)
		return;
	task_session_each(r->session, is_child, &children);
	if (children.any)
		return;
	(*r->stacks)--;
	debugger_add_stack(r->out, pid, r->seconds, "      ");
}

static bool add_process(pid_t pid, void *arg)
{
	auto_free char *path = xasprintf("/proc/%d/cmdline", pid), *line = task_proc_line(path);
	struct session_report *r = arg;

	text_addf(r->out, "    process %d: %.200s\n", pid, line ? line : "(has ended)");
	process_each_thread(pid, add_thread, r->out);
	if (line)
		add_user_stack(r, pid);
	return true;
}

void processes_report(struct text *out, pid_t session, int seconds, int *stacks)
{
	struct session_report r = {.out = out, .session = session, .seconds = seconds, .stacks = stacks};

	task_session_each(session, add_process, &r);
}
