/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/options.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "cmd/cmd.h"
#include "explore/explore.h"
#include "worker/lane-choice.h"
#include "model/draw.h"
#include "names/device-types.h"

static const char doc[] =
	"Run random sequences of operations on windows, regions, queues, queue pairs and address handles, and look for answers that the model of "
	"verbatim does not allow, complaints of the kernel and hangs. A sequence that fails for a new cause is shrunk to the "
	"fewest operations and written as a scenario file.\v"
	"Known findings are exceptions of the model, so that it goes on to find new ones.\n"
	"\n"
	"Examples:\n"
	"  verbatim explore --time 600\n"
	"  verbatim explore --seed 7 --only mw,mr --steps 50\n"
	"  verbatim explore --without rxe-flush-hides-status --sequences 100\n"
	"\n"
	"Exit status: 0 if nothing failed, 1 if something did, 2 for bad arguments, 3 if no fabric could be made.";

struct explore_args {
	struct lane_choice choice;
	struct explore_options o;
	struct option_args args;
};

static void take_only(void *options, const struct option_line *line, char *text, struct argp_state *state)
{
	struct explore_options *o = options;
	auto_free char *copy = xstrdup(text);
	char *rest = copy, *word;
	size_t i;

	o->groups = 0;
	text_addf(&o->decides, " --only=%s", text);
	while ((word = strsep(&rest, ","))) {
		for (i = 0; model_group_name(i) && strcmp(model_group_name(i), word); i++)
			;
		if (!model_group_name(i))
			option_refuse(state, line, model_group_name, "", word);
		o->groups |= 1u << i;
	}
	if (o->groups == 1u << GROUP_FAULT)
		o->groups |= GROUPS_ALL;
}

static const char *exception_word(size_t i)
{
	return i < EXCEPT_COUNT ? model_exception_name((enum model_exception)i) : i == EXCEPT_COUNT ? "all" : NULL;
}

static void take_without(void *options, const struct option_line *line, char *text, struct argp_state *state)
{
	struct explore_options *o = options;
	size_t i;

	for (i = 0; exception_word(i) && strcmp(exception_word(i), text); i++)
		;
	if (!exception_word(i))
		option_refuse(state, line, exception_word, "", text);
	text_addf(&o->decides, " --without=%s", text);
	o->place.stack.exceptions &= i == EXCEPT_COUNT ? 0 : ~(1u << i);
	o->without |= i == EXCEPT_COUNT ? 0 : 1u << i;
}

static const struct option_line lines[] = {
	{"seed", 0, "SEED", "the number that decides the sequences (default: another one each time)",
	 OPT_NUMBER(struct explore_args, o.seed, 0, INT64_MAX)},
	{"time", 0, "SECONDS", "begin no more sequences after so many seconds (default: 60)", OPT_NUMBER(struct explore_args, o.seconds, 1, 1000000)},
	{"sequences", 0, "N", "stop after N sequences", OPT_NUMBER(struct explore_args, o.sequences, 1, 1000000000)},
	{"steps", 0, "N", "operations of a sequence (default: 30)", OPT_NUMBER(struct explore_args, o.steps, 1, SEQUENCE_MAX)},
	{"only", 0, "GROUPS", "operations on these objects only: mr, mw, qp, cq, srq, ud, odp, separated by commas (default: all except odp); fault: half of the calls fail at first, for lack of memory",
	 OPT_TAKE(struct explore_args, o, take_only)},
	{"without", 0, "FINDING", "do not allow what this finding describes (may be repeated); all: no finding",
	 OPT_TAKE(struct explore_args, o, take_without)},
	{"target", 0, "TARGET", "the implementation to measure, as for verbatim run", OPT_TEXT(struct explore_args, o.place.target)},
	{"jobs", 'j', "N", "so many kernels at the same time (default: 1)", OPT_NUMBER(struct explore_args, o.jobs, 1, CMD_JOBS_MAX)},
	{"output", 'o', "DIR", "the folder for scenario files (default: explore-found)", OPT_TEXT(struct explore_args, o.output)},
	{NULL},
};

static void check(void *arguments, struct argp_state *state)
{
	const struct explore_args *a = arguments;

	if (a->args.count)
		argp_error(state, "explore takes no argument: '%s'", a->args.arg[0]);
}

static const struct options options = {
	.table = {{lines, 0}, {lane_choice_options, offsetof(struct explore_args, choice)}},
	OPTIONS_ARGS(struct explore_args, args), .check = check, .args_doc = "", .doc = doc,
};

static int run_explore(int argc, char **argv)
{
	const struct device_type *device;
	struct vbm_error err;
	struct explore_args a = {
		.choice = LANE_CHOICE_DEFAULT,
		.o = {.seed = (uint64_t)(clock_now_ns() % 1000000), .seconds = 60, .steps = 30, .jobs = 1, .groups = GROUPS_ALL,
		      .output = "explore-found", .place = {.stack.exceptions = (1u << EXCEPT_COUNT) - 1}},
	};
	int status;

	options_parse(&options, argc, argv, &a);
	if (a.choice.device && device_type_parse(a.choice.device, &device, &err) < 0) {
		visible_complain("explore takes one type of devices for both hosts: %s", err.msg);
		return EXIT_USAGE;
	}
	if (a.choice.device)
		text_addf(&a.o.decides, " --device=%s", a.choice.device);
	a.o.place.lane = a.choice.lane;
	a.o.place.kernel = a.choice.kernel;
	a.o.place.layout = a.choice.layout;
	a.o.place.device = a.choice.device;
	status = explore(&a.o);
	text_fini(&a.o.decides);
	return status;
}

const struct cmd cmd_explore = {
	.name = "explore",
	.doc = "run random sequences and shrink those that fail to scenarios",
	.run = run_explore,
	.options = &options,
};
