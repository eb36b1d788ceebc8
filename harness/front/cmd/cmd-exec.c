/* SPDX-License-Identifier: BSD-2-Clause */
#include <argp.h>
#include <regex.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/choice.h"
#include "base/number.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "cmd/cmd.h"
#include "names/host.h"
#include "rdma-build/libraries.h"
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

enum { OPT_ON = 256, OPT_SERVE, OPT_READY, OPT_READY_LINE, OPT_TIMEOUT, OPT_STDIN, OPT_HOSTS,
       OPT_CAPTURE, OPT_STATUS, OPT_HTML, OPT_HISTORY,
       OPT_NAME, OPT_WIRE, OPT_VIRTUAL_TIME };
#define OPT_OUTPUT 'o'
#define OPT_FORMAT 'f'

static const struct argp_option options[] = {
	{"on", OPT_ON, "HOSTS=COMMAND", 0, "run COMMAND on these hosts (may be repeated)", 0},
	{"serve", OPT_SERVE, "HOSTS=COMMAND", 0,
	 "like --on, for a service: it is ended when all other commands have ended", 0},
	{"ready", OPT_READY, "HOST=COMMAND", 0,
	 "the last command given for HOST is ready when this COMMAND succeeds there", 0},
	{"ready-line", OPT_READY_LINE, "HOST=REGEX", 0,
	 "... when a line of its output matches", 0},
	{"timeout", OPT_TIMEOUT, "SECONDS", 0, "end everything after this time, and report the commands that still ran", 0},
	{"virtual-time", OPT_VIRTUAL_TIME, NULL, 0, "lane uml: when all programs wait, let the clock jump to the end of the "
	 "shortest wait", 0},
	{"output", OPT_OUTPUT, "DIR", 0,
	 "keep output, statuses, counters, cores and the console in a new folder", 0},
	{"capture", OPT_CAPTURE, NULL, 0,
	 "keep the packets on the cables in capture.pcapng of --output", 0},
	{"wire", OPT_WIRE, "FILE", 0, "lose, change or duplicate packets that arrive, by the rules in FILE", 0},
	{"status", OPT_STATUS, "WHAT=N,...", 0,
	 "end with N for WHAT: command, failed, kernel, arguments, place, ready, timeout, or "
	 "verbatim for all but command", 0},
	{"format", OPT_FORMAT, "FORMAT", 0,
	 ": write a report in this format to standard output", 0},
	{"html", OPT_HTML, "FILE", 0, "write a page for a browser, with the runs of --history", 0},
	{"history", OPT_HISTORY, "FILE", 0, "append a line about this run to FILE, for verbatim compare", 0},
	{"name", OPT_NAME, "NAME", 0, "the name of this run in reports (default: exec)", 0},
	{"stdin", OPT_STDIN, "HOST", 0, "give standard input to the command on this host", 0},
	{"hosts", OPT_HOSTS, "N|FILE", 0, "make at least this many hosts; or: the hosts are the machines that FILE names, "
	 "reached by ssh, see verbatim-hosts(5)", 0},
	{0},
};

struct arguments {
	struct exec_options opts;
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
static char *split(const char *option, char *arg, struct argp_state *state)
{
	char *eq = strchr(arg, '=');

	if (!eq || eq == arg || !eq[1])
		argp_error(state, "%s takes HOST=COMMAND, such as %s a='rping -s', not '%s'", option,
			   option, arg);
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

static void add_command(struct arguments *a, char *arg, bool service, struct argp_state *state)
{
	struct exec_command c = {
		.text = split(service ? "--serve" : "--on", arg, state),
		.service = service,
	};
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

static void set_ready(struct arguments *a, int key, char *arg, struct argp_state *state)
{
	const char *option = key == OPT_READY ? "--ready" : "--ready-line";
	const char *text = split(option, arg, state);
	struct exec_options *o = &a->opts;
	struct exec_command *c;
	size_t i;

	host_of_word(arg, state);
	if (key == OPT_READY_LINE)
		check_regex(text, state);
	for (i = o->count; i > 0; i--) {
		c = &o->commands[i - 1];
		if (strcmp(c->host, arg) != 0)
			continue;
		if (key == OPT_READY)
			c->ready = text;
		else
			c->ready_line = text;
		return;
	}
	argp_error(state, "%s %s=...: no --on or --serve before it is for host %s", option, arg, arg);
}

static int number_of(const char *option, const char *arg, int min, int max,
		     struct argp_state *state)
{
	int64_t n = 0;

	if (!number_read(arg, min, max, &n))
		argp_error(state, "%s takes a number from %d to %d, not '%s'", option, min, max, arg);
	return (int)n;
}

static void set_hosts(struct exec_options *o, const char *arg, struct argp_state *state)
{
	struct vbm_error err = {0};

	if (strspn(arg, "-0123456789") == strlen(arg)) {
		o->hosts = number_of("--hosts", arg, 1, FABRIC_HOSTS_MAX, state);
		return;
	}
	value_free(o->machines);
	if (machines_read(arg, &o->machines, &err) < 0)
		argp_failure(state, argp_err_exit_status, 0, "%s", err.msg);
	o->machines_file = arg;
	o->hosts = (int)o->machines->list.count;
}

/* Insert the last one first, so that the positions of the others stay right. */
static void spread(struct arguments *a)
{
	size_t i;
	int host;

	for (i = a->all_count; i-- > 0;)
		for (host = a->opts.hosts; host-- > 0;)
			add_one(&a->opts, a->place[i], &a->all[i], host);
}

static void finish(struct arguments *a, struct argp_state *state)
{
	struct exec_options *o = &a->opts;
	size_t i, work = 0, fed = 0;

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

/* The options that are a text. */
static error_t take_text(struct exec_options *o, int key, const char *arg)
{
	const struct {
		int key;
		const char **member;
	} texts[] = {
		{OPT_OUTPUT, &o->output}, {OPT_FORMAT, &o->format}, {OPT_HTML, &o->html},
		{OPT_HISTORY, &o->history}, {OPT_WIRE, &o->wire},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		if (texts[i].key != key)
			continue;
		*texts[i].member = arg;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	struct vbm_error err = {0};

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->opts.choice;
		state->child_inputs[1] = &a->opts;
		state->child_inputs[2] = &a->opts.choice;
		return 0;
	case OPT_ON:
	case OPT_SERVE:
		add_command(a, arg, key == OPT_SERVE, state);
		return 0;
	case OPT_READY:
	case OPT_READY_LINE:
		set_ready(a, key, arg, state);
		return 0;
	case OPT_TIMEOUT:
		a->opts.timeout_s = number_of("--timeout", arg, 1, 1000000, state);
		return 0;
	case OPT_NAME:
		if (!*arg || !text_utf8_is(arg))
			argp_error(state, "--name takes a name in UTF-8");
		a->opts.name = arg;
		return 0;
	case OPT_STATUS:
		if (exec_status_read(&a->opts.statuses, arg, &err) < 0)
			argp_error(state, "%s", err.msg);
		return 0;
	case OPT_CAPTURE:
		a->opts.capture = true;
		return 0;
	case OPT_VIRTUAL_TIME:
		a->opts.virtual_time = true;
		return 0;
	case OPT_STDIN:
		host_of_word(arg, state);
		a->opts.input = arg;
		return 0;
	case OPT_HOSTS:
		set_hosts(&a->opts, arg, state);
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' belongs to no option: a command is given as "
			   "--on HOST='COMMAND ARG...'", arg);
		return EINVAL;
	case ARGP_KEY_END:
		finish(a, state);
		return 0;
	default:
		return take_text(&a->opts, key, arg);
	}
}

static char *help(int key, const char *text, void *input)
{
	static const struct choice_option names[] = {{OPT_FORMAT, report_name}, {0, NULL}};

	(void)input;
	return choice_help(names, key, text);
}

static const struct argp_child children[] = {
	{&lane_choice_argp, 0, NULL, 0}, {&place_argp, 0, NULL, 0}, {&cable_choice_argp, 0, NULL, 0}, {0},
};
static const struct argp argp = {options, parse, NULL, doc, children, help, NULL};

static int run(int argc, char **argv)
{
	struct arguments a = {.opts = {.choice = LANE_CHOICE_DEFAULT, .statuses = EXEC_STATUSES_DEFAULT}};
	int status;
	size_t i;

	libraries_set_aside(argc, argv);
	exec_status_scan(&a.opts.statuses, argv);
	argp_err_exit_status = exec_status_of(&a.opts.statuses, EXEC_END_ARGUMENTS, 0);
	argp_parse(&argp, argc, argv, 0, NULL, &a);
	status = exec_run(&a.opts);
	for (i = 0; i < a.opts.count; i++)
		free((char *)(uintptr_t)a.opts.commands[i].host);
	free(a.opts.commands);
	free(a.opts.see);
	value_free(a.opts.machines);
	return status;
}

const struct cmd cmd_exec = {
	.name = "exec",
	.doc = "run any program on the fabric",
	.run = run,
	.argp = &argp,
};
