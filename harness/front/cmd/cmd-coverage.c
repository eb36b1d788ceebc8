/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "base/cleanup.h"
#include "base/options.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "cmd/cmd-util.h"
#include "cmd/cmd.h"
#include "coverage/show.h"
#include "event/read.h"
#include "lib/base/fail.h"
#include "names/device-types.h"
#include "names/targets.h"

/* Areas and groups of codes from the command line. */
struct names {
	char **item;	/* owned, the items too */
	size_t count;
};

struct coverage_options {
	struct option_args args;
	const char *target, *from;	/* borrowed from argv */
	const struct device_type *device;
	struct names shown, required;
	bool json, missing, complete;
};

static void add_names(struct names *names, const char *list, struct argp_state *state)
{
	size_t n;

	/*
	 * An empty list, for example from an empty variable of a script, would require
	 * nothing.
	 */
	if (!*list)
		argp_error(state, "--area and --require take an area or a group of codes");

	for (; *list; list += n, list += *list == ',') {
		n = strcspn(list, ",");
		GROW(names->item, names->count);
		names->item[names->count++] = xstrndup(list, n);
	}
}

static void names_fini(struct names *names)
{
	size_t i;

	for (i = 0; i < names->count; i++)
		free(names->item[i]);
	free(names->item);
}

static void take_names(void *names, const struct option_line *line, char *arg, struct argp_state *state)
{
	(void)line;
	add_names(names, arg, state);
}

static void take_target(void *target, const struct option_line *line, char *arg, struct argp_state *state)
{
	if (!choice_has(target_name, arg) && access(arg, F_OK) < 0)
		option_refuse(state, line, target_name, " or a path that is there", arg);
	*(const char **)target = arg;
}

static void take_device(void *type, const struct option_line *line, char *arg, struct argp_state *state)
{
	const struct device_type **device = type;

	*device = device_type_find(arg);
	if (!*device)
		option_refuse(state, line, device_type_name, "", arg);
}

static const struct option_line lines[] = {
	{"target", 0, "TARGET", " or a path: count only what scenarios show about that target",
	 OPT_TAKE(struct coverage_options, target, take_target), .names = target_name},
	{"device", 0, "DEVICE", ": count only what scenarios show about devices of this type",
	 OPT_TAKE(struct coverage_options, device, take_device), .names = device_type_name},
	{"from", 0, "DIR", "Count only variants that passed or failed as expected in the run that wrote DIR (verbatim run --output)",
	 OPT_TEXT(struct coverage_options, from)},
	{"area", 0, "AREA,...", "Print only these areas of clauses or groups of codes", OPT_TAKE(struct coverage_options, shown, take_names)},
	{"missing", 0, NULL, "Print only the lists of missing clauses and codes", OPT_FLAG(struct coverage_options, missing)},
	{"require", 0, "AREA,...", "Exit with 1 if something in these areas or groups is missing",
	 OPT_TAKE(struct coverage_options, required, take_names)},
	{"complete", 0, NULL, "Exit with 1 if any of these clauses or codes is missing", OPT_FLAG(struct coverage_options, complete)},
	{"json", 0, NULL, "As JSON", OPT_FLAG(struct coverage_options, json)},
	{NULL},
};

static void check_folder(void *arguments, struct argp_state *state)
{
	const struct coverage_options *o = arguments;

	if (o->args.count > 1)
		argp_error(state, "Too many arguments");
}

static const struct options options = {
	.table = {{lines, 0}},
	OPTIONS_ARGS(struct coverage_options, args),
	.check = check_folder,
	.args_doc = "[DIR]",
	.doc = "Say which clauses and codes the scenarios of DIR prove, and which are "
	       "missing.\vWithout DIR, the scenarios that come with the program count.",
};

static bool has_group(const struct coverage *c, const char *name, struct suggestion *s)
{
	size_t i;

	suggest_offer(s, COVER_STATEMENTS);
	if (!strcmp(name, COVER_STATEMENTS))
		return true;
	for (i = 0; i < c->clause_count; i++) {
		suggest_offer(s, c->clause[i].group);
		if (!strcmp(c->clause[i].group, name))
			return true;
	}
	for (i = 0; i < c->code_count; i++) {
		suggest_offer(s, c->code[i].group);
		if (!strcmp(c->code[i].group, name))
			return true;
	}
	return false;
}

static bool check_names(const struct coverage *c, const struct names *names)
{
	struct suggestion s;
	size_t i;

	for (i = 0; i < names->count; i++) {
		auto_free char *hint = NULL;

		suggest_init(&s, names->item[i]);
		if (has_group(c, names->item[i], &s))
			continue;
		hint = suggest_ending(suggest_best(&s));
		visible_complain("no area and no group of codes is called '%s'%s", names->item[i], hint);
		return false;
	}
	return true;
}

static size_t missing_in(const struct coverage *c, const char *group)
{
	if (group && !strcmp(group, COVER_STATEMENTS))
		return cover_statements_missing(c->statements);
	return cover_tally(c->clause, c->clause_count, group, COVER_MISSING) +
	       cover_tally(c->code, c->code_count, group, COVER_MISSING);
}

static size_t all_missing(const struct coverage *c, const struct names *shown)
{
	size_t i, n = 0;

	for (i = 0; i < shown->count; i++)
		n += missing_in(c, shown->item[i]);
	return shown->count ? n : missing_in(c, NULL);
}

static int judge_required(const struct coverage *c, const struct coverage_options *o)
{
	size_t i, n;
	int ret = EXIT_OK;

	for (i = 0; i < o->required.count; i++) {
		n = missing_in(c, o->required.item[i]);
		if (!n)
			continue;
		visible_complain("%s: %zu missing", o->required.item[i], n);
		ret = EXIT_FAILED;
	}
	n = o->complete ? all_missing(c, &o->shown) : 0;
	if (n)
		visible_complain("%zu missing", n);
	return n ? EXIT_FAILED : ret;
}

static int show_coverage(const struct coverage_options *o, const struct survey *s,
			 const struct stored_run *from, const char *target, const char *calls)
{
	const struct cover_view view = {
		.target = target, .from = o->from, .device = o->device ? o->device->name : NULL, .group = o->shown.item,
		.group_count = o->shown.count, .missing = o->missing,
	};
	const struct cover_filter filter = {.target = target, .calls = calls, .device = o->device, .from = from};
	struct visible shown;
	struct coverage c;
	int ret = EXIT_USAGE;

	coverage_make(&c, s, &filter);
	if (check_names(&c, &o->shown) && check_names(&c, &o->required)) {
		if (o->json) {
			cmd_print_json(cover_json(&c, s, &view));
		} else {
			cover_text(visible_begin(&shown, stdout), &c, &view);
			visible_end(&shown);
		}
		ret = judge_required(&c, o);
	}
	coverage_fini(&c);
	return ret;
}

/* The calls that the target has on this machine. As in a run, only an agent opens a target. */
static int with_calls(const struct coverage_options *o, const struct survey *s)
{
	struct agent_options opts = {.target = o->target, .log_fd = -1};
	struct agent *agent = NULL;
	struct vbm_error err;
	int ret;

	if (!o->target)
		return show_coverage(o, s, NULL, NULL, NULL);
	snprintf(opts.host.name, sizeof(opts.host.name), "-");
	if (agent_start(&agent, &opts, &err) < 0)
		return cmd_fail(&err, EXIT_USAGE);
	ret = show_coverage(o, s, NULL, o->target, value_get_string(agent_offers(agent), "calls", ""));
	agent_stop(agent);
	return ret;
}

/* Reads the run of --from before the survey, which takes seconds, so that a wrong name is told at once. */
static int load_from(struct coverage_options *o, struct stored_run *from, struct vbm_error *err)
{
	int rc = o->from ? stored_load(from, o->from, err) : 0;
	const char *device;

	if (rc < 0 || !o->from)
		return rc;
	if (o->target && strcmp(o->target, from->target) != 0)
		return vbm_fail(err, EINVAL, "the run in %s was of the target %s, not %s", o->from, from->target, o->target);
	device = event_string_or(from->summary, "device", device_type_default()->name);
	if (o->device && strcmp(o->device->name, device) != 0)
		return vbm_fail(err, EINVAL, "the run in %s was of devices of %s, not %s", o->from, device, o->device->name);
	if (strcmp(device, device_type_default()->name) != 0)
		o->device = device_type_find(device);
	return 0;
}

/* coverage.tsv and the other tables of a suite hold for the default devices. */
static int check_survey(const struct coverage_options *o, const struct survey *s, struct text *problems,
			struct vbm_error *err)
{
	return o->device && o->device != device_type_default() ? 0 : survey_check(s, problems, err);
}

static int run_coverage(int argc, char **argv)
{
	struct coverage_options o = {0};
	struct text problems auto_text = {0};
	struct vbm_error err = {0};
	struct stored_run from = {0};
	struct survey s = {0};
	int ret = EXIT_USAGE;

	options_parse(&options, argc, argv, &o);
	if (load_from(&o, &from, &err) < 0 ||
	    survey_load(&s, o.args.count ? o.args.arg[0] : NULL, o.device, &problems, &err) < 0 ||
	    check_survey(&o, &s, &problems, &err) < 0)
		cmd_problems(&problems, &err);
	else
		ret = o.from ? show_coverage(&o, &s, &from, from.target, NULL) : with_calls(&o, &s);
	stored_fini(&from);
	survey_fini(&s);
	names_fini(&o.shown);
	names_fini(&o.required);
	return ret;
}

const struct cmd cmd_coverage = {
	.name = "coverage",
	.doc = "say which clauses and codes the scenarios prove",
	.run = run_coverage,
	.options = &options,
};
