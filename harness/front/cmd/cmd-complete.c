/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/options.h"
#include "base/strlist.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "catalogue/files.h"
#include "catalogue/finding.h"
#include "catalogue/suite.h"
#include "cmd/cmd-verb.h"
#include "cmd/cmd.h"
#include "guest/kernel.h"

/*
 * For the completion of shells (completions/): prints each word that may stand where the
 * last word is, a tab, and what it means. The line ":files" or ":dirs" says that files or
 * folders may stand there, too.
 */

/* argp adds --help and --usage to each command. */
static const struct option_line own[] = {
	{"help", '?', NULL, "Give this help list"},
	{"usage", 0, NULL, "Give a short usage message"},
	{NULL},
};

static bool each_in(const struct option_line *line, bool (*fn)(const struct option_line *line, void *arg), void *arg)
{
	for (; line->name; line++)
		if (!fn(line, arg))
			return false;
	return true;
}

/* Calls @fn with each option, until it returns false. @o may be NULL: a command without tables. */
static void complete_each(const struct options *o, bool (*fn)(const struct option_line *line, void *arg), void *arg)
{
	size_t i;

	for (i = 0; o && i < OPTION_TABLES && o->table[i].line; i++)
		if (!each_in(o->table[i].line, fn, arg))
			return;
	if (o)
		each_in(own, fn, arg);
}

enum complete_kind {
	COMPLETE_OPTION,	/* the name of an option */
	COMPLETE_VALUE,		/* the value of an option */
	COMPLETE_ARGUMENT,	/* anything that belongs to no option */
};

struct complete_place {
	enum complete_kind kind;
	const struct option_line *option;	/* for a value; NULL: an unknown one */
	size_t argument;	/* for an argument: how many stand before it */
	const char *typed;	/* its first characters; borrowed from the words */
	int before;		/* the characters of the last word before them: "--format=" */
};

struct complete_wanted {
	const char *name;	/* "format" */
	size_t len;
	int letter;		/* of "-f", or 0 */
	const struct option_line *found;
};

static bool is_not_it(const struct option_line *line, void *arg)
{
	struct complete_wanted *w = arg;

	if (w->letter ? line->letter != w->letter : strlen(line->name) != w->len || strncmp(line->name, w->name, w->len) != 0)
		return true;
	w->found = line;
	return false;
}

/* The option that the word names, "--format", "--format=" or "-f"; NULL if none does. */
static const struct option_line *option_named(const struct options *options, const char *word)
{
	struct complete_wanted w = {0};

	if (word[0] == '-' && word[1] == '-') {
		w.name = word + 2;
		w.len = strcspn(w.name, "=");
	} else if (word[0] == '-' && word[1] && !word[2]) {
		w.letter = word[1];
	} else {
		return w.found;
	}
	complete_each(options, is_not_it, &w);
	return w.found;
}

/* Whether the word is an option whose value is the next word. */
static bool takes_next(const struct option_line *line, const char *word)
{
	return line && line->arg && !line->optional && !strchr(word, '=');
}

/* The last word, if no word before it wants it. */
static void look_at_last(struct complete_place *out, const struct options *options, const char *word,
			 bool options_end)
{
	const char *eq = strchr(word, '=');

	out->typed = word;
	if (options_end || word[0] != '-') {
		out->kind = COMPLETE_ARGUMENT;
	} else if (!eq || word[1] != '-') {
		out->kind = COMPLETE_OPTION;
	} else {
		out->kind = COMPLETE_VALUE;
		out->option = option_named(options, word);
		out->typed = eq + 1;
		out->before = (int)(eq + 1 - word);
	}
}

/*
 * The place of the last of the @count words, of which there is at least one. The words begin
 * behind the command's name.
 */
static void complete_look(struct complete_place *out, const struct options *options, char *const *words, size_t count)
{
	const struct option_line *o;
	bool end = false;
	size_t i;

	memset(out, 0, sizeof(*out));
	for (i = 0; i + 1 < count; i++) {
		o = end ? NULL : option_named(options, words[i]);
		if (!end && !strcmp(words[i], "--")) {
			end = true;
		} else if (takes_next(o, words[i]) && i + 2 == count) {
			out->kind = COMPLETE_VALUE;
			out->option = o;
			out->typed = words[count - 1];
			return;
		} else if (takes_next(o, words[i])) {
			i++;
		} else if (end || words[i][0] != '-') {
			out->argument++;
		}
	}
	look_at_last(out, options, words[count - 1], end);
}

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

/* Words that belong to no option, by command. */
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

static void offer_verbs(const struct cmd_verbs *v, const struct cmd_complete_word *w)
{
	size_t i;

	for (i = 0; i < v->count; i++)
		offer(w, v->verb[i].name, "");
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
		if (c->verbs && !place.argument)
			offer_verbs(c->verbs, &w);
		else
			offer_from(arguments, ARRAY_SIZE(arguments), c->name, &w);
		break;
	}
}

static int run_complete(int argc, char **argv)
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
	.run = run_complete,
};
