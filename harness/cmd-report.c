/* SPDX-License-Identifier: BSD-2-Clause */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/choice.h"
#include "base/visible.h"
#include "cmd-util.h"
#include "cmd.h"
#include "page/page.h"
#include "report/report.h"
#include "stored/stored.h"

struct cmd_report_args {
	struct cmd_args common;
	const struct report_ops *format;	/* NULL: none */
	const char *html, *suite;
};

enum { KEY_HTML = 1000, KEY_SUITE };

static const struct argp_option options[] = {
	{"format", 'f', "FORMAT", 0, "print the last RUN in this format:", 0},
	{"html", KEY_HTML, "FILE", 0, "write a page about the last RUN to FILE, with the others beside it", 0},
	{"suite", KEY_SUITE, "DIR", 0, "take the texts of clauses and findings from the suite in DIR", 0},
	{0},
};

static char *help(int key, const char *text, void *input)
{
	static const struct choice_option names[] = {{'f', report_name}, {0, NULL}};

	(void)input;
	return choice_help(names, key, text);
}

static error_t parse_opt(int key, char *arg, struct argp_state *state)
{
	struct cmd_report_args *a = state->input;

	switch (key) {
	case 'f':
		a->format = report_find(arg);
		if (!a->format)
			cmd_no_such(state, "--format", report_name, "", arg);
		return 0;
	case KEY_HTML:
		a->html = arg;
		return 0;
	case KEY_SUITE:
		a->suite = arg;
		return 0;
	case ARGP_KEY_END:
		if (a->common.count == 0)
			argp_error(state, "name a run");
		if (!a->format && !a->html)
			argp_error(state, "say what to make: --html FILE or --format FORMAT");
		return 0;
	default:
		return cmd_args_parse(&a->common, key, state);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_opt,
	.args_doc = "RUN...",
	.help_filter = help,
	.doc = "Make reports from runs that have ended. A RUN is the folder of run --output or the events of run --format "
	       "json; before the last one, the file of run --history may stand, for its last run.\v"
	       "Examples:\n"
	       "  verbatim report evidence/ --html page.html\n"
	       "  verbatim report linux-6.1/ linux-7.3/ --html page.html   both, side by side\n"
	       "  verbatim report --format junit events.jsonl >junit.xml",
};

static void to_page(const struct value *event, void *arg)
{
	page_event(arg, event);
}

static void to_report(const struct value *event, void *arg)
{
	report_event(arg, event);
}

static int print(const struct cmd_report_args *a, const char *path, struct vbm_error *err)
{
	const struct report_options opts = {.out = stdout};
	struct report *report = report_open(a->format, &opts);
	int rc = stored_events(path, to_report, report, err);

	report_close(report);	/* main() tells errors of standard output */
	return rc;
}

static int make_page(const struct cmd_report_args *a, struct vbm_error *err)
{
	struct page *page = page_new(a->suite);
	struct page_file file;
	struct stored_run run;
	int i, rc = page_file_open(&file, a->html, err);

	for (i = 0; rc == 0 && i + 1 < a->common.count; i++) {
		rc = stored_read(&run, a->common.arg[i], 0, err);
		if (rc < 0)
			break;
		page_earlier(page, &run);
		stored_fini(&run);
	}
	if (rc == 0)
		rc = stored_events(a->common.arg[i], to_page, page, err);
	if (page_file_close(&file, rc == 0 ? page : NULL, err) < 0 && rc == 0)
		rc = -err->code;
	page_free(page);
	return rc;
}

static int run(int argc, char **argv)
{
	struct cmd_report_args a = {{0}};
	struct vbm_error err = {0};

	if (argp_parse(&argp, argc, argv, 0, NULL, &a))
		return EXIT_USAGE;
	if ((a.html && make_page(&a, &err) < 0) ||
	    (a.format && print(&a, a.common.arg[a.common.count - 1], &err) < 0)) {
		visible_complain("%s", err.msg);
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

const struct cmd cmd_report = {
	.name = "report",
	.doc = "make a page or a report from runs that have ended",
	.run = run,
};
