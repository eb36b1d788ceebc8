/* SPDX-License-Identifier: BSD-2-Clause */
/* The short explanations of "verbatim explain" for the codes that a page shows beside a failure. */
#include "page/page.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/read.h"
#include "explain/table.h"
#include "step/step.h"

/* {"name": what explain takes, "text": what it says} under @key, a part of a text of the page. Takes over @text. */
static void add_explained(struct value *explained, const char *key, const char *name, char *text)
{
	struct value *one = value_map();

	value_set_string(one, "name", name);
	value_set(one, "text", value_string_take(text));
	value_set(explained, key, one);
}

static char *format_explanation(const struct explanation *e)
{
	return xasprintf("%s Usual cause: %s", e->meaning, e->cause);
}

/* A name in a text: "EINVAL (22)" or IBV_WC_RNR_RETRY_EXC_ERR. */
struct page_code {
	const char *word;
	bool numbered;		/* the number tells the set of a name without prefix */
	int64_t number;
};

static bool is_entry(const struct page_code *c, const struct const_set *set, const struct const_entry *entry)
{
	size_t n = strlen(set->prefix);
	bool full = !strncmp(c->word, set->prefix, n) && !strcmp(c->word + n, entry->name);

	if (c->numbered)
		return c->number == entry->value && (full || !strcmp(c->word, entry->name));
	return full;
}

static void explain_in(struct value *explained, const char *key, const struct page_code *c, const struct explained_set *said)
{
	const struct explanation *e;
	size_t i;

	for (i = 0; i < said->set->count; i++) {
		auto_free char *name = NULL;

		if (!is_entry(c, said->set, &said->set->entry[i]))
			continue;
		e = explanation_find(said->entry, said->set->entry[i].name);
		/* Without a check nothing is wrong. */
		if (!e || !e->check)
			continue;
		name = xasprintf("%s%s", said->set->prefix, e->name);
		add_explained(explained, key, name, format_explanation(e));
		return;
	}
}

/* Reads the " (22)" at @p, and returns its end; @p: there is none. */
static const char *read_number(struct page_code *c, const char *p)
{
	char *end;

	if (p[0] != ' ' || p[1] != '(' || !(p[2] == '-' || isdigit((unsigned char)p[2])))
		return p;
	c->number = strtoll(p + 2, &end, 10);
	c->numbered = *end == ')';
	return c->numbered ? end + 1 : p;
}

/* The codes of @text, under the words that page.js finds there, too. */
static void explain_codes(struct value *explained, const char *text)
{
	const struct explained_set *said;
	const char *p = text, *end, *after;
	bool capitals;

	for (; *p; p = end) {
		auto_free char *key = NULL, *word = NULL;
		struct page_code c = {0};

		for (; *p && !explain_is_word(*p); p++)
			;
		capitals = true;
		for (end = p; explain_is_word(*end); end++)
			capitals &= !islower((unsigned char)*end);
		if (end == p || !capitals)
			continue;
		word = xstrndup(p, (size_t)(end - p));
		c.word = word;
		after = read_number(&c, end);
		key = xstrndup(p, (size_t)(after - p));
		for (said = explained_sets; said->set && !value_get(explained, key); said++)
			explain_in(explained, key, &c, said);
	}
}

void page_explain(struct value *explained, const struct value *event)
{
	const struct explanation *word;
	const struct step_kind *step;

	if (event_is(event, "log"))
		explain_codes(explained, event_string(event, "text"));
	if (!event_is(event, "fail"))
		return;
	explain_codes(explained, event_string(event, "actual"));
	explain_codes(explained, event_string(event, "expected"));
	word = explanation_find(explain_word, event_string(event, "field"));
	if (word)
		add_explained(explained, word->name, word->name, format_explanation(word));
	step = step_find(event_string(event, "call"));
	if (step && step->doc)
		add_explained(explained, step->name, step->name, xstrdup(step->doc));
}
