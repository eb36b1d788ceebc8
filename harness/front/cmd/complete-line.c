/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/complete.h"

#include <string.h>

/* argp adds --help and --usage to each command. */
static const struct argp_option own[] = {
	{"help", '?', NULL, 0, "Give this help list", 0},
	{"usage", 0x1ff, NULL, 0, "Give a short usage message", 0},
	{0},
};
static const struct argp own_argp = {.options = own};

static bool is_end(const struct argp_option *o)
{
	return !o->name && !o->key && !o->doc && !o->group;
}

static bool each_in(const struct argp *argp, bool (*fn)(const struct complete_option *o, void *arg),
		    void *arg)
{
	const struct argp_child *child;
	struct complete_option o = {.argp = argp};

	for (o.line = argp->options; o.line && !is_end(o.line); o.line++)
		if (o.line->name && !(o.line->flags & (OPTION_HIDDEN | OPTION_DOC)) && !fn(&o, arg))
			return false;
	for (child = argp->children; child && child->argp; child++)
		if (!each_in(child->argp, fn, arg))
			return false;
	return true;
}

void complete_each(const struct argp *argp, bool (*fn)(const struct complete_option *o, void *arg),
		   void *arg)
{
	if (each_in(argp, fn, arg))
		each_in(&own_argp, fn, arg);
}

struct complete_wanted {
	const char *name;	/* "format" */
	size_t len;
	int key;		/* of "-f", or 0 */
	struct complete_option found;
};

static bool is_not_it(const struct complete_option *o, void *arg)
{
	struct complete_wanted *w = arg;

	if (w->key ? o->line->key != w->key :
		     strlen(o->line->name) != w->len || strncmp(o->line->name, w->name, w->len) != 0)
		return true;
	w->found = *o;
	return false;
}

/* The option that the word names, "--format", "--format=" or "-f"; its line is NULL if none does. */
static struct complete_option named(const struct argp *argp, const char *word)
{
	struct complete_wanted w = {0};

	if (word[0] == '-' && word[1] == '-') {
		w.name = word + 2;
		w.len = strcspn(w.name, "=");
	} else if (word[0] == '-' && word[1] && !word[2]) {
		w.key = word[1];
	} else {
		return w.found;
	}
	complete_each(argp, is_not_it, &w);
	return w.found;
}

/* Whether the word is an option whose value is the next word. */
static bool takes_next(const struct complete_option *o, const char *word)
{
	return o->line && o->line->arg && !(o->line->flags & OPTION_ARG_OPTIONAL) && !strchr(word, '=');
}

/* The last word, if no word before it wants it. */
static void look_at_last(struct complete_place *out, const struct argp *argp, const char *word,
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
		out->option = named(argp, word);
		out->typed = eq + 1;
		out->before = (int)(eq + 1 - word);
	}
}

void complete_look(struct complete_place *out, const struct argp *argp, char *const *words,
		   size_t count)
{
	struct complete_option o;
	bool end = false;
	size_t i;

	memset(out, 0, sizeof(*out));
	for (i = 0; i + 1 < count; i++) {
		o = end ? (struct complete_option){0} : named(argp, words[i]);
		if (!end && !strcmp(words[i], "--")) {
			end = true;
		} else if (takes_next(&o, words[i]) && i + 2 == count) {
			out->kind = COMPLETE_VALUE;
			out->option = o;
			out->typed = words[count - 1];
			return;
		} else if (takes_next(&o, words[i])) {
			i++;
		} else if (end || words[i][0] != '-') {
			out->argument++;
		}
	}
	look_at_last(out, argp, words[count - 1], end);
}
