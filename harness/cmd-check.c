/* SPDX-License-Identifier: BSD-2-Clause */
#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "cmd-util.h"
#include "cmd.h"
#include "scenario/clauses.h"
#include "scenario/files.h"

struct check_options {
	struct cmd_args args;
	bool quiet;
};

static const struct argp_option options[] = {
	{"quiet", 'q', NULL, 0, "Print nothing when all is well", 0},
	{0},
};

static error_t parse_opt(int key, char *arg, struct argp_state *state)
{
	struct check_options *o = state->input;

	(void)arg;
	if (key != 'q')
		return cmd_args_parse(&o->args, key, state);
	o->quiet = true;
	return 0;
}

static const struct argp argp = {
	.options = options,
	.parser = parse_opt,
	.args_doc = "[FILE|DIR]...",
	.doc = "Check scenario files without running them.\v"
	       "Without arguments it checks the scenarios that come with the program. Every error "
	       "of a file is printed as FILE:LINE:COLUMN to standard error; the exit status is 2 "
	       "when there is one.",
};

/* The catalogue of the folder the scenarios are in, else the program's own. */
static void load_clauses(struct clauses *clauses, const struct scenario_files *files)
{
	auto_free char *dir = NULL;
	size_t i;

	for (i = 0; i < files->count; i++)
		if (files->item[i].root && clauses_load(clauses, files->item[i].root, NULL) == 0)
			return;
	if (scenario_default_dir(&dir, NULL) == 0)
		clauses_load(clauses, dir, NULL);
}

static bool check_one(const struct scenario_file *file, const struct clauses *clauses)
{
	struct diagnostics diag = {0};
	struct scenario *s = NULL;
	struct vbm_error err = {0};
	bool ok;

	if (scenario_load(&s, file, &diag, &err) == 0 && clauses->count)
		clauses_check(clauses, s, &diag);
	ok = s && !diag.count;
	if (!ok)
		cmd_complain(file->path, &diag, &err);
	scenario_free(s);
	diagnostics_fini(&diag);
	return ok;
}

static int run(int argc, char **argv)
{
	struct check_options o = {0};
	struct scenario_files files;
	struct clauses clauses = {0};
	struct vbm_error err = {0};
	size_t i, bad = 0;

	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	if (scenario_files_find(&files, o.args.arg, o.args.count, &err) < 0) {
		fprintf(stderr, "verbatim: %s\n", err.msg);
		return EXIT_USAGE;
	}
	load_clauses(&clauses, &files);
	for (i = 0; i < files.count; i++)
		bad += !check_one(&files.item[i], &clauses);
	if (bad)
		fprintf(stderr, "verbatim: %zu of %zu scenario files %s invalid\n", bad,
			files.count, bad == 1 ? "is" : "are");
	else if (!o.quiet)
		printf("%zu scenario file%s, no error\n", files.count,
		       files.count == 1 ? "" : "s");
	clauses_fini(&clauses);
	scenario_files_fini(&files);
	return bad ? EXIT_USAGE : EXIT_OK;
}

const struct cmd cmd_check = {
	.name = "check",
	.args = "[FILE|DIR]...",
	.doc = "check scenario files without running them",
	.run = run,
};
