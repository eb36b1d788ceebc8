/* SPDX-License-Identifier: BSD-2-Clause */
#include <regex.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/options.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "cmd/cmd.h"
#include "names/host.h"
#include "machines/hosts-file.h"
#include "report/report.h"
#include "session/exec-place.h"
#include "session/exec.h"

static const char doc[] =
	"Run programs of this machine on the hosts of a fabric.\vHosts are called a, b, c and so "
	"on; there are at least two. HOSTS is one host, several (a,c), or all. sh -c runs the "
	"commands. They have the caller's environment, and:\n"
	"\n"
	"  VERBATIM_HOST                 the host's name\n"
	"  VERBATIM_DEV, _PORT           its RDMA device, and the port\n"
	"  VERBATIM_GID_INDEX, 6         positions of its addresses in the GID table\n"
	"  VERBATIM_IP, _IP6, _NETDEV    its addresses and its interface\n"
	"  VERBATIM_IP_A, _IP6_A, ...    the addresses of every host\n"
	"  VERBATIM_READY_A, ...         what the group of --ready-line matched on host a\n"
	"\n"
	"They start in order, each when the one before it is ready: it listens (on TCP or with "
	"rdma_cm), has ended, has nothing left to do, or meets --ready or --ready-line. If a "
	"command fails, the others are ended. A service (--serve) is ended when all commands have "
	"ended. In a guest the commands see this machine's files; the files that they write are "
	"gone with the guest, except below folders given with --share.\n"
	"\n"
	"Examples:\n"
	"  verbatim exec --serve a='rping -s -P' --on b='rping -c -a $VERBATIM_IP_A -C 5'\n"
	"  verbatim exec --timeout 60 --hosts 3 --on all='./my-test $VERBATIM_HOST'\n"
	"\n"
	"Exit status: that of the first command that failed, which a line names; 1 if the kernel "
	"complained; 2 for bad arguments; 3 if no fabric could be made, or a command did not become "
	"ready; 124 after --timeout. --status changes them.";

struct arguments {
	struct exec_options opts;	/* first: the lines count from it */
	struct option_args args;
	int most;		/* the highest number of a host that was named */
	/* Commands for all hosts, whose number is known only at the end. */
	struct exec_command all[FABRIC_HOSTS_MAX];
	size_t place[FABRIC_HOSTS_MAX];	/* the position of each among the commands */
	size_t all_count;
};

static int host_of_word(const char *name, struct argp_state *state)
{
	int number = host_number(name);

	if (number < 0 || number >= FABRIC_HOSTS_MAX)
		argp_error(state, "there is no host '%s'; hosts are called a, b, c and so on", name);
	return number;
}

/* "HOST=REST" becomes two strings; the second is returned. */
static char *split_option(const struct option_line *line, char *arg, struct argp_state *state)
{
	char *eq = strchr(arg, '=');

	if (!eq || eq == arg || !eq[1])
		argp_error(state, "--%s takes HOST=COMMAND, such as --%s a='rping -s', not '%s'", line->name, line->name, arg);
	*eq = '\0';
	return eq + 1;
}

static void add_one(struct exec_options *o, size_t at, const struct exec_command *c, int host)
{
	char name[8];

	host_name(host, name);
	GROW(o->commands, o->count);
	memmove(o->commands + at + 1, o->commands + at, (o->count - at) * sizeof(*o->commands));
	o->commands[at] = *c;
	o->commands[at].host = xstrdup(name);
	o->count++;
}

static void take_command(void *arguments, const struct option_line *line, char *arg, struct argp_state *state)
{
	struct arguments *a = arguments;
	struct exec_command c = {.text = split_option(line, arg, state), .service = !strcmp(line->name, "serve")};
	char *name, *save = NULL;
	int number;

	if (strcmp(arg, "all") == 0) {
		if (a->all_count == FABRIC_HOSTS_MAX)
			argp_error(state, "too many commands for all hosts");
		a->place[a->all_count] = a->opts.count;
		a->all[a->all_count++] = c;
		return;
	}
	if (strspn(arg, ",") == strlen(arg))
		argp_error(state, "no host is named before '='");
	for (name = strtok_r(arg, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		number = host_of_word(name, state);
		a->most = number >= a->most ? number + 1 : a->most;
		add_one(&a->opts, a->opts.count, &c, number);
	}
}

static void check_regex(const char *text, struct argp_state *state)
{
	char why[128];
	regex_t regex;
	int rc = regcomp(&regex, text, REG_EXTENDED | REG_NOSUB);

	if (rc) {
		regerror(rc, &regex, why, sizeof(why));
		argp_error(state, "'%s' is not a regular expression: %s", text, why);
	}
	regfree(&regex);
}

static void take_ready(void *options, const struct option_line *line, char *arg, struct argp_state *state)
{
	const char *text = split_option(line, arg, state);
	const bool by_line = !strcmp(line->name, "ready-line");
	struct exec_options *o = options;
	struct exec_command *c;
	size_t i;

	host_of_word(arg, state);
	if (by_line)
		check_regex(text, state);
	for (i = o->count; i > 0; i--) {
		c = &o->commands[i - 1];
		if (strcmp(c->host, arg) != 0)
			continue;
		*(by_line ? &c->ready_line : &c->ready) = text;
		return;
	}
	argp_error(state, "--%s %s=...: no --on or --serve before it is for host %s", line->name, arg, arg);
}

static void take_hosts(void *options, const struct option_line *line, char *arg, struct argp_state *state)
{
	struct exec_options *o = options;
	struct vbm_error err = {0};
	int64_t n = 0;

	(void)line;
	if (strspn(arg, "-0123456789") == strlen(arg)) {
		if (!number_read(arg, 1, FABRIC_HOSTS_MAX, &n))
			argp_error(state, "--hosts takes a number from 1 to %d, not '%s'", FABRIC_HOSTS_MAX, arg);
		o->hosts = (int)n;
		return;
	}
	value_free(o->machines);
	if (machines_read(arg, &o->machines, &err) < 0)
		argp_failure(state, argp_err_exit_status, 0, "%s", err.msg);
	o->machines_file = arg;
	o->hosts = (int)o->machines->list.count;
}

static void take_name(void *name, const struct option_line *line, char *arg, struct argp_state *state)
{
	(void)line;
	if (!*arg || !text_utf8_is(arg))
		argp_error(state, "--name takes a name in UTF-8");
	*(const char **)name = arg;
}

static void take_input(void *input, const struct option_line *line, char *arg, struct argp_state *state)
{
	(void)line;
	host_of_word(arg, state);
	*(const char **)input = arg;
}

static const struct option_line lines[] = {
	{"on", 0, "HOSTS=COMMAND", "run COMMAND on these hosts (may be repeated)", OPT_TAKE_ALL(take_command)},
	{"serve", 0, "HOSTS=COMMAND", "like --on, for a service: it is ended when all other commands have ended", OPT_TAKE_ALL(take_command)},
	{"ready", 0, "HOST=COMMAND", "the last command given for HOST is ready when this COMMAND succeeds there", OPT_TAKE_ALL(take_ready)},
	{"ready-line", 0, "HOST=REGEX", "... when a line of its output matches", OPT_TAKE_ALL(take_ready)},
	{"timeout", 0, "SECONDS", "end everything after this time, and report the commands that still ran",
	 OPT_NUMBER(struct exec_options, timeout_s, 1, 1000000)},
	{"virtual-time", 0, NULL, "lane uml: when all programs wait, let the clock jump to the end of the shortest wait",
	 OPT_FLAG(struct exec_options, virtual_time)},
	{"output", 'o', "DIR", "keep output, statuses, counters, cores and the console in a new folder", OPT_TEXT(struct exec_options, output)},
	{"capture", 0, NULL, "keep the packets on the cables in capture.pcapng of --output", OPT_FLAG(struct exec_options, capture)},
	{"wire", 0, "FILE", "lose, change or duplicate packets that arrive, by the rules in FILE", OPT_TEXT(struct exec_options, wire)},
	{"status", 0, "WHAT=N,...",
	 "end with N for WHAT: command, failed, kernel, arguments, place, ready, timeout, or "
	 "verbatim for all but command", OPT_TAKE(struct exec_options, statuses, exec_status_take)},
	{"format", 'f', "FORMAT", ": write a report in this format to standard output", OPT_TEXT(struct exec_options, format), .names = report_name},
	{"html", 0, "FILE", "write a page for a browser, with the runs of --history", OPT_TEXT(struct exec_options, html)},
	{"history", 0, "FILE", "append a line about this run to FILE, for verbatim compare", OPT_TEXT(struct exec_options, history)},
	{"name", 0, "NAME", "the name of this run in reports (default: exec)", OPT_TAKE(struct exec_options, name, take_name)},
	{"stdin", 0, "HOST", "give standard input to the command on this host", OPT_TAKE(struct exec_options, input, take_input)},
	{"hosts", 0, "N|FILE", "make at least this many hosts; or: the hosts are the machines that FILE names, "
	 "reached by ssh, see verbatim-hosts(5)", OPT_TAKE_ALL(take_hosts)},
	{NULL},
};

/* Insert the last one first, so that the positions of the others stay right. */
static void spread(struct arguments *a)
{
	size_t i;
	int host;

	for (i = a->all_count; i-- > 0;)
		for (host = a->opts.hosts; host-- > 0;)
			add_one(&a->opts, a->place[i], &a->all[i], host);
}

static void check(void *arguments, struct argp_state *state)
{
	struct arguments *a = arguments;
	struct exec_options *o = &a->opts;
	size_t i, work = 0, fed = 0;

	if (a->args.count)
		argp_error(state, "'%s' belongs to no option: a command is given as --on HOST='COMMAND ARG...'", a->args.arg[0]);
	if (o->machines && o->hosts < a->most)
		argp_error(state, "%s has %d machine%s, and the commands name %d", o->machines_file, o->hosts,
			   o->hosts == 1 ? "" : "s", a->most);
	if (o->hosts && o->hosts < a->most)
		argp_error(state, "--hosts %d is less than the commands name: %d", o->hosts, a->most);
	if (!o->hosts)
		o->hosts = a->most > 2 ? a->most : 2;
	spread(a);
	for (i = 0; i < o->count; i++) {
		work += !o->commands[i].service;
		fed += o->input && !o->commands[i].service &&
		       strcmp(o->commands[i].host, o->input) == 0;
	}
	if (!work)
		argp_error(state, "nothing to run: --on HOST=COMMAND is missing");
	if (o->capture && !o->output)
		argp_error(state, "--capture needs --output DIR: its file is DIR/capture.pcapng");
	if (o->input && o->virtual_time)
		argp_error(state, "--virtual-time lets no program wait for standard input: give it a file, such as --on a='./program <FILE'");
	if (o->input && !fed)
		argp_error(state, "--stdin %s: no --on is for that host", o->input);
}

static const struct options options = {
	.table = {{lines, 0}, {lane_choice_options, offsetof(struct exec_options, choice)}, {place_options, 0},
		  {cable_choice_options, offsetof(struct exec_options, choice)}},
	OPTIONS_ARGS(struct arguments, args), OPTIONS_JOB(struct exec_options, choice.job), .check = check, .doc = doc,
};

static int run_exec(int argc, char **argv)
{
	struct arguments a = {.opts = {.choice = LANE_CHOICE_DEFAULT, .statuses = EXEC_STATUSES_DEFAULT}};
	int status;
	size_t i;

	place_options_parse(&options, argc, argv, &a);
	status = exec_run(&a.opts);
	for (i = 0; i < a.opts.count; i++)
		free((char *)(uintptr_t)a.opts.commands[i].host);
	free(a.opts.commands);
	place_options_fini(&a.opts);
	return status;
}

const struct cmd cmd_exec = {
	.name = "exec",
	.doc = "run any program on the fabric",
	.run = run_exec,
	.options = &options,
};
