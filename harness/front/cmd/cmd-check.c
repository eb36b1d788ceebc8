/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/options.h"
#include "base/value.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "cmd/cmd-util.h"
#include "cmd/cmd.h"
#include "catalogue/clauses.h"
#include "catalogue/finding.h"
#include "catalogue/files.h"
#include "catalogue/fragments.h"
#include "catalogue/suite.h"

struct check_options {
	struct option_args args;
	bool quiet, plan;
	struct value *variants;	/* owned; variants of the plan */
};

static const struct option_line lines[] = {
	{"quiet", 'q', NULL, "Print nothing if there is no error", OPT_FLAG(struct check_options, quiet)},
	{"plan", 0, NULL, "Print the plan as JSON, which run takes like a file", OPT_FLAG(struct check_options, plan)},
	{NULL},
};

static const struct options options = {
	.table = {{lines, 0}},
	OPTIONS_ARGS(struct check_options, args),
	.args_doc = "[FILE|DIR|ID]...",
	.doc = "Check scenario files, and files of known findings, without running them.\vWithout "
	       "arguments it checks the files that come with the program. It prints every error "
	       "as FILE:LINE:COLUMN to standard error; the exit status is 2 if there is an error.",
};

/* A suite, with the clauses and scenarios that its files may name. */
struct suite {
	const char *root;	/* borrowed from its first file */
	struct clauses clauses;
	struct scenario_names names;
	bool named;		/* @names is complete; only findings need that */
	bool without;		/* neither the suite nor the program has a catalogue */
	bool bad;		/* its catalogue could not be read, or has a wrong source */
};

struct suites {
	struct suite *item;	/* owned */
	size_t count;
	struct string_list told;	/* paths of fragments whose errors were printed */
	struct string_list *programs;	/* programs that scenarios start */
};

static void suites_fini(struct suites *suites)
{
	size_t i;

	for (i = 0; i < suites->count; i++) {
		clauses_fini(&suites->item[i].clauses);
		scenario_names_fini(&suites->item[i].names);
	}
	free(suites->item);
	string_list_fini(&suites->told);
}

static void add_to_plan(struct value *variants, struct scenario *s, const struct scenario_file *file)
{
	size_t i;

	for (i = 0; i < s->plan.count; i++) {
		if (!scenario_file_wants(file, s->plan.item[i].name))
			continue;
		s->plan.item[i].number = variants->list.count;
		value_append(variants, variant_to_value(&s->plan.item[i]));
	}
}

/* Checks the sources of the program's own clauses; in other suites a source is free text. */
static bool check_sources(const struct suite *suite)
{
	auto_free char *path = xasprintf("%s/" SUITE_CLAUSES, suite->root);
	struct diagnostics diag auto_diagnostics = {0};

	if (!suite->clauses.required)
		return true;
	clauses_check_sources(&suite->clauses, &diag);
	if (diag.count)
		cmd_complain(path, &diag, NULL);
	return !diag.count;
}

static struct suite *suite_with(struct suites *suites, const struct scenario_file *file)
{
	struct vbm_error err;
	struct suite s = {.root = file->root};
	size_t i;

	for (i = 0; i < suites->count; i++)
		if (strcmp(suites->item[i].root, file->root) == 0)
			return &suites->item[i];
	if (clauses_load(&s.clauses, file->root, &err) < 0) {
		s.without = err.code == ENOENT;
		s.bad = !s.without;
		if (s.bad)
			visible_complain("%s", err.msg);
	} else {
		s.bad = !check_sources(&s);
	}
	GROW(suites->item, suites->count);
	suites->item[suites->count] = s;
	return &suites->item[suites->count++];
}

static const struct scenario_names *names_in(struct suite *suite)
{
	struct scenario_files files;
	char *root;

	if (suite->named)
		return &suite->names;
	suite->named = true;
	root = xstrdup(suite->root);
	if (scenario_files_find_all(&files, &root, 1, NULL) == 0) {
		scenario_names_load(&suite->names, &files);
		scenario_files_fini(&files);
	}
	free(root);
	return &suite->names;
}

/* Remembers fragments whose errors a scenario has reported, so that they are reported once. */
static void remember_told(struct suites *suites, const struct diagnostics *diag)
{
	size_t i;

	for (i = 0; i < diag->count; i++)
		if (diag->item[i].file)
			string_list_add(&suites->told, diag->item[i].file);
}

static void say_fragment(void *arg, const char *path, const struct diagnostics *diag,
			 const struct vbm_error *err)
{
	const struct suites *suites = arg;
	size_t i;

	for (i = 0; i < suites->told.count; i++)
		if (strcmp(suites->told.item[i], path) == 0)
			return;
	cmd_complain(path, diag, err);
}

/* Whether one of the folders contains the whole suite at @root. */
static bool is_whole(const struct option_args *args, const char *root)
{
	int i;

	for (i = 0; i < args->count; i++) {
		auto_free char *real = realpath(args->arg[i], NULL);
		size_t n = real ? strlen(real) : 0;

		if (n && strncmp(root, real, n) == 0 && (!root[n] || root[n] == '/'))
			return true;
	}
	return !args->count;
}

/* A scenario that names no clause needs no catalogue. */
static void refuse_clauses(const struct scenario *s, struct diagnostics *diag)
{
	size_t i;

	for (i = 0; i < s->clause_count; i++)
		diag_add(diag, s->clause_pos[i], NULL, "the clause '%s' is in no catalogue: there is no "
			 SUITE_CLAUSES " in this suite, and the program's own is not near it",
			 s->clauses[i]);
}

/* Adds its variants to @variants, which may be NULL. */
static bool check_one(const struct scenario_file *file, struct suites *suites,
		      struct value *variants)
{
	struct suite *suite = suite_with(suites, file);
	struct diagnostics diag = {0};
	struct scenario *s = NULL;
	struct vbm_error err = {0};
	size_t i;
	bool ok;

	if (scenario_file_load(&s, file, &diag, &err) == 0 && suite->without)
		refuse_clauses(s, &diag);
	else if (s && !suite->bad)
		clauses_check(&suite->clauses, s, &diag);
	ok = s && !diag.count;
	for (i = 0; ok && i < s->plan.count; i++)
		variant_programs(&s->plan.item[i], suites->programs);
	if (!ok || diag.warning_count)
		cmd_complain(file->path, &diag, &err);
	if (s)
		scenario_names_add(&suite->names, s);
	if (ok && variants)
		add_to_plan(variants, s, file);
	remember_told(suites, &diag);
	scenario_free(s);
	diagnostics_fini(&diag);
	return ok;
}

static bool check_findings(const struct scenario_file *file, struct suite *suite)
{
	struct diagnostics diag = {0};
	struct findings list = {0};
	struct vbm_error err = {0};
	auto_free char *text = NULL, *dir = xasprintf("%s/" SUITE_FINDINGS, suite->root);
	size_t len;
	bool ok;

	ok = scenario_file_read(file->path, &text, &len, &err) == 0 &&
	     findings_parse(&list, file->path, text, len, &diag) == 0;
	findings_check(&list, &suite->clauses, names_in(suite), &diag);
	if (!diag.count)
		findings_check_duplicates(&list, file->path, dir, &diag);
	ok = ok && !diag.count;
	if (!ok)
		cmd_complain(file->path, &diag, &err);
	findings_fini(&list);
	diagnostics_fini(&diag);
	return ok;
}

/*
 * Checks all files. Adds the programs that their steps start to @programs, and the
 * variants of valid files to @variants, which may be NULL. Returns the number of invalid
 * files, with the *@fragments that were checked by themselves. *@catalogues is false if a
 * clauses.tsv is invalid.
 */
static size_t check_all(const struct scenario_files *files, const struct option_args *args,
			bool *catalogues, size_t *fragments, struct value *variants,
			struct string_list *programs)
{
	struct suites suites = {.programs = programs};
	const struct scenario_file *f;
	size_t i, bad = 0;

	for (i = 0; i < files->count; i++) {
		f = &files->item[i];
		bad += !check_one(f, &suites, variants);
	}
	for (i = 0; i < files->finding_count; i++) {
		f = &files->finding[i];
		bad += !check_findings(f, suite_with(&suites, f));
	}
	for (i = 0; i < suites.count; i++)
		if (is_whole(args, suites.item[i].root))
			bad += fragments_check(suites.item[i].root, say_fragment, &suites,
					       fragments);
	*catalogues = true;
	for (i = 0; i < suites.count; i++)
		*catalogues = *catalogues && !suites.item[i].bad;
	suites_fini(&suites);
	return bad;
}

/* Names the programs, for a user who checks a scenario of somebody else. */
static void say_programs(const struct string_list *programs)
{
	size_t i;

	for (i = 0; i < programs->count; i++) {
		auto_free char *line = visible_line(programs->item[i]);

		printf("%s%s", i ? ", " : "runs programs: ", line);
	}
	if (programs->count)
		puts("");
}

static void say_good(const struct scenario_files *files)
{
	printf("%zu scenario file%s", files->count, files->count == 1 ? "" : "s");
	if (files->finding_count)
		printf(" and %zu of known findings", files->finding_count);
	puts(", no error");
}

static void print_plan(struct value *variants)
{
	struct value *plan = value_map();

	value_set_int(plan, "verbatim-plan", PLAN_FORMAT);
	value_set(plan, "variants", variants);
	cmd_print_json(plan);
}

static int run_check(int argc, char **argv)
{
	struct check_options o = {0};
	struct scenario_files files;
	struct vbm_error err = {0};
	auto_string_list struct string_list programs = {0};
	bool catalogues;
	size_t bad, fragments = 0;

	options_parse(&options, argc, argv, &o);
	if (scenario_files_find_all(&files, o.args.arg, o.args.count, &err) < 0)
		return cmd_fail(&err, EXIT_USAGE);
	o.variants = o.plan ? value_list() : NULL;
	bad = check_all(&files, &o.args, &catalogues, &fragments, o.variants, &programs);
	if (o.plan && !bad)
		print_plan(steal(&o.variants));
	value_free(o.variants);
	if (bad)
		visible_complain("%zu of %zu files %s invalid", bad,
			 files.count + files.finding_count + fragments,
			 bad == 1 ? "is" : "are");
	else if (!o.quiet && !o.plan && catalogues)
		say_good(&files);
	if (!bad && !o.quiet && !o.plan)
		say_programs(&programs);
	scenario_files_fini(&files);
	return bad || !catalogues ? EXIT_USAGE : EXIT_OK;
}

const struct cmd cmd_check = {
	.name = "check",
	.doc = "check files of scenarios and known findings",
	.run = run_check,
	.options = &options,
};
