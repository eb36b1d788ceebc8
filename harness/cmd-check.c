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
#include "catalogue/clauses.h"
#include "catalogue/deviation.h"
#include "catalogue/files.h"
#include "catalogue/suite.h"

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
	.args_doc = "[FILE|DIR|ID]...",
	.doc = "Check scenario files, and files of known deviations, without running them.\v"
	       "Without arguments it checks those that come with the program. Every error "
	       "of a file is printed as FILE:LINE:COLUMN to standard error; the exit status is 2 "
	       "when there is one.",
};

/* The catalogue of that folder of scenarios, else the program's own. */
static void load_clauses(struct clauses *clauses, const char *root)
{
	auto_free char *dir = NULL;

	if (root && clauses_load(clauses, root, NULL) == 0)
		return;
	if (suite_default(&dir, NULL) < 0 || clauses_load(clauses, dir, NULL) < 0)
		*clauses = (struct clauses){0};
}

static const char *first_root(const struct scenario_files *files)
{
	size_t i;

	for (i = 0; i < files->count; i++)
		if (files->item[i].root)
			return files->item[i].root;
	return NULL;
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

/* What the entries of files of one folder may speak of. */
struct surroundings {
	const char *root;	/* borrowed; NULL: nothing was looked at so far */
	struct clauses clauses;
	struct scenario_names names;
};

static void surroundings_fini(struct surroundings *s)
{
	clauses_fini(&s->clauses);
	scenario_names_fini(&s->names);
}

static void look_around(struct surroundings *s, char *root)
{
	struct scenario_files files;

	if (s->root && strcmp(s->root, root) == 0)
		return;
	surroundings_fini(s);
	*s = (struct surroundings){.root = root};
	load_clauses(&s->clauses, root);
	if (scenario_files_find(&files, &root, 1, NULL) < 0)
		return;
	scenario_names_make(&s->names, &files);
	scenario_files_fini(&files);
}

static bool check_deviations(const struct scenario_file *file, struct surroundings *around)
{
	struct diagnostics diag = {0};
	struct deviations list = {0};
	struct vbm_error err = {0};
	auto_free char *text = NULL;
	size_t len;
	bool ok;

	look_around(around, file->root);
	ok = scenario_read(file->path, &text, &len, &err) == 0 &&
	     deviations_parse(&list, file->path, text, len, &diag) == 0;
	deviations_check(&list, &around->clauses, &around->names, &diag);
	ok = ok && !diag.count;
	if (!ok)
		cmd_complain(file->path, &diag, &err);
	deviations_fini(&list);
	diagnostics_fini(&diag);
	return ok;
}

static size_t check_all(const struct scenario_files *files)
{
	struct surroundings around = {0};
	struct clauses clauses = {0};
	size_t i, bad = 0;

	load_clauses(&clauses, first_root(files));
	for (i = 0; i < files->count; i++)
		bad += !check_one(&files->item[i], &clauses);
	for (i = 0; i < files->deviation_count; i++)
		bad += !check_deviations(&files->deviation[i], &around);
	clauses_fini(&clauses);
	surroundings_fini(&around);
	return bad;
}

static void say_good(const struct scenario_files *files)
{
	printf("%zu scenario file%s", files->count, files->count == 1 ? "" : "s");
	if (files->deviation_count)
		printf(" and %zu of known deviations", files->deviation_count);
	puts(", no error");
}

static int run(int argc, char **argv)
{
	struct check_options o = {0};
	struct scenario_files files;
	struct vbm_error err = {0};
	size_t bad;

	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	if (scenario_files_find_all(&files, o.args.arg, o.args.count, &err) < 0) {
		fprintf(stderr, "verbatim: %s\n", err.msg);
		return EXIT_USAGE;
	}
	bad = check_all(&files);
	if (bad)
		fprintf(stderr, "verbatim: %zu of %zu files %s invalid\n", bad,
			files.count + files.deviation_count, bad == 1 ? "is" : "are");
	else if (!o.quiet)
		say_good(&files);
	scenario_files_fini(&files);
	return bad ? EXIT_USAGE : EXIT_OK;
}

const struct cmd cmd_check = {
	.name = "check",
	.args = "[FILE|DIR|ID]...",
	.doc = "check files of scenarios and known deviations",
	.run = run,
};
