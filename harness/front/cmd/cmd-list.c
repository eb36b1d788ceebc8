/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/options.h"
#include "base/value.h"
#include "base/visible.h"
#include "cmd/cmd-util.h"
#include "cmd/cmd.h"
#include "catalogue/clauses.h"
#include "catalogue/files.h"
#include "catalogue/fragments.h"
#include "catalogue/suite.h"
#include "lib/base/fail.h"
#include "vocab/vocab.h"

struct list_options {
	struct option_args args;
	bool json;
	const char *what;	/* the option of a list; NULL: scenarios */
};

static void take_list(void *arguments, const struct option_line *line, char *arg, struct argp_state *state)
{
	struct list_options *o = arguments;

	(void)arg;
	if (o->what)
		argp_error(state, "one kind of list at a time");
	o->what = line->name;
}

static const struct option_line lines[] = {
	{"steps", 0, NULL, "The steps with their parameters and results", OPT_TAKE_ALL(take_list)},
	{"clauses", 0, NULL, "The clauses that scenarios prove, of a suite's folder", OPT_TAKE_ALL(take_list)},
	{"fragments", 0, NULL, "The fragments with their parameters, of a suite's folder", OPT_TAKE_ALL(take_list)},
	{"schema", 0, NULL, "A JSON schema of scenario files, for editors", OPT_TAKE_ALL(take_list)},
	{"man", 0, NULL, "The steps as a part of a manual page", OPT_TAKE_ALL(take_list)},
	{"json", 0, NULL, "As JSON", OPT_FLAG(struct list_options, json)},
	{NULL},
};

static void check(void *arguments, struct argp_state *state)
{
	const struct list_options *o = arguments;
	bool one_folder = o->what && (!strcmp(o->what, "clauses") || !strcmp(o->what, "fragments"));

	if (o->what && o->args.count > one_folder)
		argp_error(state, one_folder ? "the clauses or fragments of one folder at a time" :
			   "only lists of scenarios, clauses and fragments take files or folders");
}

static const struct options options = {
	.table = {{lines, 0}},
	OPTIONS_ARGS(struct list_options, args),
	.check = check,
	.args_doc = "[FILE|DIR|ID]...",
	.doc = "List the scenarios of files and folders, or the steps, fragments and clauses for "
	       "writing them.\vWithout arguments it lists the scenarios that come with the "
	       "program.",
};

static int list_steps(const struct list_options *o)
{
	if (o->json)
		cmd_print_json(vocab_json());
	else
		vocab_text(stdout);
	return EXIT_OK;
}

static void print_fragment(FILE *to, const struct value *f)
{
	const struct value *params = value_get(f, "parameters"), *p;
	size_t i;

	fprintf(to, "%s: %s\n    %s\n", value_get_string(f, "name", ""),
		value_get_string(f, "fragment", ""), value_get_string(f, "path", ""));
	for (i = 0; i < params->list.count; i++) {
		auto_free char *shown = NULL;

		p = params->list.item[i];
		shown = value_get(p, "default") ? value_show(value_get(p, "default")) : NULL;
		fprintf(to, "    %-20s %s%s%s%s%s\n", value_get_string(p, "name", ""),
			value_get_string(p, "doc", ""), shown ? " (default " : "",
			shown ? shown : "", shown ? ")" : "",
			value_get_bool(p, "required", false) ? " (required)" : "");
	}
	fputc('\n', to);
}

static int list_fragments(const struct list_options *o)
{
	const char *dir = o->args.count ? o->args.arg[0] : NULL;
	struct visible shown;
	struct value *list;
	size_t i;

	if (dir && access(dir, R_OK | X_OK) < 0) {
		visible_complain("%s: %s", dir, strerror(errno));
		return EXIT_USAGE;
	}
	list = fragments_describe(dir);

	if (o->json) {
		cmd_print_json(list);
		return EXIT_OK;
	}
	visible_begin(&shown, stdout);
	for (i = 0; i < list->list.count; i++)
		print_fragment(shown.stream, list->list.item[i]);
	visible_end(&shown);
	value_free(list);
	return EXIT_OK;
}

static int list_schema(const struct list_options *o)
{
	auto_value struct value *fragments = fragments_describe(NULL);

	(void)o;
	cmd_print_json(vocab_schema(fragments));
	return EXIT_OK;
}

static int list_man(const struct list_options *o)
{
	auto_value struct value *fragments = fragments_describe(NULL);

	(void)o;
	vocab_man(stdout, fragments);
	return EXIT_OK;
}

static void clauses_json(const struct clauses *clauses)
{
	struct value *list = value_list(), *m;
	size_t i;

	for (i = 0; i < clauses->own; i++) {
		m = value_map();
		value_set_string(m, "id", clauses->item[i].id);
		value_set_string(m, "area", clauses->item[i].area);
		value_set_string(m, "source", clauses->item[i].source);
		value_set_string(m, "statement", clauses->item[i].statement);
		value_set_string(m, "observe", clauses->item[i].observe);
		value_set_string(m, "reachability", clauses->item[i].reachability);
		value_set_string(m, "decision", clauses->item[i].decision);
		value_append(list, m);
	}
	cmd_print_json(list);
}

/* The suite of the argument, else the default suite. */
static int find_suite(char **out, const struct list_options *o, struct vbm_error *err)
{
	auto_free char *dir = NULL;

	if (!o->args.count)
		return suite_default(out, err);
	dir = realpath(o->args.arg[0], NULL);
	if (!dir)
		return vbm_fail(err, errno, "%s: %s", o->args.arg[0], strerror(errno));
	*out = suite_of(dir);
	if (!*out)
		*out = steal(&dir);
	return 0;
}

static int list_clauses(const struct list_options *o)
{
	auto_free char *dir = NULL;
	struct clauses clauses = {0};
	struct vbm_error err = {0};
	struct visible shown;
	size_t i;

	if (find_suite(&dir, o, &err) < 0 || clauses_load(&clauses, dir, &err) < 0)
		return cmd_fail(&err, EXIT_USAGE);
	if (o->json)
		clauses_json(&clauses);
	visible_begin(&shown, stdout);
	for (i = 0; !o->json && i < clauses.own; i++)
		fprintf(shown.stream, "%-28s %-8s %s\n", clauses.item[i].id,
			clauses.item[i].reachability, clauses.item[i].statement);
	visible_end(&shown);
	clauses_fini(&clauses);
	return EXIT_OK;
}

static struct value *scenario_json(const struct scenario *s, const struct scenario_file *file)
{
	struct value *m = value_map(), *clauses = value_list(), *names = value_list();
	size_t i;

	for (i = 0; i < s->clause_count; i++)
		value_append(clauses, value_string(s->clauses[i]));
	for (i = 0; i < s->plan.count; i++)
		if (scenario_file_wants(file, s->plan.item[i].name))
			value_append(names, value_string(s->plan.item[i].name));
	value_set_string(m, "id", s->id);
	value_set_string(m, "title", s->title);
	value_set_string(m, "path", s->path);
	value_set_int(m, "hosts", s->plan.item[0].hosts);
	value_set(m, "clauses", clauses);
	value_set(m, "requires", value_dup(s->plan.item[0].needs));
	value_set(m, "variants", names);
	return m;
}

/* Prints one line, whatever characters the name has. */
static void print_scenario(const struct scenario *s)
{
	auto_free char *id = visible_line(s->id), *title = visible_line(s->title);

	printf("%-40s %s\n", id, title);
}

/* Adds to @json, or prints if it is NULL. */
static bool list_one(const struct scenario_file *file, struct value *json)
{
	struct diagnostics diag = {0};
	struct scenario *s = NULL;
	struct vbm_error err = {0};
	bool ok = scenario_file_load(&s, file, &diag, &err) == 0;

	if (!ok)
		cmd_complain(file->path, &diag, &err);
	else if (json)
		value_append(json, scenario_json(s, file));
	else
		print_scenario(s);
	diagnostics_fini(&diag);
	scenario_free(s);
	return ok;
}

static int list_scenarios(const struct list_options *o)
{
	struct value *json = o->json ? value_list() : NULL;
	struct scenario_files files;
	struct vbm_error err = {0};
	bool ok = true;
	size_t i;

	if (scenario_files_find(&files, o->args.arg, o->args.count, &err) < 0) {
		visible_complain("%s", err.msg);
		value_free(json);
		return EXIT_USAGE;
	}
	for (i = 0; i < files.count; i++)
		ok = list_one(&files.item[i], json) && ok;
	if (json)
		cmd_print_json(json);
	scenario_files_fini(&files);
	return ok ? EXIT_OK : EXIT_USAGE;
}

static const struct {
	const char *what;
	int (*run)(const struct list_options *o);
} lists[] = {
	{"steps", list_steps}, {"clauses", list_clauses}, {"schema", list_schema}, {"man", list_man}, {"fragments", list_fragments},
};

static int run_list(int argc, char **argv)
{
	struct list_options o = {0};
	size_t i;

	options_parse(&options, argc, argv, &o);
	for (i = 0; o.what && strcmp(lists[i].what, o.what) != 0; i++)
		;
	return o.what ? lists[i].run(&o) : list_scenarios(&o);
}

const struct cmd cmd_list = {
	.name = "list",
	.doc = "list scenarios, steps, clauses or fragments",
	.run = run_list,
	.options = &options,
};
