/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/cmd-verb.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "base/visible.h"

void cmd_verb_synopsis(const struct cmd_verbs *v, FILE *f)
{
	size_t i;

	for (i = 0; i < v->count; i++)
		fprintf(f, "%s verbatim %s %s%s\n", i ? "      " : "Usage:", v->command, v->verb[i].name,
			v->verb[i].args);
}

void cmd_verb_docs(const struct cmd_verbs *v, FILE *f)
{
	size_t i;

	for (i = 0; i < v->count; i++)
		fprintf(f, "  %-8s %s\n", v->verb[i].name, v->verb[i].doc);
}

int cmd_verb_run(const struct cmd_verbs *v, int argc, char **argv)
{
	struct suggestion s;
	auto_free char *hint = NULL;
	size_t i;

	if (argc < 2)
		return v->usage(stderr);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return v->usage(stdout);
	suggest_init(&s, argv[1]);
	for (i = 0; i < v->count; i++) {
		if (!strcmp(argv[1], v->verb[i].name))
			return v->verb[i].run(argc - 2, argv + 2);
		suggest_offer(&s, v->verb[i].name);
	}
	hint = suggest_ending(suggest_best(&s));
	visible_complain("%s: unknown verb '%s'%s", v->command, argv[1], hint);
	return v->usage(stderr);
}

int cmd_verb_wrong(const struct cmd_verbs *v, const char *verb, const char *what)
{
	visible_complain("%s %s: %s", v->command, verb, what);
	return v->usage(stderr);
}

const char *cmd_verb_name(const struct cmd_verbs *v, size_t i)
{
	return i < v->count ? v->verb[i].name : NULL;
}
