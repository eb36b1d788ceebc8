/* SPDX-License-Identifier: BSD-2-Clause */
#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value.h"
#include "base/visible.h"
#include "cmd-util.h"
#include "cmd.h"
#include "explain/explain.h"
#include "explain/page.h"
#include "explain/citation.h"

static const struct argp_option options[] = {
	CMD_OPTION_JSON,
	{0},
};

static error_t parse_opt(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key != ARGP_KEY_NO_ARGS)
		return cmd_args_parse(state->input, key, state);
	argp_error(state, "say what to explain: a code, an event, a clause, a step or a verdict");
	return 0;
}

static const struct argp argp = {
	.options = options,
	.parser = parse_opt,
	.args_doc = "NAME...",
	.doc = "Say what a name means, what usually causes it, what to look at, and which clauses "
	       "and scenarios mention it. The passages about it in the manual pages of this "
	       "machine are read and shown.\vNAME is a code (EAI_NODATA, EBUSY, "
	       "RNR_RETRY_EXC_ERR), an event, a state, a transition (UC:SQE-RTS), a clause, a "
	       "step or a verdict, with or without its prefix.",
};

/* Adds to @json, or prints if it is NULL. */
static bool explain_one(const struct survey *s, const struct coverage *c, const char *name,
			struct value *json, bool *first)
{
	auto_value struct value *matches = explain_name(s, c, name);
	auto_free char *hint = NULL;
	struct visible shown;
	size_t i;

	for (i = 0; i < matches->list.count; i++) {
		citations_read(matches->list.item[i], man_page_read);
		if (json) {
			value_append(json, value_dup(matches->list.item[i]));
			continue;
		}
		if (!*first)
			putchar('\n');
		*first = false;
		explain_text(visible_begin(&shown, stdout), matches->list.item[i]);
		visible_end(&shown);
	}
	if (matches->list.count)
		return true;
	hint = suggest_ending(explain_suggest(s, c, name));
	visible_complain("nothing is called '%s'%s", name, hint);
	return false;
}

static int explain_all(const struct cmd_args *o, const struct survey *s)
{
	auto_value struct value *json = o->json ? value_list() : NULL;
	struct coverage c;
	bool ok = true, first = true;
	int i;

	coverage_make(&c, s, NULL, NULL, NULL);
	for (i = 0; i < o->count; i++)
		ok = explain_one(s, &c, o->arg[i], json, &first) && ok;
	coverage_fini(&c);
	if (json) {
		auto_free char *text = json_write_pretty(json);

		puts(text);
	}
	return ok ? EXIT_OK : EXIT_USAGE;
}

static int run(int argc, char **argv)
{
	struct cmd_args o = {0};
	struct text problems auto_text = {0};
	struct vbm_error err = {0};
	struct survey s;
	int ret;

	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	if (survey_load(&s, NULL, &problems, &err) < 0) {
		cmd_problems(&problems, &err);
		return EXIT_USAGE;
	}
	ret = explain_all(&o, &s);
	survey_fini(&s);
	return ret;
}

const struct cmd cmd_explain = {
	.name = "explain",
	.doc = "say what a code, a clause, a step or a verdict means",
	.run = run,
};
