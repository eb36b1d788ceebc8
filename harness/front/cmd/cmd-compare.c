/* SPDX-License-Identifier: BSD-2-Clause */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "base/visible.h"
#include "cmd/cmd-util.h"
#include "cmd/cmd.h"
#include "runs/compare.h"

#define SHOWN 10	/* variants of each kind of change, without --all */

struct cmd_compare_args {
	struct cmd_args common;
	bool all;
};

enum { KEY_ALL = 1000 };

static const struct argp_option options[] = {
	{"all", KEY_ALL, NULL, 0, "Print all variants that differ, not ten of each kind", 0},
	CMD_OPTION_JSON,
	{0},
};

static error_t parse_opt(int key, char *arg, struct argp_state *state)
{
	struct cmd_compare_args *a = state->input;

	(void)arg;
	switch (key) {
	case KEY_ALL:
		a->all = true;
		return 0;
	case ARGP_KEY_END:
		if (a->common.count < 1 || a->common.count > 2)
			argp_error(state, "name two runs, or one history");
		return 0;
	default:
		return cmd_args_parse(&a->common, key, state);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_opt,
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

static int show(const struct cmd_compare_args *a, const struct comparison *c)
{
	struct visible shown;

	if (a->common.json) {
		auto_value struct value *v = compare_json(c);
		auto_free char *text = json_write_pretty(v);

		puts(text);
	} else {
		compare_show(c, a->all ? 0 : SHOWN, visible_begin(&shown, stdout));
		visible_end(&shown);
	}
	return compare_is_worse(c) ? EXIT_FAILED : EXIT_OK;
}

static int run(int argc, char **argv)
{
	struct cmd_compare_args a = {{0}};
	struct stored_run before, after;
	struct comparison c;
	struct vbm_error err;
	int ret;

	if (argp_parse(&argp, argc, argv, 0, NULL, &a))
		return EXIT_USAGE;
	if (stored_read(&before, a.common.arg[0], a.common.count == 1, &err) < 0) {
		visible_complain("%s", err.msg);
		return EXIT_USAGE;
	}
	if (stored_read(&after, a.common.arg[a.common.count - 1], 0, &err) < 0) {
		visible_complain("%s", err.msg);
		stored_fini(&before);
		return EXIT_USAGE;
	}
	compare_runs(&c, &before, &after);
	ret = show(&a, &c);
	compare_fini(&c);
	stored_fini(&before);
	stored_fini(&after);
	return ret;
}

const struct cmd cmd_compare = {
	.name = "compare",
	.doc = "compare two runs: what got worse, better, slower",
	.run = run,
	.argp = &argp,
};
