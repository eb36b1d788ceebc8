/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/number.h"
#include "base/options.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "cmd/cmd-util.h"
#include "cmd/cmd.h"
#include "compile/scenario.h"
#include "rdma-build/libraries.h"
#include "rdma-build/target-choice.h"
#include "names/targets.h"
#include "report/report.h"
#include "run/repeat.h"
#include "run/run.h"

static const char doc[] =
	"Run scenario files on a fabric of Soft-RoCE devices and report the results.\vAn ID is "
	"the id of a scenario or the name of a variant, as reports print it. Without arguments "
	"every scenario that comes with verbatim runs.\n"
	"\n"
	"Examples:\n"
	"  verbatim run scenarios/resolve\n"
	"  verbatim run connect/connect 'connect/refused[ip=4]'\n"
	"  verbatim run --kernel 6.1 --layout shared --format tap\n"
	"  verbatim run --target ~/rdma-core/build scenarios/connect\n"
	"  verbatim run --filter 'data/*ip=6*' --output /tmp/evidence\n"
	"\n"
	"Exit status: 0 if all is as expected, 1 if something is not, 2 for bad arguments or an "
	"invalid scenario file, 3 if no fabric could be made.";

struct run_arguments {
	struct run_options o;	/* first: the lines count from it */
	struct option_args args;
	const char *color;
};

static const char *color_name(size_t i)
{
	static const char *const names[] = {"auto", "always", "never"};

	return i < ARRAY_SIZE(names) ? names[i] : NULL;
}

static const char *connects_name(size_t i)
{
	static const char *const names[] = {CONNECTS_BY_HAND, CONNECTS_BY_CM};

	return i < ARRAY_SIZE(names) ? names[i] : NULL;
}

static void take_jobs(void *jobs, const struct option_line *line, char *text, struct argp_state *state)
{
	int64_t n = 0;

	(void)line;
	if (strcmp(text, "auto") != 0 && !number_read(text, 1, CMD_JOBS_MAX, &n))
		argp_error(state, "--jobs takes auto or a number from 1 to %d, not '%s'", CMD_JOBS_MAX, text);
	*(int *)jobs = (int)n;
}

static void take_share(void *arguments, const struct option_line *line, char *arg, struct argp_state *state)
{
	struct run_arguments *a = arguments;

	(void)line;
	if (a->o.shares == SHARED_FOLDERS_MAX)
		argp_error(state, "at most %d folders can be shared", SHARED_FOLDERS_MAX);
	a->o.share[a->o.shares++] = arg;
}

/* The list always ends with NULL. */
static void take_variable(void *options, const struct option_line *line, char *name, struct argp_state *state)
{
	struct run_options *o = options;

	(void)line;
	if (!*name || strchr(name, '='))
		argp_error(state, "--env takes the name of a variable, not '%s'", name);
	o->env = xreallocarray(o->env, o->envs + 2, sizeof(*o->env));
	o->env[o->envs++] = name;
	o->env[o->envs] = NULL;
}

/* Without a seed the message names the one that was drawn. */
static void take_shuffle(void *options, const struct option_line *line, char *text, struct argp_state *state)
{
	int64_t seed = (int64_t)(clock_now_ns() % 1000000);
	struct run_options *o = options;

	(void)line;
	if (text && !number_read(text, 0, INT64_MAX, &seed))
		argp_error(state, "--shuffle takes a number from 0, not '%s'", text);
	if (!text)
		fprintf(stderr, "verbatim: the order is that of --shuffle=%" PRId64 "\n", seed);
	o->shuffle = true;
	o->seed = (uint64_t)seed;
}

static const struct option_line lines[] = {
	{"target", 0, "TARGET", ", a build tree of rdma-core, or a shared object: the implementation to measure (default: system)",
	 OPT_TEXT(struct run_options, target), .names = target_name},
	{"over", 0, "FILE", "with a build as target: take the calls that this object defines from it", OPT_TEXT(struct run_options, over)},
	{"rdma-core", 0, "VERSION", "the version of the rdma-core that --target names, if its files do not tell it",
	 OPT_TEXT(struct run_options, rdma_core)},
	{"format", 'f', "FORMAT", " (default: pretty)", OPT_TEXT(struct run_options, format), .names = report_name},
	{"output", 'o', "DIR", "keep a folder of evidence for each scenario in DIR", OPT_TEXT(struct run_options, output)},
	{"packets", 0, NULL, "with --output or --html: keep the packets of scenarios that passed, too", OPT_JOB_FLAG, .job = "packets"},
	{"rerun", 0, "RUN", "rerun failures and missing variants of RUN (a folder of --output, a history...)",
	 OPT_TEXT(struct run_options, rerun)},
	{"shard", 0, "I/N", "run part I of N, or auto for the part that Slurm, GitLab or Bazel names",
	 OPT_TAKE(struct run_options, shard, cmd_take_shard)},
	{"shuffle", 0, "SEED", "run in another order; a SEED gives the same order again", OPT_TAKE_ALL(take_shuffle), .optional = true},
	{"repeat", 0, "N", "run each variant N times, and say whose verdict differed", OPT_NUMBER(struct run_options, repeat, 1, REPEAT_MAX)},
	{"fail-fast", 0, "N", "begin no more variants after N that were not as expected (default: 1)",
	 OPT_NUMBER(struct run_options, fail_fast, 1, 1000000), .optional = true},
	{"html", 0, "FILE", "write a page about the run to FILE, with the runs of --history", OPT_TEXT(struct run_options, html)},
	{"history", 0, "FILE", "append a line about the run to FILE, for verbatim compare", OPT_TEXT(struct run_options, history)},
	{"filter", 'F', "GLOB", "only scenarios whose name matches, such as 'qp/*': only * and ? are special (may be repeated)",
	 OPT_LIST(struct run_options, filters, filter_count)},
	{"clause", 0, "GLOB",
	 "only scenarios that prove such a clause, by its id or by a statement that it names, such as 'C9-*' (may be "
	 "repeated)", OPT_LIST(struct run_options, clauses, clause_count)},
	{"jobs", 'j', "N",
	 "run in N guests at the same time, or auto (the default): as many as processors and "
	 "memory allow, at most one for every 40 variants", OPT_TAKE(struct run_options, jobs, take_jobs)},
	{"hosts", 0, "FILE", "the hosts are the machines that FILE names, reached by ssh: see verbatim-hosts(5)",
	 OPT_TEXT(struct run_options, hosts)},
	{"may-crash", 0, NULL, "also run scenarios that are known to crash the kernel, in lane native, "
	 "where they stop this machine, and with --hosts", OPT_FLAG(struct run_options, may_crash)},
	{"may-configure", 0, NULL, "with --hosts: configure what is missing on these machines: the interface's state, "
	 "its MTU, addresses, and a device (make: in the hosts file); undone at the end",
	 OPT_FLAG(struct run_options, may_configure), .job = "may_configure"},
	{"may-disturb", 0, NULL, "with --hosts: also run scenarios that change the links, addresses, routes "
	 "or devices of these machines, or their packets; each machine is restored after each scenario",
	 OPT_FLAG(struct run_options, may_disturb), .job = "may_disturb"},
	{"share", 0, "DIR[:ro]", "folder that programs of scenarios in a guest may change; with :ro they may only read it",
	 OPT_TAKE_ALL(take_share)},
	{"env", 0, "NAME", "variable of your environment that programs of scenarios and the target get (may be repeated)",
	 OPT_TAKE_ALL(take_variable)},
	{"connects", 0, "HOW", ": how fragments, such as qps, connect queue pairs (default: modify_qp, with siw rdma_cm)",
	 OPT_ONE_OF(struct run_options, connects, connects_name)},
	{"real-time", 0, NULL,
	 "lane uml: use real time; by default the clock skips idle time", OPT_FLAG(struct run_options, real_time)},
	{"verbose", 'v', NULL, "show every step", OPT_FLAG(struct run_options, verbose)},
	{"color", 0, "WHEN", " (default: auto, on terminals)", OPT_ONE_OF(struct run_arguments, color, color_name)},
	{NULL},
};

static void check(void *arguments, struct argp_state *state)
{
	const struct run_arguments *a = arguments;
	const struct lane_choice *w = &a->o.choice;

	if (a->o.connects && !strcmp(a->o.connects, CONNECTS_BY_HAND) && device_words_by_cm(&w->devices, DEVICE_HOSTS))
		argp_error(state, "only rdma_cm connects queue pairs of devices of %s: leave out --connects " CONNECTS_BY_HAND, w->device);
	if (device_words_second(&w->devices))
		argp_error(state, "--device %s: scenarios know one device of each host, unless they give it two themselves, by fabric: "
			   "{device: {a: rxe+siw}}; exec and shell take such words", w->device);
}

static const struct options options = {
	.table = {{lines, 0}, {lane_choice_options, offsetof(struct run_options, choice)},
		  {cable_choice_options, offsetof(struct run_options, choice)}},
	OPTIONS_ARGS(struct run_arguments, args), OPTIONS_JOB(struct run_options, choice.job),
	.check = check, .args_doc = "[FILE|DIR|ID]...", .doc = doc,
};

static int run_scenarios(int argc, char **argv)
{
	struct run_arguments a = {.color = "auto", .o = {
		.choice = LANE_CHOICE_DEFAULT,
		.target = "system",
		.format = "pretty",
		.color = isatty(STDOUT_FILENO) && !getenv("NO_COLOR"),
		.live = isatty(STDOUT_FILENO),
	}};
	struct run_options *o = &a.o;
	int status;

	options_parse(&options, argc, argv, &a);
	o->paths = a.args.arg;
	o->path_count = (size_t)a.args.count;
	if (strcmp(a.color, "auto") != 0)
		o->color = !strcmp(a.color, "always");
	/* Only the agents use the libraries of the target. */
	if (!target_is_named(o->target))
		libraries_set_aside(argc, argv);
	status = run_front(o);
	free(o->filters);
	free(o->clauses);
	free(o->env);
	value_free(o->choice.job);
	return status;
}

const struct cmd cmd_run = {
	.name = "run",
	.doc = "run scenarios and report the results",
	.run = run_scenarios,
	.options = &options,
};
