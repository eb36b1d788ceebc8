/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strlist.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "catalogue/files.h"
#include "catalogue/finding.h"
#include "catalogue/suite.h"
#include "cmd/cmd.h"
#include "cmd/complete.h"
#include "guest/kernel.h"

/*
 * For the completion of shells (completions/): prints each word that may stand where the
 * last word is, a tab, and what it means. The line ":files" or ":dirs" says that files or
 * folders may stand there, too.
 */

/* The word that is typed: its first @before characters stay. */
struct cmd_complete_word {
	const char *before;
	int before_len;
	const char *typed;
};

/* A name with a tab or a newline in it cannot be typed by a completion. */
static bool is_typeable(const char *name)
{
	return name[0] && name[strcspn(name, "\t\n\r\033")] == '\0';
}

static void offer(const struct cmd_complete_word *w, const char *name, const char *doc)
{
	if (strncmp(name, w->typed, strlen(w->typed)) != 0 || !is_typeable(name))
		return;
	printf("%.*s%s\t%.*s\n", w->before_len, w->before, name, (int)strcspn(doc, "\n"), doc);
}

static void offer_files(const struct cmd_complete_word *w)
{
	(void)w;
	puts(":files");
}

static void offer_dirs(const struct cmd_complete_word *w)
{
	(void)w;
	puts(":dirs");
}

/* Up to the next slash, as file names are completed. */
static void offer_part(const struct cmd_complete_word *w, const char *id, struct string_list *parts)
{
	size_t n = strlen(w->typed), part;

	if (strncmp(id, w->typed, n) != 0)
		return;
	part = n + strcspn(id + n, "/");
	if (id[part]) {
		auto_free char *name = xstrndup(id, part + 1);

		string_list_add(parts, name);
	} else {
		string_list_add(parts, id);
	}
}

static void offer_scenarios(const struct cmd_complete_word *w)
{
	auto_string_list struct string_list parts = {0};
	struct scenario_files files;
	size_t i;

	if (scenario_files_find(&files, NULL, 0, NULL) == 0) {
		for (i = 0; i < files.count; i++)
			offer_part(w, files.item[i].id, &parts);
		scenario_files_fini(&files);
	}
	for (i = 0; i < parts.count; i++)
		offer(w, parts.item[i], "");
	puts(":files");
}

static void offer_findings(const struct cmd_complete_word *w)
{
	auto_free char *suite = NULL, *dir = NULL;
	struct findings all = {0};
	size_t i;

	if (suite_default(&suite, NULL) < 0)
		return;
	dir = xasprintf("%s/" SUITE_FINDINGS, suite);
	findings_load(&all, dir, NULL);
	for (i = 0; i < all.count; i++)
		offer(w, all.item[i].name, all.item[i].what);
	findings_fini(&all);
}

static void offer_kernels(const struct cmd_complete_word *w)
{
	static const char *const docs[KERNEL_KINDS] = {
		[KERNEL_GUEST] = "kernel for lane guest", [KERNEL_UML] = "kernel for lane uml",
	};
	int kind;
	size_t i;

	for (kind = 0; kind < KERNEL_KINDS; kind++) {
		auto_kernel_list struct kernel_list list = {0};

		kernel_store_list(&list, (enum kernel_kind)kind);
		for (i = 0; i < list.count; i++)
			offer(w, list.item[i].release, docs[kind]);
	}
	puts(":files");
}

/* A fabric has at least these hosts. */
static const char *const hosts[] = {"a", "b"};

static void offer_hosts(const struct cmd_complete_word *w)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(hosts); i++)
		offer(w, hosts[i], "host");
}

static void offer_host_commands(const struct cmd_complete_word *w)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(hosts); i++) {
		auto_free char *word = xasprintf("%s=", hosts[i]);

		offer(w, word, "command of this host");
	}
	offer(w, "all=", "command of each host");
}

static void offer_trace(const struct cmd_complete_word *w)
{
	offer(w, "verbs", "calls of libibverbs and librdmacm that fail");
}

struct cmd_complete_source {
	const char *name;	/* of a command, an option or a placeholder */
	void (*offer)(const struct cmd_complete_word *w);
};

static void offer_from(const struct cmd_complete_source *list, size_t count, const char *name,
		       const struct cmd_complete_word *w)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (strcmp(list[i].name, name) != 0)
			continue;
		list[i].offer(w);
		return;
	}
}

/* Values, by the placeholder that an option has in its help text. */
static const struct cmd_complete_source placeholders[] = {
	{"DIR", offer_dirs}, {"DIR[:ro]", offer_dirs}, {"FILE", offer_files},
	{"HOST", offer_hosts}, {"HOSTS=COMMAND", offer_host_commands}, {"HOST=COMMAND", offer_host_commands},
	{"HOST=REGEX", offer_host_commands}, {"PATH", offer_files}, {"RUN", offer_files},
	{"TARGET", offer_files}, {"verbs", offer_trace},
};

/* Values of options whose placeholder says too little. */
static const struct cmd_complete_source values[] = {{"kernel", offer_kernels}};

/* What belongs to no option, by command. */
static const struct cmd_complete_source arguments[] = {
	{"check", offer_scenarios}, {"compare", offer_files}, {"coverage", offer_dirs},
	{"findings", offer_findings}, {"kernel", offer_kernels}, {"list", offer_scenarios}, {"report", offer_files},
	{"run", offer_scenarios}, {"shell", offer_hosts},
};

static void offer_value(const struct option_line *line, const struct cmd_complete_word *w)
{
	size_t i;

	if (!line || !line->arg)
		return;
	for (i = 0; line->names && line->names(i); i++)
		offer(w, line->names(i), "");
	offer_from(placeholders, ARRAY_SIZE(placeholders), line->arg, w);
	offer_from(values, ARRAY_SIZE(values), line->name, w);
}

static bool offer_option(const struct option_line *line, void *arg)
{
	auto_free char *name = xasprintf("--%s", line->name), *doc = option_doc(line);

	offer(arg, name, doc);
	return true;
}

static void offer_commands(const struct cmd_complete_word *w)
{
	const struct cmd *c;
	size_t i;

	for (i = 0; (c = cmd_nth(i)); i++)
		if (c->doc)
			offer(w, c->name, c->doc);
	if (w->typed[0] == '-') {
		offer(w, "--help", "Give this help list");
		offer(w, "--version", "Print the version");
	}
}

static void offer_words(const struct cmd *c, const struct cmd_complete_word *w)
{
	size_t i;

	for (i = 0; c->word(i); i++)
		offer(w, c->word(i), "");
}

static void complete_command(const struct cmd *c, char **words, size_t count)
{
	struct complete_place place;
	struct cmd_complete_word w = {.before = words[count - 1]};

	complete_look(&place, c->options, words, count);
	w.before_len = place.before;
	w.typed = place.typed;
	switch (place.kind) {
	case COMPLETE_OPTION:
		if (c->options)
			complete_each(c->options, offer_option, &w);
		else
			offer(&w, "--help", "Give this help text");
		break;
	case COMPLETE_VALUE:
		offer_value(place.option, &w);
		break;
	case COMPLETE_ARGUMENT:
		if (c->word && !place.argument)
			offer_words(c, &w);
		else
			offer_from(arguments, ARRAY_SIZE(arguments), c->name, &w);
		break;
	}
}

static int run(int argc, char **argv)
{
	struct cmd_complete_word first = {.before = ""};
	const struct cmd *c;
	size_t i;

	if (argc < 3 || strcmp(argv[1], "--") != 0) {
		visible_complain("complete: usage: verbatim complete -- WORD...; the completions of shells call it");
		return EXIT_USAGE;
	}
	first.typed = argv[2];
	if (argc == 3)
		offer_commands(&first);
	for (i = 0; argc > 3 && (c = cmd_nth(i)); i++)
		if (!strcmp(c->name, argv[2]))
			complete_command(c, argv + 3, (size_t)argc - 3);
	return EXIT_OK;
}

const struct cmd cmd_complete = {
	.name = "complete",
	.run = run,
};
