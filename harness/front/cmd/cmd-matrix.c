/* SPDX-License-Identifier: BSD-2-Clause */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/choice.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "base/value.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "catalogue/files.h"
#include "catalogue/finding.h"
#include "catalogue/suite.h"
#include "cmd/cmd-util.h"
#include "cmd/cmd.h"
#include "matrix/drive.h"
#include "matrix/show.h"
#include "runs/shard.h"

#define SHOWN 5	/* variants of each group, without --all */

struct cmd_matrix_args {
	const char *file, *output, *record;
	const struct matrix_format *format;
	struct shard shard;
	int jobs;
	bool fresh, no_run, all, list;
};

enum { KEY_FRESH = 1000, KEY_ALL, KEY_LIST, KEY_RECORD, KEY_SHARD, KEY_NO_RUN };

static const struct argp_option options[] = {
	{"output", 'o', "DIR", 0, "the folder of the matrix (default: the name of FILE, ending with .matrix)", 0},
	{"format", 'f', "FORMAT", 0, " (default: text)", 0},
	{"jobs", 'j', "N", 0, "run N cells at the same time (default: 1), each in one place", 0},
	{"shard", KEY_SHARD, "I/N", 0, "run the cells of part I of N, or auto: see verbatim run", 0},
	{"fresh", KEY_FRESH, NULL, 0, "run all cells, also those that an earlier call completed", 0},
	{"no-run", KEY_NO_RUN, NULL, 0, "run no cell: report those that earlier calls completed", 0},
	{"list", KEY_LIST, NULL, 0, "only check the file, and print the cells; kernels and builds need not be here", 0},
	{"record", KEY_RECORD, "FILE", 0, "write to FILE in which cells each finding was seen, for verbatim findings", 0},
	{"all", KEY_ALL, NULL, 0, "print all variants that differ, not five of each group", 0},
	{0},
};

static char *help(int key, const char *text, void *input)
{
	static const struct choice_option names[] = {{'f', matrix_format_name}, {0, NULL}};

	(void)input;
	return choice_help(names, key, text);
}

static void set_jobs(struct cmd_matrix_args *a, const char *arg, struct argp_state *state)
{
	int64_t n;

	if (!number_read(arg, 1, CMD_JOBS_MAX, &n))
		argp_error(state, "--jobs takes a number from 1 to %d, not '%s'", CMD_JOBS_MAX, arg);
	a->jobs = (int)n;
}

static error_t parse_opt(int key, char *arg, struct argp_state *state)
{
	struct cmd_matrix_args *a = state->input;
	struct vbm_error err = {0};

	switch (key) {
	case 'o':
		a->output = arg;
		return 0;
	case 'f':
		a->format = matrix_format_find(arg);
		if (!a->format)
			cmd_no_such(state, "--format", matrix_format_name, "", arg);
		return 0;
	case 'j':
		set_jobs(a, arg, state);
		return 0;
	case KEY_SHARD:
		if (shard_read(&a->shard, arg, &err) < 0)
			argp_error(state, "%s", err.msg);
		return 0;
	case KEY_FRESH:
		a->fresh = true;
		return 0;
	case KEY_NO_RUN:
		a->no_run = true;
		return 0;
	case KEY_LIST:
		a->list = true;
		return 0;
	case KEY_RECORD:
		a->record = arg;
		return 0;
	case KEY_ALL:
		a->all = true;
		return 0;
	case ARGP_KEY_ARG:
		if (a->file)
			argp_error(state, "name one file");
		a->file = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "name the file of a matrix");
		return 0;
	case ARGP_KEY_END:
		if (a->fresh && a->no_run)
			argp_error(state, "--fresh runs all cells, and --no-run runs none");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_opt,
	.args_doc = "FILE",
	.help_filter = help,
	.doc = "Run scenarios in each cell of a matrix: kernels, releases of rdma-core, layouts, lanes, devices and "
	       "targets; and say in what the cells differ. FILE is in YAML; verbatim(1) has its keys. The folder of "
	       "the matrix gets a page, index.html, and a folder of evidence for each cell. Cells that an earlier call "
	       "completed are kept.\v"
	       "Examples:\n"
	       "  verbatim matrix versions.yaml\n"
	       "  verbatim matrix --list versions.yaml\n"
	       "  verbatim matrix --format json -o /tmp/out versions.yaml\n"
	       "\n"
	       "Exit status: 0 if all is as expected in all cells, 1 if something is not or a cell broke off, 2 for an "
	       "invalid file, 3 if there was no place for a cell, or a kernel or an rdma-core is not on this machine."};

static char *folder_of(const char *file)
{
	size_t len = strlen(file), suffix = strlen(SCENARIO_SUFFIX);

	if (scenario_file_has_suffix(file))
		len -= suffix;
	return xasprintf("%.*s.matrix", (int)len, file);
}

static int write_page(const struct shown_matrix *s)
{
	auto_free char *path = xasprintf("%s/index.html", s->results->dir);
	struct text page auto_text = {0};
	struct vbm_error err = {0};

	matrix_show_html(&page, s);
	if (file_replace(path, page.s, &err) == 0)
		return 0;
	visible_complain("%s", err.msg);
	return -1;
}

static int write_record(const struct results *r, const char *path)
{
	auto_free char *suite = NULL, *dir = NULL;
	struct findings findings = {0};
	struct text lines auto_text = {0};
	struct vbm_error err = {0};
	int rc = suite_default(&suite, &err);

	if (rc == 0) {
		dir = xasprintf("%s/" SUITE_FINDINGS, suite);
		rc = findings_load(&findings, dir, &err);
	}
	if (rc == 0) {
		matrix_record(&lines, r, &findings);
		rc = file_replace(path, lines.s, &err);
	}
	findings_fini(&findings);
	if (rc < 0)
		visible_complain("%s", err.msg);
	return rc;
}

/* Returns the exit status. */
static int report(const struct cmd_matrix_args *a, const struct results *r)
{
	struct differences d;
	struct shown_matrix s = {.results = r, .differences = &d, .limit = a->all ? 0 : SHOWN};
	struct text t auto_text = {0};
	int status = results_status(r);

	differences_make(&d, r);
	if ((write_page(&s) < 0 || (a->record && write_record(r, a->record) < 0)) && status == EXIT_OK)
		status = EXIT_FAILED;
	a->format->put(&t, &s);
	visible_put(t.s, stdout);
	differences_fini(&d);
	return status;
}

static void print_cells(const struct matrix *m)
{
	size_t i;

	for (i = 0; i < m->cells; i++) {
		auto_free char *line = visible_line(m->cell[i].name);

		puts(line);
	}
}

static int run_cells(const struct cmd_matrix_args *a, const struct matrix *m, struct drive *d)
{
	auto_free char *dir = a->output ? xstrdup(a->output) : folder_of(a->file);
	auto_free bool *mine = xcalloc(m->cells, sizeof(*mine));
	auto_close int lock = -1;
	struct vbm_error err = {0};
	struct signals signals;
	struct results r;
	int status;
	size_t i;

	for (i = 0; i < m->cells; i++)
		mine[i] = shard_holds(&a->shard, m->cell[i].name);
	d->mine = mine;
	results_init(&r, m, dir);
	d->results = &r;
	d->signals = &signals;
	lock = results_lock(&r, &err);
	if (lock < 0 || signals_open(&signals, &err) < 0) {
		visible_complain("%s", err.msg);
		results_fini(&r);
		return EXIT_USAGE;
	}
	status = drive_cells(d, &err) < 0 ? EXIT_FAILED : report(a, &r);
	if (err.code)
		visible_complain("%s", err.msg);
	results_fini(&r);
	signals_close(&signals);
	return status;
}

/* Finds all that the cells need, before the first one runs. */
static int settle(const struct cmd_matrix_args *a, struct matrix *m, struct drive *d, struct diagnostics *diag)
{
	struct text lines auto_text = {0};

	d->files = matrix_find_scenarios(m, a->file, &d->args, diag, &lines);
	if (lines.s)
		fputs(lines.s, stderr);
	if (diag->count || a->list)
		return diag->count ? EXIT_USAGE : EXIT_OK;
	matrix_settle(m, a->file, diag);
	return diag->count ? EXIT_NO_FABRIC : EXIT_OK;
}

static int run(int argc, char **argv)
{
	struct cmd_matrix_args a = {.format = &matrix_formats[0], .jobs = 1};
	auto_diagnostics struct diagnostics diag = {0};
	auto_matrix struct matrix m = {0};
	auto_free char *text = NULL;
	struct vbm_error err = {0};
	struct drive d = {0};
	size_t len = 0;
	int status = EXIT_USAGE;

	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &a);
	d.jobs = a.jobs;
	d.fresh = a.fresh;
	d.no_run = a.no_run;
	if (scenario_file_read(a.file, &text, &len, &err) == 0 && matrix_parse(&m, text, len, &diag) == 0)
		status = settle(&a, &m, &d, &diag);
	if (status != EXIT_OK)
		cmd_complain(a.file, &diag, &err);
	else if (a.list)
		print_cells(&m);
	else
		status = run_cells(&a, &m, &d);
	value_free(d.files);
	string_list_fini(&d.args);
	return status;
}

const struct cmd cmd_matrix = {
	.name = "matrix",
	.doc = "run scenarios with several kernels and releases of rdma-core",
	.run = run,
	.argp = &argp,
};
