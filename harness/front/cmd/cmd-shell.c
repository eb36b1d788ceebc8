/* SPDX-License-Identifier: BSD-2-Clause */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/options.h"
#include "base/value.h"
#include "cmd/cmd.h"
#include "names/host.h"
#include "machines/hosts-file.h"
#include "session/exec-place.h"
#include "session/exec.h"
#include "session/shell.h"

static const char doc[] =
	"Open a terminal on a host of a fabric (default: a); with --join, on a host of a present "
	"run of 'verbatim exec' or 'verbatim shell'.\vThe shell is $SHELL. It has the variables "
	"that verbatim exec describes, and in a guest it sees this machine's files; the files "
	"that it writes are gone with the guest, except below folders given with --share. 'exit' "
	"ends it; its status is the exit status, and a line names it if it is not 0. --status "
	"changes it.";

struct cmd_shell_arguments {
	struct exec_options opts;	/* first: the lines count from it */
	struct option_args args;
	const char *host, *run;
	int64_t number;		/* of @run */
	bool join;
};

static const struct option_line lines[] = {
	{"join", 0, NULL,
	 "open a terminal in a present run; RUN is the number of its process, and may be "
	 "left out if there is only one run", OPT_FLAG(struct cmd_shell_arguments, join)},
	{"hosts", 0, "FILE", "the hosts are the machines that FILE names, reached by ssh: see verbatim-hosts(5)",
	 OPT_TEXT(struct exec_options, machines_file)},
	{"status", 0, "WHAT=N,...",
	 "end with N for WHAT: command (the shell's own status), failed, arguments, place, or "
	 "verbatim for all but command", OPT_TAKE(struct exec_options, statuses, exec_status_take)},
	{NULL},
};

/* The first argument after --join may be the number of a run. */
static bool is_run(const struct cmd_shell_arguments *a, const char *arg)
{
	return !a->run && !a->host && *arg && strspn(arg, "0123456789") == strlen(arg);
}

static void set_host(struct cmd_shell_arguments *a, const char *host, struct argp_state *state)
{
	int number = host_number(host);

	if (is_run(a, host)) {
		a->run = host;
		return;
	}
	if (a->host)
		argp_error(state, "one host at a time");
	if (number < 0 || number >= FABRIC_HOSTS_MAX)
		argp_error(state, "no host is called '%s': a, b, c and so on", host);
	a->host = host;
}

/* A shell has two hosts, or more if the argument names a further one. */
static int hosts_of(const struct cmd_shell_arguments *a)
{
	int wanted = a->host ? host_number(a->host) + 1 : 0;

	return wanted > 2 ? wanted : 2;
}

static void read_machines(struct cmd_shell_arguments *a, struct argp_state *state)
{
	struct exec_options *o = &a->opts;
	struct vbm_error err = {0};
	int machines;

	if (!o->machines_file)
		return;
	if (a->join)
		argp_error(state, "--join uses the hosts of the run that it joins, so it cannot be combined with --hosts");
	if (machines_read(o->machines_file, &o->machines, &err) < 0)
		argp_failure(state, argp_err_exit_status, 0, "%s", err.msg);
	machines = (int)o->machines->list.count;
	if (a->host && host_number(a->host) >= machines)
		argp_error(state, "%s has %d machine%s, and none is called '%s'", o->machines_file, machines,
			   machines == 1 ? "" : "s", a->host);
}

static void check(void *arguments, struct argp_state *state)
{
	struct cmd_shell_arguments *a = arguments;
	int i;

	for (i = 0; i < a->args.count; i++)
		set_host(a, a->args.arg[i], state);
	read_machines(a, state);
	if (!a->join && !a->opts.machines_file)
		a->opts.hosts = hosts_of(a);
	if (a->run && !a->join)
		argp_error(state, "there is no host '%s'; to open a terminal in a run use --join", a->run);
	if (a->run && !number_read(a->run, 1, INT_MAX, &a->number))
		argp_error(state, "no run has the number %s", a->run);
}

static const struct options options = {
	.table = {{lines, 0}, {lane_choice_options, offsetof(struct exec_options, choice)}, {place_options, 0},
		  {cable_choice_options, offsetof(struct exec_options, choice)}},
	OPTIONS_ARGS(struct cmd_shell_arguments, args), OPTIONS_JOB(struct exec_options, choice.job),
	.check = check, .args_doc = "[HOST]\n--join [RUN] [HOST]", .doc = doc,
};

static int run_shell(int argc, char **argv)
{
	struct cmd_shell_arguments a = {.opts = {.choice = LANE_CHOICE_DEFAULT, .statuses = EXEC_STATUSES_DEFAULT}};
	int status;

	place_options_parse(&options, argc, argv, &a);
	if (!a.host)
		a.host = "a";
	if (a.join)
		return join_run((pid_t)a.number, a.host, &a.opts.statuses);
	status = shell_run(a.host, &a.opts);
	place_options_fini(&a.opts);
	return status;
}

const struct cmd cmd_shell = {
	.name = "shell",
	.doc = "open a terminal on a host of the fabric",
	.run = run_shell,
	.options = &options,
};
