/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/options.h"
#include "base/value.h"
#include "base/visible.h"
#include "cmd/cmd-util.h"
#include "cmd/cmd.h"
#include "runs/compare.h"

#define SHOWN 10	/* variants of each kind of change, without --all */

struct cmd_compare_args {
	struct option_args args;
	bool all, json;
};

static const struct option_line lines[] = {
	{"all", 0, NULL, "Print all variants that differ, not ten of each kind", OPT_FLAG(struct cmd_compare_args, all)},
	{"json", 0, NULL, "As JSON", OPT_FLAG(struct cmd_compare_args, json)},
	{NULL},
};

static void check(void *arguments, struct argp_state *state)
{
	const struct cmd_compare_args *a = arguments;

	if (a->args.count < 1 || a->args.count > 2)
		argp_error(state, "name two runs, or one history");
}

static const struct options options = {
	.table = {{lines, 0}},
	OPTIONS_ARGS(struct cmd_compare_args, args),
	.check = check,
	.args_doc = "RUN RUN\nHISTORY",
	.doc = "Compare two runs: which verdicts changed, which findings came and went, what is slower. A run is the "
	       "folder of run --output, its summary.json, or the events of run --format json. Of a history "
	       "(run --history), the last two runs are compared, or its last one with another run.\v"
	       "The exit status is 1 if something got worse: a variant is not as expected, and was, or did not run before; "
	       "or it passed and does not any more.\n\n"
	       "Examples:\n"
	       "  verbatim compare before/ after/\n"
	       "  verbatim compare history.jsonl\n"
	       "  verbatim compare --all --json main.jsonl branch.jsonl",
};

static int show_comparison(const struct cmd_compare_args *a, const struct comparison *c)
{
	struct visible shown;

	if (a->json) {
		cmd_print_json(compare_json(c));
	} else {
		compare_show(c, a->all ? 0 : SHOWN, visible_begin(&shown, stdout));
		visible_end(&shown);
	}
	return compare_is_worse(c) ? EXIT_FAILED : EXIT_OK;
}

static int run_compare(int argc, char **argv)
{
	struct cmd_compare_args a = {0};
	struct stored_run before, after;
	struct comparison c;
	struct vbm_error err;
	int ret;

	options_parse(&options, argc, argv, &a);
	if (stored_read(&before, a.args.arg[0], a.args.count == 1, &err) < 0)
		return cmd_fail(&err, EXIT_USAGE);
	if (stored_read(&after, a.args.arg[a.args.count - 1], 0, &err) < 0) {
		visible_complain("%s", err.msg);
		stored_fini(&before);
		return EXIT_USAGE;
	}
	compare_runs(&c, &before, &after);
	ret = show_comparison(&a, &c);
	compare_fini(&c);
	stored_fini(&before);
	stored_fini(&after);
	return ret;
}

const struct cmd cmd_compare = {
	.name = "compare",
	.doc = "compare two runs: what got worse, better, slower",
	.run = run_compare,
	.options = &options,
};
