/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/exec-report.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "explain/table.h"

#define TAIL 4096

void exec_hint_hear(struct exec_hint *h, const char *data, size_t len)
{
	text_add_printed(&h->tail, data, len);
	/* Not each time, because that would move all of it for each few bytes. */
	if (h->tail.len > 2 * TAIL)
		text_keep_end(&h->tail, TAIL);
}

void exec_hint_fini(struct exec_hint *h)
{
	text_fini(&h->tail);
}

static const char *text_of_status(int value)
{
	return ibv_wc_status_str((enum ibv_wc_status)value);
}

static const char *text_of_error(int value)
{
	return strerror(value);
}

/* The first sets say more than the last one. */
static const struct {
	const struct const_set *set;
	const char *(*text)(int value);	/* what a C library prints; or NULL */
} sets[] = {
	{&const_cm_event, NULL},
	{&const_wc_status, text_of_status},
	{&const_async_event, NULL},
	{&const_return, NULL},
	{NULL, NULL},		/* texts of well-known programs */
	{&const_errno, text_of_error},
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The last place of @word as a whole word, or NULL. */
static const char *last_place(const char *text, const char *word)
{
	const char *p, *last = NULL;
	size_t n = strlen(word);

	for (p = text; n && (p = strstr(p, word)); p++)
		if ((p == text || !is_word(p[-1])) && !is_word(p[n]))
			last = p;
	return last;
}

/* Where the text last names the entry @k of a set, or NULL. */
static const char *place_of(const char *text, size_t i, size_t k, const char *full)
{
	const char *place = last_place(text, full), *said = NULL;
	int value = (int)sets[i].set->entry[k].value;

	if (sets[i].text)
		said = last_place(text, sets[i].text(value));
	return said > place ? said : place;
}

static char *format_hint(const char *full, const struct explanation *e)
{
	return xasprintf("%s: %s Usual cause: %s 'verbatim explain %s' says more.", full, e->meaning,
			 e->cause, full);
}

/* The last entry of one set in the text; NULL if there is none. */
static char *say_of(const char *text, size_t i)
{
	const struct const_set *set = sets[i].set;
	const struct explained_set *table = explained_set_of(set);
	const struct explanation *e, *best = NULL;
	const char *place, *last = NULL;
	auto_free char *name = NULL;
	size_t k;

	for (k = 0; table && k < set->count; k++) {
		auto_free char *full = xasprintf("%s%s", set->prefix, set->entry[k].name);

		e = explanation_find(table->entry, set->entry[k].name);
		/* Without a check nothing is wrong. */
		if (!e || !e->check)
			continue;
		place = place_of(text, i, k, full);
		if (!place || place < last)
			continue;
		last = place;
		best = e;
		free(steal(&name));
		name = steal(&full);
	}
	return best ? format_hint(name, best) : NULL;
}

static bool is_known(const char *line)
{
	const struct program_text *t;

	for (t = explain_text_of; t->pattern; t++)
		if (fnmatch(t->pattern, line, FNM_CASEFOLD) == 0)
			return true;
	return false;
}

/* The last line that is a text of a well-known program; NULL if there is none. */
static char *say_text(const char *tail)
{
	auto_free char *copy = xstrdup(tail), *last = NULL;
	char *pos, *line;

	for (pos = copy; (line = file_next_line(&pos));) {
		line[strcspn(line, "\r")] = '\0';
		/* The quotes of the shell are around it. */
		if (strchr(line, '\'') || !is_known(line))
			continue;
		free(last);
		last = xstrdup(line);
	}
	return last ? xasprintf("what usually causes that: verbatim explain '%.100s'", last) : NULL;
}

/* What set @i says of one command's output. */
static char *say_by(const struct exec_hint *h, size_t i)
{
	if (!h->tail.len)
		return NULL;
	return sets[i].set ? say_of(h->tail.s, i) : say_text(h->tail.s);
}

/* The peer of the command that failed first may have said more than its errno. */
char *exec_hint_say(const struct exec_hint *h, size_t count, size_t first)
{
	char *line = NULL;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(sets) && !line; i++) {
		line = say_by(&h[first], i);
		for (k = 0; k < count && !line; k++)
			line = say_by(&h[k], i);
	}
	return line;
}
