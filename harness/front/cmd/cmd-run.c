/* SPDX-License-Identifier: BSD-2-Clause */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/choice.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/xalloc.h"
#include "cmd/cmd-util.h"
#include "cmd/cmd.h"
#include "compile/scenario.h"
#include "rdma-build/libraries.h"
#include "rdma-build/target-choice.h"
#include "names/device-types.h"
#include "names/targets.h"
#include "report/report.h"
#include "run/repeat.h"
#include "run/run.h"
#include "runs/shard-engine.h"

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

enum { OPT_TARGET = 256, OPT_CONNECTS, OPT_RDMA_CORE, OPT_COLOR, OPT_SHARE, OPT_ENV, OPT_REAL_TIME, OPT_HISTORY, OPT_HTML, OPT_CLAUSE, OPT_RERUN, OPT_SHUFFLE, OPT_OVER,
       OPT_REPEAT, OPT_FAIL_FAST, OPT_SHARD, OPT_PACKETS, OPT_HOSTS, OPT_MAY_CRASH,
       OPT_MAY_DISTURB, OPT_MAY_CONFIGURE };

static const struct argp_option options[] = {
	{"target", OPT_TARGET, "TARGET", 0,
	 ", a build tree of rdma-core, or a shared object: the implementation to measure "
	 "(default: system)", 0},
	{"over", OPT_OVER, "FILE", 0, "with a build as target: take the calls that this object defines from it", 0},
	{"rdma-core", OPT_RDMA_CORE, "VERSION", 0,
	 "the version of the rdma-core that --target names, if its files do not tell it", 0},
	{"format", 'f', "FORMAT", 0, " (default: pretty)", 0},
	{"output", 'o', "DIR", 0, "keep a folder of evidence for each scenario in DIR", 0},
	{"packets", OPT_PACKETS, NULL, 0, "with --output or --html: keep the packets of scenarios that passed, too", 0},
	{"rerun", OPT_RERUN, "RUN", 0, "rerun failures and missing variants of RUN (a folder of --output, a history...)", 0},
	{"shard", OPT_SHARD, "I/N", 0, "run part I of N, or auto for the part that Slurm, GitLab or "
	 "Bazel names", 0},
	{"shuffle", OPT_SHUFFLE, "SEED", OPTION_ARG_OPTIONAL, "run in another order; a SEED gives the same order again", 0},
	{"repeat", OPT_REPEAT, "N", 0, "run each variant N times, and say whose verdict differed", 0},
	{"fail-fast", OPT_FAIL_FAST, "N", OPTION_ARG_OPTIONAL,
	 "begin no more variants after N that were not as expected (default: 1)", 0},
	{"html", OPT_HTML, "FILE", 0, "write a page about the run to FILE, with the runs of --history", 0},
	{"history", OPT_HISTORY, "FILE", 0, "append a line about the run to FILE, for verbatim compare", 0},
	{"filter", 'F', "GLOB", 0,
	 "only scenarios whose name matches, such as 'qp/*': only * and ? are special (may be "
	 "repeated)", 0},
	{"clause", OPT_CLAUSE, "GLOB", 0,
	 "only scenarios that prove such a clause, by its id or by a statement that it names, such as 'C9-*' (may be "
	 "repeated)", 0},
	{"jobs", 'j', "N", 0,
	 "run in N guests at the same time, or auto (the default): as many as processors and "
	 "memory allow, at most one for every 40 variants", 0},
	{"hosts", OPT_HOSTS, "FILE", 0, "the hosts are the machines that FILE names, reached by ssh: see "
	 "verbatim-hosts(5)", 0},
	{"may-crash", OPT_MAY_CRASH, NULL, 0, "also run scenarios that are known to crash the kernel, in lane native, "
	 "where they stop this machine, and with --hosts", 0},
	{"may-configure", OPT_MAY_CONFIGURE, NULL, 0, "with --hosts: configure what is missing on these machines: the interface's state, "
	 "its MTU, addresses, and a device (make: in the hosts file); undone at the end", 0},
	{"may-disturb", OPT_MAY_DISTURB, NULL, 0, "with --hosts: also run scenarios that change the links, addresses, routes "
	 "or devices of these machines, or their packets; each machine is restored after each scenario", 0},
	{"share", OPT_SHARE, "DIR[:ro]", 0,
	 "folder that programs of scenarios in a guest may change; with :ro they may only read it", 0},
	{"env", OPT_ENV, "NAME", 0,
	 "variable of your environment that programs of scenarios and the target get (may "
	 "be repeated)", 0},
	{"connects", OPT_CONNECTS, "HOW", 0,
	 ": how fragments, such as qps, connect queue pairs (default: modify_qp, with siw rdma_cm)", 0},
	{"real-time", OPT_REAL_TIME, NULL, 0,
	 "lane uml: use real time; by default the clock skips idle time", 0},
	{"verbose", 'v', NULL, 0, "show every step", 0},
	{"color", OPT_COLOR, "WHEN", 0, " (default: auto, on terminals)", 0},
	{0},
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

static char *help(int key, const char *text, void *input)
{
	static const struct choice_option names[] = {
		{'f', report_name}, {OPT_TARGET, target_name}, {OPT_COLOR, color_name}, {OPT_CONNECTS, connects_name},
		{0, NULL},
	};

	(void)input;
	return choice_help(names, key, text);
}

static int set_color(struct run_options *o, const char *when)
{
	if (!choice_has(color_name, when))
		return -EINVAL;
	if (strcmp(when, "auto"))
		o->color = !strcmp(when, "always");
	return 0;
}

static int number_of(const char *option, const char *text, int max, struct argp_state *state)
{
	int64_t n = 1;

	if (text && !number_read(text, 1, max, &n))
		argp_error(state, "%s takes a number from 1 to %d, not '%s'", option, max, text);
	return (int)n;
}

static int set_jobs(struct run_options *o, const char *text)
{
	int64_t n;

	o->jobs = 0;
	if (!strcmp(text, "auto"))
		return 0;
	if (!number_read(text, 1, CMD_JOBS_MAX, &n))
		return -EINVAL;
	o->jobs = (int)n;
	return 0;
}

/* The list always ends with NULL. */
static void add_variable(struct run_options *o, const char *name, struct argp_state *state)
{
	if (!*name || strchr(name, '='))
		argp_error(state, "--env takes the name of a variable, not '%s'", name);
	o->env = xreallocarray(o->env, o->envs + 2, sizeof(*o->env));
	o->env[o->envs++] = name;
	o->env[o->envs] = NULL;
}

/* Without a seed the message names the one that was drawn. */
static void set_shuffle(struct run_options *o, const char *text, struct argp_state *state)
{
	int64_t seed = (int64_t)(clock_now_ns() % 1000000);

	if (text && !number_read(text, 0, INT64_MAX, &seed))
		argp_error(state, "--shuffle takes a number from 0, not '%s'", text);
	if (!text)
		fprintf(stderr, "verbatim: the order is that of --shuffle=%" PRId64 "\n", seed);
	o->shuffle = true;
	o->seed = (uint64_t)seed;
}

/* Takes @arg if the option's value is just kept. */
static bool keep_text(struct run_options *o, int key, const char *arg)
{
	const struct {
		int key;
		const char **text;
	} texts[] = {
		{OPT_TARGET, &o->target}, {OPT_OVER, &o->over}, {OPT_RDMA_CORE, &o->rdma_core},
		{'f', &o->format}, {'o', &o->output}, {OPT_RERUN, &o->rerun}, {OPT_HTML, &o->html},
		{OPT_HISTORY, &o->history}, {OPT_HOSTS, &o->hosts}, {OPT_CONNECTS, &o->connects},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		if (texts[i].key != key)
			continue;
		*texts[i].text = arg;
		return true;
	}
	return false;
}

static bool keep_flag(struct run_options *o, int key)
{
	o->packets |= key == OPT_PACKETS;
	o->real_time |= key == OPT_REAL_TIME;
	o->may_crash |= key == OPT_MAY_CRASH;
	o->may_disturb |= key == OPT_MAY_DISTURB;
	o->may_configure |= key == OPT_MAY_CONFIGURE;
	o->verbose |= key == 'v';
	return key == OPT_PACKETS || key == OPT_REAL_TIME || key == OPT_MAY_CRASH || key == OPT_MAY_DISTURB || key == OPT_MAY_CONFIGURE ||
	       key == 'v';
}

static void check_connects(const struct run_options *o, struct argp_state *state)
{
	const struct device_words devices = lane_choice_devices(&o->choice);

	if (o->connects && !choice_has(connects_name, o->connects))
		cmd_no_such(state, "--connects", connects_name, "", o->connects);
	if (o->connects && !strcmp(o->connects, CONNECTS_BY_HAND) && device_words_by_cm(&devices, DEVICE_HOSTS))
		argp_error(state, "only rdma_cm connects queue pairs of devices of %s: leave out --connects " CONNECTS_BY_HAND,
			   o->choice.device);
	if (device_words_second(&devices))
		argp_error(state, "--device %s: scenarios know one device of each host, unless they give it two themselves, by fabric: "
			   "{device: {a: rxe+siw}}; exec and shell take such words", o->choice.device);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct run_options *o = state->input;
	struct vbm_error err;

	if (keep_text(o, key, arg) || keep_flag(o, key))
		return 0;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->choice;
		state->child_inputs[1] = &o->choice;
		return 0;
	case OPT_COLOR:
		if (set_color(o, arg) < 0)
			cmd_no_such(state, "--color", color_name, "", arg);
		return 0;
	case ARGP_KEY_END:
		check_connects(o, state);
		return 0;
	case OPT_SHUFFLE:
		set_shuffle(o, arg, state);
		return 0;
	case OPT_SHARD:
		if (engine_shard(&o->shard, arg, &err) < 0)
			argp_error(state, "%s", err.msg);
		return 0;
	case OPT_REPEAT:
		o->repeat = number_of("--repeat", arg, REPEAT_MAX, state);
		return 0;
	case OPT_FAIL_FAST:
		o->fail_fast = number_of("--fail-fast", arg, 1000000, state);
		return 0;
	case 'j':
		if (set_jobs(o, arg) < 0)
			argp_error(state, "--jobs takes auto or a number from 1 to %d, not '%s'",
				   CMD_JOBS_MAX, arg);
		return 0;
	case OPT_SHARE:
		if (o->shares == SHARED_FOLDERS_MAX)
			argp_error(state, "at most %d folders can be shared", SHARED_FOLDERS_MAX);
		o->share[o->shares++] = arg;
		return 0;
	case OPT_ENV:
		add_variable(o, arg, state);
		return 0;
	case 'F':
		GROW(o->filters, o->filter_count);
		o->filters[o->filter_count++] = arg;
		return 0;
	case OPT_CLAUSE:
		GROW(o->clauses, o->clause_count);
		o->clauses[o->clause_count++] = arg;
		return 0;
	case ARGP_KEY_ARG:
		GROW(o->paths, o->path_count);
		o->paths[o->path_count++] = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {{&lane_choice_argp, 0, NULL, 0}, {&cable_choice_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {options, parse, "[FILE|DIR|ID]...", doc, children, help, NULL};

static int run(int argc, char **argv)
{
	struct run_options o = {
		.choice = LANE_CHOICE_DEFAULT,
		.target = "system",
		.format = "pretty",
		.color = isatty(STDOUT_FILENO) && !getenv("NO_COLOR"),
		.live = isatty(STDOUT_FILENO),
	};
	int status;

	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &o);
	/* Only the agents use the libraries of the target. */
	if (!target_is_named(o.target))
		libraries_set_aside(argc, argv);
	status = run_front(&o);
	free(o.filters);
	free(o.clauses);
	free(o.paths);
	free(o.env);
	return status;
}

const struct cmd cmd_run = {
	.name = "run",
	.doc = "run scenarios and report the results",
	.run = run,
	.argp = &argp,
};
