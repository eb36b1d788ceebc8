/* SPDX-License-Identifier: BSD-2-Clause */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/out.h"
#include "base/text.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "cmd/cmd-util.h"
#include "cmd/cmd.h"
#include "export/export.h"
#include "run/selection.h"

static const char doc[] =
	"Write a scenario as one C program that uses libibverbs alone, for those who want to see a failure without "
	"Verbatim.\v"
	"The program runs once on each of two hosts, which take turns; its first lines say how to build and run it.\n"
	"\n"
	"Examples:\n"
	"  verbatim export --c bug.yaml > bug.c\n"
	"  verbatim export --c data/send --variant 'data/send[ip=4,mtu=1024,length=1]'";

enum { OPT_C = 256, OPT_VARIANT };

static const struct argp_option options[] = {
	{"c", OPT_C, NULL, 0, "as a program in C", 0},
	{"variant", OPT_VARIANT, "GLOB", 0, "the variant, if the scenario has several", 0},
	{0},
};

struct export_args {
	struct run_options run;
	char *path, *filter;
	bool c;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct export_args *a = state->input;

	switch (key) {
	case OPT_C:
		a->c = true;
		return 0;
	case OPT_VARIANT:
		a->filter = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (a->path)
			argp_error(state, "export takes one scenario; '%s' is one more", arg);
		a->path = arg;
		return 0;
	case ARGP_KEY_END:
		if (!a->path)
			argp_error(state, "name a scenario: FILE or ID");
		if (!a->c)
			argp_error(state, "name the form: --c writes a program in C");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {options, parse, "FILE|ID", doc, NULL, NULL, NULL};

static int write_variant(const struct selection *sel)
{
	auto_text struct text out = {0};
	struct vbm_error err;

	if (sel->plan.count != 1) {
		visible_complain("the scenario has %zu variants: choose one with --variant, such as '%s'", sel->plan.count,
				 sel->plan.item[0].name);
		return EXIT_USAGE;
	}
	if (export_c(&sel->plan.item[0], &out, &err) < 0) {
		visible_complain("%s", err.msg);
		return EXIT_USAGE;
	}
	fputs(out.s, stdout);
	return EXIT_OK;
}

static int run(int argc, char **argv)
{
	struct export_args a = {.c = false};
	struct selection sel = {.root = NULL};
	int status;

	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &a);
	a.run.paths = &a.path;
	a.run.path_count = 1;
	a.run.filters = &a.filter;
	a.run.filter_count = a.filter != NULL;
	status = selection_make(&sel, &a.run);
	if (status == EXIT_OK)
		status = write_variant(&sel);
	selection_fini(&sel);
	return status;
}

const struct cmd cmd_export = {
	.name = "export",
	.doc = "write a scenario as a program in C",
	.run = run,
	.argp = &argp,
};
