/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "commands/exec-job.h"
#include "fabric/fabric.h"
#include "job/job.h"
#include "net/nl.h"
#include "process/task.h"

/*
 * The report about commands that did not end: their processes and where in the kernel
 * each thread waits, then the RDMA objects and the counters of their hosts.
 */

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

static bool add_process(pid_t pid, void *arg)
{
	auto_free char *path = xasprintf("/proc/%d/cmdline", pid), *line = task_proc_line(path);

	text_addf(arg, "    process %d: %.200s\n", pid, line ? line : "(has ended)");
	process_each_thread(pid, add_thread, arg);
	return true;
}

static void add_command(struct text *out, const struct command *c)
{
	text_addf(out, "  %s on %s still runs: %.200s\n", c->service ? "a service" : "a command",
		  c->host, c->text);
	task_session_each(c->pid, add_process, out);
}

struct listing {
	struct text *out;
	int count;
};

static void add_object(const struct rdma_object *o, void *arg)
{
	struct listing *l = arg;
	auto_free char *path = xasprintf("/proc/%d/comm", o->pid), *name = NULL;

	/* Queue pairs that the device itself always has. */
	if (o->kernel && o->is_qp && !strcmp(o->type, "GSI"))
		return;
	name = o->pid ? task_proc_line(path) : NULL;
	text_addf(l->out, "    %s ", o->is_qp ? "queue pair" : "rdma_cm id");
	if (o->is_qp)
		text_addf(l->out, "%u %s ", o->number, o->type);
	text_add(l->out, o->state);
	if (o->is_qp && o->peer)
		text_addf(l->out, ", peer %u", o->peer);
	if (*o->from)
		text_addf(l->out, ", from %s", o->from);
	if (*o->to)
		text_addf(l->out, " to %s", o->to);
	if (o->pid)
		text_addf(l->out, ", process %d (%s)\n", o->pid, name ? name : "?");
	else
		text_addf(l->out, ", kernel (%s)\n", o->kernel ? o->kernel : "?");
	l->count++;
}

static void keep_counter(const char *name, uint64_t n, void *arg)
{
	if (n)
		value_set_int(arg, name, (int64_t)n);
}

/* The counters of a host's device that are not 0; NULL with @err if they cannot be read. */
static struct value *read_counters(struct exec *x, int host, struct vbm_error *err)
{
	auto_value struct value *values = value_map();

	if (fabric_counters(x->fabric, host, keep_counter, values, err) < 0)
		return NULL;
	return steal(&values);
}

static void add_counters(struct text *out, struct exec *x, int host)
{
	struct vbm_error err = {0};
	auto_value struct value *values = read_counters(x, host, &err);
	size_t i;

	if (!values) {
		text_addf(out, "    %s\n", err.msg);
		return;
	}
	text_add(out, "    counters:");
	for (i = 0; i < values->map.count; i++)
		text_addf(out, "%s %s %lld", i ? "," : "", values->map.member[i].key,
			  (long long)values->map.member[i].value->i);
	text_add(out, i ? "\n" : " all 0\n");
}

void stuck_counters(struct exec *x)
{
	struct value *event, *values;
	struct vbm_error err;
	int i;

	for (i = 0; i < fabric_host_count(x->fabric); i++) {
		values = read_counters(x, i, &err);
		if (!values)
			continue;
		event = emit_new(x->job->emit, "counters");
		value_set_string(event, "host", fabric_host(x->fabric, i)->name);
		value_set(event, "values", values);
		emit_take(x->job->emit, event);
	}
}

static void add_host(struct text *out, struct exec *x, int i)
{
	const struct host_info *h = fabric_host(x->fabric, i);
	struct listing l = {.out = out};
	struct vbm_error err = {0};

	text_addf(out, "  host %s (%s):\n", h->name, h->dev);
	if (fabric_objects(x->fabric, i, add_object, &l, &err) < 0)
		text_addf(out, "    %s\n", err.msg);
	else if (!l.count)
		text_add(out, "    no queue pair and no rdma_cm id is open\n");
	add_counters(out, x, i);
}

void stuck_report(struct exec *x, const char *why)
{
	struct value *event = emit_new(x->job->emit, "stuck");
	auto_text struct text out = {0};
	auto_free char *clean = NULL;
	size_t i;
	int h;

	kernel_log_hear(x->log, x->job);
	for (i = 0; i < x->count; i++) {
		if (i >= x->started)
			text_addf(&out, "  the command on %s was not started: the one before was not "
				  "ready\n", x->cmd[i].host);
		else if (command_runs(&x->cmd[i]))
			add_command(&out, &x->cmd[i]);
	}
	for (h = 0; h < fabric_host_count(x->fabric); h++)
		add_host(&out, x, h);
	kernel_log_last(x->log, &out);
	clean = text_utf8_clean(out.s);
	value_set_string(event, "why", why);
	value_set_string(event, "text", clean);
	emit_take(x->job->emit, event);
}
