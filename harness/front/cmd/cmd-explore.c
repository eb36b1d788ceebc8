/* SPDX-License-Identifier: BSD-2-Clause */
#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "cmd/cmd-util.h"
#include "cmd/cmd.h"
#include "explore/explore.h"
#include "worker/lane-choice.h"
#include "model/draw.h"
#include "names/device-types.h"
#include "names/targets.h"

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

enum { OPT_SEED = 256, OPT_TIME, OPT_STEPS, OPT_ONLY, OPT_WITHOUT, OPT_SEQUENCES, OPT_TARGET };

static const struct argp_option options[] = {
	{"seed", OPT_SEED, "SEED", 0, "the number that decides the sequences (default: another one each time)", 0},
	{"time", OPT_TIME, "SECONDS", 0, "begin no more sequences after so many seconds (default: 60)", 0},
	{"sequences", OPT_SEQUENCES, "N", 0, "stop after N sequences", 0},
	{"steps", OPT_STEPS, "N", 0, "operations of a sequence (default: 30)", 0},
	{"only", OPT_ONLY, "GROUPS", 0, "operations on these objects only: mr, mw, qp, cq, srq, ud, odp, separated by commas (default: all except odp); fault: half of the calls fail at first, for lack of memory", 0},
	{"without", OPT_WITHOUT, "FINDING", 0, "do not allow what this finding describes (may be repeated); all: no finding", 0},
	{"target", OPT_TARGET, "TARGET", 0, "the implementation to measure, as for verbatim run", 0},
	{"jobs", 'j', "N", 0, "so many kernels at the same time (default: 1)", 0},
	{"output", 'o', "DIR", 0, "the folder for scenario files (default: explore-found)", 0},
	{0},
};

static uint64_t number(const char *option, const char *text, int64_t min, int64_t max, struct argp_state *state)
{
	int64_t n = min;

	if (!number_read(text, min, max, &n))
		argp_error(state, "%s takes a number from %" PRId64 " to %" PRId64 ", not '%s'", option, min, max, text);
	return (uint64_t)n;
}

static void set_only(struct explore_options *o, const char *text, struct argp_state *state)
{
	auto_free char *copy = xstrdup(text);
	char *rest = copy, *word;
	size_t i;

	o->groups = 0;
	text_addf(&o->decides, " --only=%s", text);
	while ((word = strsep(&rest, ","))) {
		for (i = 0; model_group_name(i) && strcmp(model_group_name(i), word); i++)
			;
		if (!model_group_name(i))
			cmd_no_such(state, "--only", model_group_name, "", word);
		o->groups |= 1u << i;
	}
	if (o->groups == 1u << GROUP_FAULT)
		o->groups |= GROUPS_ALL;
}

static const char *exception_word(size_t i)
{
	return i < EXCEPT_COUNT ? model_exception_name((enum model_exception)i) : i == EXCEPT_COUNT ? "all" : NULL;
}

static void set_without(struct explore_options *o, const char *text, struct argp_state *state)
{
	size_t i;

	for (i = 0; exception_word(i) && strcmp(exception_word(i), text); i++)
		;
	if (!exception_word(i))
		cmd_no_such(state, "--without", exception_word, "", text);
	text_addf(&o->decides, " --without=%s", text);
	o->place.stack.exceptions &= i == EXCEPT_COUNT ? 0 : ~(1u << i);
	o->without |= i == EXCEPT_COUNT ? 0 : 1u << i;
}

struct explore_args {
	struct lane_choice choice;
	struct explore_options o;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct explore_args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->choice;
		return 0;
	case OPT_SEED:
		a->o.seed = number("--seed", arg, 0, INT64_MAX, state);
		return 0;
	case OPT_TIME:
		a->o.seconds = (int)number("--time", arg, 1, 1000000, state);
		return 0;
	case OPT_SEQUENCES:
		a->o.sequences = number("--sequences", arg, 1, 1000000000, state);
		return 0;
	case OPT_STEPS:
		a->o.steps = number("--steps", arg, 1, SEQUENCE_MAX, state);
		return 0;
	case OPT_ONLY:
		set_only(&a->o, arg, state);
		return 0;
	case OPT_WITHOUT:
		set_without(&a->o, arg, state);
		return 0;
	case OPT_TARGET:
		a->o.place.target = arg;
		return 0;
	case 'j':
		a->o.jobs = (int)number("--jobs", arg, 1, CMD_JOBS_MAX, state);
		return 0;
	case 'o':
		a->o.output = arg;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "explore takes no argument: '%s'", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {{&lane_choice_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {options, parse, "", doc, children, NULL, NULL};

static int run(int argc, char **argv)
{
	const struct device_type *device;
	struct vbm_error err;
	struct explore_args a = {
		.choice = LANE_CHOICE_DEFAULT,
		.o = {.seed = (uint64_t)(clock_now_ns() % 1000000), .seconds = 60, .steps = 30, .jobs = 1, .groups = GROUPS_ALL,
		      .output = "explore-found", .place = {.stack.exceptions = (1u << EXCEPT_COUNT) - 1}},
	};
	int status;

	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &a);
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
	.run = run,
	.argp = &argp,
};
