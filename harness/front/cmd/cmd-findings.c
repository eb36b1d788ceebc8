/* SPDX-License-Identifier: BSD-2-Clause */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/choice.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "base/visible.h"
#include "cmd/cmd-util.h"
#include "cmd/cmd.h"
#include "findings/list.h"
#include "findings/pages.h"
#include "findings/seen.h"
#include "names/device-types.h"

struct cmd_findings_args {
	struct findings_wanted wanted;
	const struct findings_format *format;
	const char *suite;
	const char *pages;	/* the folder; NULL: none are wanted */
	struct value *runs;	/* borrowed; list of paths */
};

enum { KEY_LAYER = 1000, KEY_DEVICE, KEY_KIND, KEY_SEVERITY, KEY_FORMAT, KEY_SUITE, KEY_PAGES, KEY_RUN };

static const struct argp_option options[] = {
	{"layer", KEY_LAYER, "LAYER", 0, "only findings of librdmacm, glibc, rdma_rxe...", 0},
	{"device", KEY_DEVICE, "DEVICE", 0, ": only findings that devices of this type can have", 0},
	{"kind", KEY_KIND, "KIND", 0, ": only findings of this kind", 0},
	{"severity", KEY_SEVERITY, "SEVERITY", 0, ": only findings of this severity", 0},
	{"format", KEY_FORMAT, "FORMAT", 0, " (default: text)", 0},
	{"suite", KEY_SUITE, "DIR", 0, "the findings of the suite in DIR", 0},
	{"pages", KEY_PAGES, "DIR", 0, "print nothing, and write a page for each finding to DIR, and an index to DIR.md", 0},
	{"run", KEY_RUN, "RUN", 0, "with --pages: take from RUN what the hosts did; may be given more than once", 0},
	{0},
};

static const char *kind_name(size_t i)
{
	return i < FINDING_KINDS ? finding_kinds[i] : NULL;
}

static const char *severity_name(size_t i)
{
	return i < FINDING_SEVERITIES ? finding_severities[i] : NULL;
}

static const char *format_name(size_t i)
{
	return findings_formats[i].name;
}

static char *help(int key, const char *text, void *input)
{
	static const struct choice_option names[] = {
		{KEY_DEVICE, device_type_name}, {KEY_KIND, kind_name}, {KEY_SEVERITY, severity_name}, {KEY_FORMAT, format_name},
		{0, NULL},
	};

	(void)input;
	return choice_help(names, key, text);
}

/* Returns @arg, which has to be one of the names. */
static const char *one_of(choice_name *name, const char *arg, const char *option,
			  struct argp_state *state)
{
	if (!choice_has(name, arg))
		cmd_no_such(state, option, name, "", arg);
	return arg;
}

static error_t parse_opt(int key, char *arg, struct argp_state *state)
{
	struct cmd_findings_args *a = state->input;

	switch (key) {
	case KEY_LAYER:
		a->wanted.layer = arg;
		return 0;
	case KEY_DEVICE:
		a->wanted.device = one_of(device_type_name, arg, "--device", state);
		return 0;
	case KEY_KIND:
		a->wanted.kind = one_of(kind_name, arg, "--kind", state);
		return 0;
	case KEY_SEVERITY:
		a->wanted.severity = one_of(severity_name, arg, "--severity", state);
		return 0;
	case KEY_SUITE:
		a->suite = arg;
		return 0;
	case KEY_FORMAT:
		a->format = findings_format_find(one_of(format_name, arg, "--format", state));
		return 0;
	case KEY_PAGES:
		a->pages = arg;
		return 0;
	case KEY_RUN:
		value_append(a->runs, value_string(arg));
		return 0;
	case ARGP_KEY_END:
		if (a->runs->list.count && !a->pages)
			argp_error(state, "--run is for --pages");
		return 0;
	case ARGP_KEY_ARGS:
		a->wanted.name = state->argv + state->next;
		a->wanted.names = (size_t)(state->argc - state->next);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_opt,
	.args_doc = "[NAME...]",
	.help_filter = help,
	.doc = "Print the known faults of the stack: bugs (memory errors, crashes, hangs), "
	       "deviations from manual pages and specifications, differences in points that these "
	       "leave open, documentation bugs, and faults of other projects; at the end the "
	       "findings that the newest versions no longer have.\vExamples:\n"
	       "  verbatim findings --kind bug\n"
	       "  verbatim findings --layer rdma_rxe --format md\n"
	       "  verbatim findings --format json canonical-names\n"
	       "  verbatim findings --pages docs/findings --run evidence/",
};

/* Whether each name is that of a finding. */
static bool are_there(const struct value *list, const struct findings_wanted *w)
{
	bool chosen = w->layer || w->kind || w->severity, ok = true;
	size_t i;

	for (i = 0; i < w->names; i++) {
		if (findings_list_has(list, w->name[i]))
			continue;
		visible_complain("no finding is called '%s'%s: verbatim findings prints all", w->name[i],
			 chosen ? ", or it is not of that layer, kind or severity" : "");
		ok = false;
	}
	return ok;
}

/* What the hosts did in the runs that were named; the first run that shows a finding counts. */
static int read_runs(const struct value *runs, struct value *traces, struct vbm_error *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < runs->list.count; i++)
		rc = findings_traces(traces, runs->list.item[i]->s, err);
	return rc;
}

static int write_pages(const struct cmd_findings_args *a, const struct survey *s, const struct value *list)
{
	auto_value struct value *traces = value_map();
	struct vbm_error err = {0};

	if (read_runs(a->runs, traces, &err) < 0 ||
	    findings_pages_write(list, s->dir, a->pages, traces, &err) < 0) {
		visible_complain("%s", err.msg);
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

static int show(const struct cmd_findings_args *a, const struct survey *s)
{
	auto_value struct value *list = NULL, *seen = NULL;
	struct vbm_error err = {0};
	struct visible shown;

	if (a->wanted.layer && !findings_have_layer(s, a->wanted.layer)) {
		visible_complain("no finding is of a layer called '%s'", a->wanted.layer);
		return EXIT_USAGE;
	}
	list = findings_list(s, &a->wanted);
	seen = findings_seen_load(s->dir, &err);
	if (err.code) {
		visible_complain("%s", err.msg);
		return EXIT_USAGE;
	}
	if (seen)
		findings_seen_add(seen, list);
	if (!are_there(list, &a->wanted))
		return EXIT_USAGE;
	if (a->pages)
		return write_pages(a, s, list);
	a->format->print(visible_begin(&shown, stdout), list);
	visible_end(&shown);
	return EXIT_OK;
}

static int run(int argc, char **argv)
{
	auto_value struct value *runs = value_list();
	struct cmd_findings_args a = {.format = &findings_formats[0], .runs = runs};
	struct text problems auto_text = {0};
	struct vbm_error err = {0};
	struct survey s;
	int ret;

	if (argp_parse(&argp, argc, argv, 0, NULL, &a))
		return EXIT_USAGE;
	if (survey_load(&s, a.suite, NULL, &problems, &err) < 0) {
		cmd_problems(&problems, &err);
		return EXIT_USAGE;
	}
	ret = show(&a, &s);
	survey_fini(&s);
	return ret;
}

const struct cmd cmd_findings = {
	.name = "findings",
	.doc = "print the known faults of the stack",
	.run = run,
	.argp = &argp,
};
