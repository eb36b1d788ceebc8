/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/complete.h"

#include <string.h>

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

void complete_each(const struct options *o, bool (*fn)(const struct option_line *line, void *arg), void *arg)
{
	size_t i;

	for (i = 0; o && i < OPTION_TABLES && o->table[i].line; i++)
		if (!each_in(o->table[i].line, fn, arg))
			return;
	if (o)
		each_in(own, fn, arg);
}

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
static const struct option_line *named(const struct options *options, const char *word)
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
		out->option = named(options, word);
		out->typed = eq + 1;
		out->before = (int)(eq + 1 - word);
	}
}

void complete_look(struct complete_place *out, const struct options *options, char *const *words, size_t count)
{
	const struct option_line *o;
	bool end = false;
	size_t i;

	memset(out, 0, sizeof(*out));
	for (i = 0; i + 1 < count; i++) {
		o = end ? NULL : named(options, words[i]);
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
