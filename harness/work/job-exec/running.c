/* SPDX-License-Identifier: BSD-2-Clause */
#include "job-exec/running.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "machine-line/machine-line.h"
#include "machine-line/machine-command.h"
#include "event/read.h"
#include "fabric/fabric.h"
#include "machines/machine-fabric.h"
#include "program/activity.h"
#include "program/host-env.h"
#include "program/spawn.h"

#define READY_ASK_MS 10000
#define REPORT_ASK_MS 20000	/* debuggers take seconds */

/* The job as it is for commands on machines: of the caller's variables only TERM has a sense there. */
static struct value *job_there(const struct value *job)
{
	const char *term = value_get_string(event_texts(job, "env"), "TERM", NULL);
	struct value *there = value_map(), *env = value_map();

	if (term)
		value_set_string(env, "TERM", term);
	value_set_string(there, "job", "exec");
	value_set(there, "env", env);
	value_set(there, "env_bytes", value_list());
	return there;
}

static struct value *env_there(const struct fabric *fabric, int host, const struct value *job, const struct value *found)
{
	auto_value struct value *there = job_there(job);
	struct host_info hosts[FABRIC_HOSTS_MAX];
	struct value *list = value_list();
	int i, n = fabric_host_count(fabric);
	char **env, **e;

	for (i = 0; i < n; i++)
		hosts[i] = *fabric_host(fabric, i);
	env = host_env(hosts, (size_t)n, (size_t)host, there, found);
	for (e = env; *e; e++)
		value_append(list, json_bytes(*e));
	host_env_free(env);
	return list;
}

static int start_elsewhere(struct running_command *r, const struct running_options *o, const int stdio[3], int *end_fd,
			   struct vbm_error *err)
{
	struct value *setup = value_map();

	value_set(setup, "env", env_there(o->fabric, o->host, o->job, o->found));
	if (o->text)
		value_set(setup, "text", json_bytes(o->text));
	/* The front end asks for sh when no user edits lines; else the shell is that of the user there. */
	else if (!strcmp(value_get_string(event_texts(o->job, "env"), "SHELL", ""), "/bin/sh"))
		value_set_string(setup, "text", "exec sh");
	value_set_bool(setup, "quiet", stdio[1] < 0);
	if (!o->text) {
		value_set_bool(setup, "terminal", true);
		value_set_int(setup, "rows", o->rows);
		value_set_int(setup, "cols", o->cols);
	}
	return machine_command_start(o->far, &r->far, machines_line(o->fabric, o->host), setup, stdio, end_fd, err);
}

static int start_here(struct running_command *r, const struct running_options *o, const int stdio[3], int *end_fd,
		      struct vbm_error *err)
{
	const char *shell = value_get_string(event_texts(o->job, "env"), "SHELL", "/bin/sh");
	const char *const command[] = {"/bin/sh", "-c", o->text, NULL};
	const char *const shells[] = {access(shell, X_OK) == 0 ? shell : "/bin/sh", NULL};
	auto_free char *cwd = event_bytes(o->job, "cwd");
	struct spawn spawn = {
		.process_ns = o->process_ns,
		.argv = o->text ? command : shells,
		.cwd = cwd,
		.found = o->found,
		.stdio = {stdio[0], stdio[1], stdio[2]},
		.terminal = !o->text,
	};

	return spawn_on_host(&spawn, o->fabric, o->host, o->job, &r->pid, end_fd, err);
}

int running_start(struct running_command *r, const struct running_options *opts, const int stdio[3], int *end_fd,
		  struct vbm_error *err)
{
	int ret;

	*r = (struct running_command){.host = opts->host};
	ret = opts->far ? start_elsewhere(r, opts, stdio, end_fd, err) : start_here(r, opts, stdio, end_fd, err);
	if (ret == 0)
		r->fabric = opts->fabric;
	return ret;
}

void running_signal(const struct running_command *r, int signal)
{
	if (r->far)
		machine_command_signal(r->far, signal);
	else
		spawn_signal(r->pid, signal);
}

int running_reap(struct running_command *r)
{
	int status = r->far ? spawn_status(machine_command_reap(r->far)) : spawn_reap(r->pid);

	r->far = NULL;
	return status;
}

/* Asks the station about the command. The caller frees the answer; NULL: there is none. */
static struct value *ask_station(const struct running_command *r, const char *name, int seconds, int stacks,
				 int deadline_ms)
{
	struct value *q = value_map(), *answer;
	struct vbm_error err = {0};

	value_set_string(q, "ask", name);
	value_set_int(q, "command", machine_command_number(r->far));
	value_set_int(q, "seconds", seconds);
	value_set_int(q, "stacks", stacks);
	if (machine_line_ask(machines_line(r->fabric, r->host), q, &answer, deadline_ms, &err) < 0)
		return NULL;
	return answer;
}

bool running_is_ready(const struct running_command *r, struct activity *activity)
{
	auto_value struct value *answer = NULL;

	if (!r->far)
		return activity_listening_session(r->fabric, r->host, r->pid) || activity_is_over(activity, r->pid);
	answer = ask_station(r, "ready", 0, 0, READY_ASK_MS);
	return value_get_bool(answer, "ready", false);
}

void running_report(const struct running_command *r, struct text *out, int seconds, int *stacks)
{
	auto_value struct value *answer = NULL;

	if (!r->far) {
		activity_report(out, r->pid, seconds, stacks);
		return;
	}
	answer = ask_station(r, "processes", seconds, *stacks, REPORT_ASK_MS);
	text_add(out, value_get_string(answer, "text", ""));
	*stacks = (int)value_get_int(answer, "stacks", 0);
}
