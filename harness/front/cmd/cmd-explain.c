/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/options.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "cmd/cmd-util.h"
#include "cmd/cmd.h"
#include "explain/explain.h"
#include "explain/page.h"

struct explain_args {
	struct option_args args;
	bool json;
};

static const struct option_line lines[] = {
	{"json", 0, NULL, "As JSON", OPT_FLAG(struct explain_args, json)},
	{NULL},
};

static void check(void *arguments, struct argp_state *state)
{
	const struct explain_args *a = arguments;

	if (!a->args.count)
		argp_error(state, "say what to explain: a code, an event, a clause, a step or a verdict");
}

static const struct options options = {
	.table = {{lines, 0}},
	OPTIONS_ARGS(struct explain_args, args),
	.check = check,
	.args_doc = "NAME...",
	.doc = "Say what a name means, what usually causes it, what to look at, and which clauses "
	       "and scenarios mention it. The passages about it in the manual pages of this "
	       "machine are read and shown.\vNAME is a code (EAI_NODATA, EBUSY, "
	       "RNR_RETRY_EXC_ERR), with or without its prefix, a number (12, -110, 0x81), a call "
	       "(ibv_modify_qp), an event, a state, a transition (UC:SQE-RTS), a counter of rxe, a "
	       "clause, a finding, a scenario, a step or a verdict; or a line that a program or a "
	       "report has printed; or - for such lines on standard input.\n"
	       "\n"
	       "Examples:\n"
	       "  verbatim explain 'Failed to modify QP to RTR: Invalid argument'\n"
	       "  verbatim explain -110 RNR_RETRY_EXC_ERR\n"
	       "  ./my-program 2>&1 | verbatim explain -",
};

/* The answers to all arguments, which are printed together. */
struct explanation_run {
	const struct survey *survey;
	struct coverage coverage;
	struct value *json;	/* NULL: text */
	bool first, ok;
};

/* Adds to the JSON, or prints. Takes over @matches. */
static void show_matches(struct explanation_run *r, struct value *matches)
{
	struct vbm_error err = {0};
	struct visible shown;
	size_t i;

	if (explain_devices_add(matches, r->survey, &r->coverage, &err) < 0) {
		visible_complain("%s", err.msg);
		r->ok = false;
	}
	for (i = 0; i < matches->list.count; i++) {
		page_citations_read(matches->list.item[i], page_read_man);
		if (r->json) {
			value_append(r->json, value_dup(matches->list.item[i]));
			continue;
		}
		if (!r->first)
			putchar('\n');
		r->first = false;
		explain_text(visible_begin(&shown, stdout), matches->list.item[i]);
		visible_end(&shown);
	}
	value_free(matches);
}

static void report_unknown_name(struct explanation_run *r, const char *name)
{
	auto_free char *hint = suggest_ending(explain_suggest(r->survey, &r->coverage, name));

	visible_complain("nothing is called '%s'%s", name, *hint ? hint : "; verbatim explain --help says what has a name");
	r->ok = false;
}

static void explain_one(struct explanation_run *r, const char *name)
{
	struct value *matches = explain_name(r->survey, &r->coverage, name);

	if (!matches->list.count)
		explain_line(matches, r->survey, &r->coverage, name);
	if (!matches->list.count)
		report_unknown_name(r, name);
	show_matches(r, matches);
}

/* Whether the arguments are the words of a line: one with small letters is no name. */
static bool is_line(const struct explanation_run *r, const struct option_args *o)
{
	int i;

	for (i = 0; o->count > 1 && i < o->count; i++) {
		auto_value struct value *matches = explain_name(r->survey, &r->coverage, o->arg[i]);

		if (!matches->list.count && strpbrk(o->arg[i], "abcdefghijklmnopqrstuvwxyz"))
			return true;
	}
	return false;
}

static bool explain_words(struct explanation_run *r, const struct option_args *o)
{
	struct value *matches = value_list();
	struct text line auto_text = {0};
	int i;

	for (i = 0; i < o->count; i++)
		text_addf(&line, "%s%s", i ? " " : "", o->arg[i]);
	explain_line(matches, r->survey, &r->coverage, line.s);
	if (!matches->list.count) {
		value_free(matches);
		return false;
	}
	show_matches(r, matches);
	return true;
}

/* The output of a program, for example: what is known in any of its lines, once. */
static void explain_input(struct explanation_run *r)
{
	struct value *matches = value_list();
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, stdin) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		explain_line(matches, r->survey, &r->coverage, line);
	}
	free(line);
	if (!matches->list.count) {
		visible_complain("standard input has nothing that is known");
		r->ok = false;
	}
	show_matches(r, matches);
}

static int explain_all(const struct explain_args *a, const struct survey *s)
{
	const struct option_args *o = &a->args;
	struct explanation_run r = {
		.survey = s, .json = a->json ? value_list() : NULL, .first = true, .ok = true,
	};
	int i;

	coverage_make(&r.coverage, s, NULL);
	if (o->count == 1 && !strcmp(o->arg[0], "-"))
		explain_input(&r);
	else if (!is_line(&r, o) || !explain_words(&r, o))
		for (i = 0; i < o->count; i++)
			explain_one(&r, o->arg[i]);
	coverage_fini(&r.coverage);
	if (r.json)
		cmd_print_json(r.json);
	return r.ok ? EXIT_OK : EXIT_USAGE;
}

/*
 * A negative number is no option. Puts "--" behind the options, then the other arguments
 * in their order. The caller frees the list.
 */
static char **set_numbers_aside(int argc, char **argv, int *count)
{
	static char end[] = "--";
	char **out = xcalloc((size_t)argc + 2, sizeof(*out));
	int i, n = 0, pass;

	out[n++] = argv[0];
	for (pass = 0; pass < 2; pass++) {
		if (pass)
			out[n++] = end;
		for (i = 1; i < argc; i++) {
			bool option = argv[i][0] == '-' && argv[i][1] && strcmp(argv[i], "--") != 0 &&
				      !explain_is_number(argv[i]);

			if (option == !pass && strcmp(argv[i], "--") != 0)
				out[n++] = argv[i];
		}
	}
	*count = n;
	return out;
}

static int run_explain(int argc, char **argv)
{
	struct explain_args a = {0};
	struct text problems auto_text = {0};
	struct vbm_error err = {0};
	struct survey s;
	auto_free char **words = set_numbers_aside(argc, argv, &argc);
	int ret;

	options_parse(&options, argc, words, &a);
	if (survey_load(&s, NULL, NULL, &problems, &err) < 0) {
		cmd_problems(&problems, &err);
		return EXIT_USAGE;
	}
	ret = explain_all(&a, &s);
	survey_fini(&s);
	return ret;
}

const struct cmd cmd_explain = {
	.name = "explain",
	.doc = "say what a code, a clause, a step or a verdict means",
	.run = run_explain,
	.options = &options,
};
