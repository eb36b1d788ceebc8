/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/options.h"
#include "base/text.h"
#include "base/visible.h"
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

struct export_args {
	struct run_options run;
	struct option_args args;
	const char *variant;
	bool c;
};

static const struct option_line lines[] = {
	{"c", 0, NULL, "as a program in C", OPT_FLAG(struct export_args, c)},
	{"variant", 0, "GLOB", "the variant, if the scenario has several", OPT_TEXT(struct export_args, variant)},
	{NULL},
};

static void check(void *arguments, struct argp_state *state)
{
	const struct export_args *a = arguments;

	if (a->args.count > 1)
		argp_error(state, "export takes one scenario; '%s' is one more", a->args.arg[1]);
	if (!a->args.count)
		argp_error(state, "name a scenario: FILE or ID");
	if (!a->c)
		argp_error(state, "name the form: --c writes a program in C");
}

static const struct options options = {
	.table = {{lines, 0}}, OPTIONS_ARGS(struct export_args, args), .check = check, .args_doc = "FILE|ID", .doc = doc,
};

static int write_variant(const struct selection *sel)
{
	auto_text struct text out = {0};
	struct vbm_error err;

	if (sel->plan.count != 1) {
		visible_complain("the scenario has %zu variants: choose one with --variant, such as '%s'", sel->plan.count,
				 sel->plan.item[0].name);
		return EXIT_USAGE;
	}
	if (export_c(&sel->plan.item[0], &out, &err) < 0)
		return cmd_fail(&err, EXIT_USAGE);
	fputs(out.s, stdout);
	return EXIT_OK;
}

static int run_export(int argc, char **argv)
{
	struct export_args a = {.c = false};
	struct selection sel = {.root = NULL};
	int status;

	options_parse(&options, argc, argv, &a);
	a.run.paths = a.args.arg;
	a.run.filters = (char **)(uintptr_t)&a.variant;
	a.run.filter_count = a.variant != NULL;
	a.run.path_count = 1;
	status = selection_make(&sel, &a.run);
	if (status == EXIT_OK)
		status = write_variant(&sel);
	selection_fini(&sel);
	return status;
}

const struct cmd cmd_export = {
	.name = "export",
	.doc = "write a scenario as a program in C",
	.run = run_export,
	.options = &options,
};
