/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/options.h"
#include "base/text.h"
#include "base/value.h"
#include "base/visible.h"
#include "cmd/cmd-util.h"
#include "cmd/cmd.h"
#include "findings/list.h"
#include "names/device-types.h"

struct cmd_findings_args {
	struct findings_wanted wanted;
	struct option_args args;
	const char *format, *suite;
	const char *pages;	/* the folder; NULL: none are wanted */
	const char **run;	/* owned; paths */
	size_t runs;
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

static const struct option_line lines[] = {
	{"layer", 0, "LAYER", "only findings of librdmacm, glibc, rdma_rxe...", OPT_TEXT(struct cmd_findings_args, wanted.layer)},
	{"device", 0, "DEVICE", ": only findings that devices of this type can have",
	 OPT_ONE_OF(struct cmd_findings_args, wanted.device, device_type_name)},
	{"kind", 0, "KIND", ": only findings of this kind", OPT_ONE_OF(struct cmd_findings_args, wanted.kind, kind_name)},
	{"severity", 0, "SEVERITY", ": only findings of this severity", OPT_ONE_OF(struct cmd_findings_args, wanted.severity, severity_name)},
	{"format", 0, "FORMAT", " (default: text)", OPT_ONE_OF(struct cmd_findings_args, format, format_name)},
	{"suite", 0, "DIR", "the findings of the suite in DIR", OPT_TEXT(struct cmd_findings_args, suite)},
	{"pages", 0, "DIR", "print nothing, and write a page for each finding to DIR, and an index to DIR.md",
	 OPT_TEXT(struct cmd_findings_args, pages)},
	{"run", 0, "RUN", "with --pages: take from RUN what the hosts did; may be given more than once",
	 OPT_LIST(struct cmd_findings_args, run, runs)},
	{NULL},
};

static void check(void *arguments, struct argp_state *state)
{
	const struct cmd_findings_args *a = arguments;

	if (a->runs && !a->pages)
		argp_error(state, "--run is for --pages");
}

static const struct options options = {
	.table = {{lines, 0}},
	OPTIONS_ARGS(struct cmd_findings_args, args),
	.check = check,
	.args_doc = "[NAME...]",
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

/* Reads from the runs that were named how the hosts acted; the first run that shows a finding counts. */
static int read_runs(const struct cmd_findings_args *a, struct value *traces, struct vbm_error *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < a->runs; i++)
		rc = findings_traces(traces, a->run[i], err);
	return rc;
}

static int write_pages(const struct cmd_findings_args *a, const struct survey *s, const struct value *list)
{
	auto_value struct value *traces = value_map();
	struct vbm_error err = {0};

	if (read_runs(a, traces, &err) < 0 ||
	    findings_pages_write(list, s->dir, a->pages, traces, &err) < 0)
		return cmd_fail(&err, EXIT_USAGE);
	return EXIT_OK;
}

static int show_findings(const struct cmd_findings_args *a, const struct survey *s)
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
	if (err.code)
		return cmd_fail(&err, EXIT_USAGE);
	if (seen)
		findings_seen_add(seen, list);
	if (!are_there(list, &a->wanted))
		return EXIT_USAGE;
	if (a->pages)
		return write_pages(a, s, list);
	findings_format_find(a->format)->print(visible_begin(&shown, stdout), list);
	visible_end(&shown);
	return EXIT_OK;
}

static int run_findings(int argc, char **argv)
{
	struct cmd_findings_args a = {.format = format_name(0)};
	struct text problems auto_text = {0};
	struct vbm_error err = {0};
	struct survey s;
	int ret = EXIT_USAGE;

	options_parse(&options, argc, argv, &a);
	a.wanted.name = a.args.arg;
	a.wanted.names = (size_t)a.args.count;
	if (survey_load(&s, a.suite, NULL, &problems, &err) == 0) {
		ret = show_findings(&a, &s);
		survey_fini(&s);
	} else {
		cmd_problems(&problems, &err);
	}
	free(a.run);
	return ret;
}

const struct cmd cmd_findings = {
	.name = "findings",
	.doc = "print the known faults of the stack",
	.run = run_findings,
	.options = &options,
};
