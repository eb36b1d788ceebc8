/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/options.h"
#include "base/visible.h"
#include "cmd/cmd-util.h"
#include "cmd/cmd.h"
#include "runs/merge.h"
#include "page/page.h"
#include "report/report.h"
#include "runs/stored.h"

struct cmd_report_args {
	struct option_args args;
	const char *format;	/* NULL: none */
	const char *html, *suite;
	const char *mutants, *code;	/* files, or NULL */
	bool merge, partial;
	struct merge *merged;		/* owned; NULL without --merge */
};

static const struct option_line lines[] = {
	{"format", 'f', "FORMAT", ": print the last RUN in this format", OPT_ONE_OF(struct cmd_report_args, format, report_name)},
	{"html", 0, "FILE", "write a page about the last RUN to FILE, with the others beside it", OPT_TEXT(struct cmd_report_args, html)},
	{"merge", 0, NULL, "the RUNs are the shards of one run (run --shard): report the whole run", OPT_FLAG(struct cmd_report_args, merge)},
	{"partial", 0, NULL, "with --merge: report what is there if shards are missing or were broken off",
	 OPT_FLAG(struct cmd_report_args, partial)},
	{"suite", 0, "DIR", "take the texts of clauses and findings from the suite in DIR", OPT_TEXT(struct cmd_report_args, suite)},
	{"mutants", 0, "FILE", "with --html: show which mutants were killed; FILE is what make check-mutants printed",
	 OPT_TEXT(struct cmd_report_args, mutants)},
	{"code", 0, "FILE", "with --html: show the coverage of code; FILE is docs/code-coverage.md, as scripts/code-coverage writes it",
	 OPT_TEXT(struct cmd_report_args, code)},
	{NULL},
};

static void check(void *arguments, struct argp_state *state)
{
	const struct cmd_report_args *a = arguments;

	if (a->args.count == 0)
		argp_error(state, "name a run");
	if (!a->format && !a->html)
		argp_error(state, "say what to make: --html FILE or --format FORMAT");
	if (a->partial && !a->merge)
		argp_error(state, "--partial goes with --merge");
}

static const struct options options = {
	.table = {{lines, 0}},
	OPTIONS_ARGS(struct cmd_report_args, args),
	.check = check,
	.args_doc = "RUN...",
	.doc = "Make reports from runs that have ended. A RUN is the folder of run --output or the events of run --format "
	       "json; before the last one, the file of run --history may stand, for its last run.\v"
	       "Examples:\n"
	       "  verbatim report evidence/ --html page.html\n"
	       "  verbatim report linux-6.1/ linux-7.3/ --html page.html   both, side by side\n"
	       "  verbatim report --format junit events.jsonl >junit.xml\n"
	       "  verbatim report --merge shard-*/ --html page.html        one run of many machines",
};

static void to_page(const struct value *event, void *arg)
{
	page_event(arg, event);
}

static void to_report(const struct value *event, void *arg)
{
	report_event(arg, event);
}

static int feed_events(const struct cmd_report_args *a, const char *path, stored_event_fn *fn, void *arg, struct vbm_error *err)
{
	return a->merged ? merge_events(a->merged, fn, arg, err) : pieces_stored_events(path, fn, arg, err);
}

static int print(const struct cmd_report_args *a, const char *path, struct vbm_error *err)
{
	const struct report_ops *format = report_find(a->format);
	struct report_options opts = {.out = stdout};
	struct stored_run earlier = {0};
	struct report *report;
	int rc = 0;

	if (format->compares && !a->merged && a->args.count > 1) {
		rc = stored_read(&earlier, a->args.arg[a->args.count - 2], 0, err);
		opts.earlier = stored_verdict_of;
		opts.earlier_run = &earlier;
	}
	if (rc == 0) {
		report = report_open(format, &opts);
		rc = feed_events(a, path, to_report, report, err);
		report_close(report);	/* main() tells errors of standard output */
	}
	stored_fini(&earlier);
	return rc;
}

static int add_earlier(const struct cmd_report_args *a, struct page *page, struct vbm_error *err)
{
	struct stored_run run;
	int i, rc = 0;

	for (i = 0; rc == 0 && !a->merged && i + 1 < a->args.count; i++) {
		rc = stored_read(&run, a->args.arg[i], 0, err);
		if (rc < 0)
			break;
		page_earlier(page, &run);
		stored_fini(&run);
	}
	return rc;
}

/* The page also shows files that other programs measured. */
static int add_coverage(const struct cmd_report_args *a, struct page *page, struct vbm_error *err)
{
	auto_free char *mutants = NULL, *code = NULL;

	if ((a->mutants && file_read(a->mutants, &mutants, NULL, err) < 0) ||
	    (a->code && file_read(a->code, &code, NULL, err) < 0))
		return -err->code;
	if (mutants)
		page_tried(page, mutants);
	if (code)
		page_code(page, code);
	return 0;
}

/* EXIT_FAILED: the page is there, but it is not what the run counted. */
static int tell_sums(const struct cmd_report_args *a, const struct page *page)
{
	auto_free char *differ = page_disagrees(page);

	if (!differ)
		return EXIT_OK;
	visible_complain("%s: events are missing, or not those of one run: %s", a->args.arg[a->args.count - 1],
			 differ);
	return EXIT_FAILED;
}

static int make_page(const struct cmd_report_args *a)
{
	struct page *page = page_new(a->suite);
	struct vbm_error err = {0};
	struct page_file file;
	int ret, rc = page_file_open(&file, a->html, &err);

	if (rc == 0)
		rc = add_earlier(a, page, &err);
	if (rc == 0)
		rc = add_coverage(a, page, &err);
	if (rc == 0)
		rc = feed_events(a, a->args.arg[a->args.count - 1], to_page, page, &err);
	if (page_file_close(&file, rc == 0 ? page : NULL, &err) < 0 && rc == 0)
		rc = -err.code;
	if (rc < 0)
		visible_complain("%s", err.msg);
	ret = rc < 0 ? EXIT_USAGE : a->merged ? EXIT_OK : tell_sums(a, page);
	page_free(page);
	return ret;
}

static int make_reports(const struct cmd_report_args *a)
{
	struct vbm_error err = {0};
	int ret = a->html ? make_page(a) : EXIT_OK;

	if (ret != EXIT_USAGE && a->format && print(a, a->args.arg[a->args.count - 1], &err) < 0)
		return cmd_fail(&err, EXIT_USAGE);
	return ret == EXIT_OK && a->merged && merge_status(a->merged) ? EXIT_FAILED : ret;
}

static int run_report(int argc, char **argv)
{
	struct cmd_report_args a = {0};
	struct vbm_error err = {0};
	int ret;

	options_parse(&options, argc, argv, &a);
	if (a.merge && merge_open(&a.merged, a.args.arg, (size_t)a.args.count, a.partial, &err) < 0)
		return cmd_fail(&err, EXIT_USAGE);
	ret = make_reports(&a);
	merge_close(a.merged);
	return ret;
}

const struct cmd cmd_report = {
	.name = "report",
	.doc = "make a page or a report from runs that have ended",
	.run = run_report,
	.options = &options,
};
