/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/options.h"
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
	struct option_args args;
	const char *file, *output, *record, *format;
	struct shard shard;
	int jobs;
	bool fresh, no_run, all, list;
};

static const struct option_line option_lines[] = {
	{"output", 'o', "DIR", "the folder of the matrix (default: the name of FILE, ending with .matrix)", OPT_TEXT(struct cmd_matrix_args, output)},
	{"format", 'f', "FORMAT", " (default: text)", OPT_ONE_OF(struct cmd_matrix_args, format, matrix_format_name)},
	{"jobs", 'j', "N", "run N cells at the same time (default: 1), each in one place", OPT_NUMBER(struct cmd_matrix_args, jobs, 1, CMD_JOBS_MAX)},
	{"shard", 0, "I/N", "run the cells of part I of N, or auto: see verbatim run", OPT_TAKE(struct cmd_matrix_args, shard, cmd_take_shard)},
	{"fresh", 0, NULL, "run all cells, also those that an earlier call completed", OPT_FLAG(struct cmd_matrix_args, fresh)},
	{"no-run", 0, NULL, "run no cell: report those that earlier calls completed", OPT_FLAG(struct cmd_matrix_args, no_run)},
	{"list", 0, NULL, "only check the file, and print the cells; kernels and builds need not be here", OPT_FLAG(struct cmd_matrix_args, list)},
	{"record", 0, "FILE", "write to FILE in which cells each finding was seen, for verbatim findings", OPT_TEXT(struct cmd_matrix_args, record)},
	{"all", 0, NULL, "print all variants that differ, not five of each group", OPT_FLAG(struct cmd_matrix_args, all)},
	{NULL},
};

static void check(void *arguments, struct argp_state *state)
{
	struct cmd_matrix_args *a = arguments;

	if (a->args.count > 1)
		argp_error(state, "name one file");
	if (!a->args.count)
		argp_error(state, "name the file of a matrix");
	if (a->fresh && a->no_run)
		argp_error(state, "--fresh runs all cells, and --no-run runs none");
	a->file = a->args.arg[0];
}

static const struct options options = {
	.table = {{option_lines, 0}},
	OPTIONS_ARGS(struct cmd_matrix_args, args),
	.check = check,
	.args_doc = "FILE",
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

	matrix_show(&page, s, "html");
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
static int report_results(const struct cmd_matrix_args *a, const struct results *r)
{
	struct differences d;
	struct shown_matrix s = {.results = r, .differences = &d, .limit = a->all ? 0 : SHOWN};
	struct text t auto_text = {0};
	int status = results_status(r);

	differences_make(&d, r);
	if ((write_page(&s) < 0 || (a->record && write_record(r, a->record) < 0)) && status == EXIT_OK)
		status = EXIT_FAILED;
	matrix_show(&t, &s, a->format);
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
	status = drive_cells(d, &err) < 0 ? EXIT_FAILED : report_results(a, &r);
	if (err.code)
		visible_complain("%s", err.msg);
	results_fini(&r);
	signals_close(&signals);
	return status;
}

/* Finds all that the cells need, before the first one runs. */
static int prepare_cells(const struct cmd_matrix_args *a, struct matrix *m, struct drive *d, struct diagnostics *diag)
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

static int run_matrix(int argc, char **argv)
{
	struct cmd_matrix_args a = {.format = matrix_format_name(0), .jobs = 1};
	auto_diagnostics struct diagnostics diag = {0};
	auto_matrix struct matrix m = {0};
	auto_free char *text = NULL;
	struct vbm_error err = {0};
	struct drive d = {0};
	size_t len = 0;
	int status = EXIT_USAGE;

	options_parse(&options, argc, argv, &a);
	d.jobs = a.jobs;
	d.fresh = a.fresh;
	d.no_run = a.no_run;
	if (scenario_file_read(a.file, &text, &len, &err) == 0 && matrix_parse(&m, text, len, &diag) == 0)
		status = prepare_cells(&a, &m, &d, &diag);
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
	.run = run_matrix,
	.options = &options,
};
