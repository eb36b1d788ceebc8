/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "compile/compile.h"

/*
 * Finds names that a scenario gives but does not use. All texts of a complete
 * variant are split into words. A name that is not among the words is not used.
 */
struct word {
	const char *at;		/* in a text of the scenario, not terminated */
	size_t len;
};

struct words {
	struct word *item;	/* owned; sorted once all are added */
	size_t count;
};

static bool in_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static void add_words(struct words *w, const char *text)
{
	const char *begin;

	for (; *text; text++) {
		if (!in_name(*text))
			continue;
		for (begin = text; in_name(text[1]); text++)
			;
		GROW(w->item, w->count);
		w->item[w->count++] = (struct word){begin, (size_t)(text + 1 - begin)};
	}
}

static void add_value(struct words *w, const struct value *v)
{
	size_t i;

	if (!v)
		return;
	if (v->type == VALUE_STRING || v->type == VALUE_EXPR)
		add_words(w, v->s);
	for (i = 0; v->type == VALUE_LIST && i < v->list.count; i++)
		add_value(w, v->list.item[i]);
	for (i = 0; v->type == VALUE_MAP && i < v->map.count; i++) {
		add_words(w, v->map.member[i].key);
		add_value(w, v->map.member[i].value);
	}
}

static int compare_words(const void *a, const void *b)
{
	const struct word *x = a, *y = b;

	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return memcmp(x->at, y->at, x->len);
}

static bool is_mentioned(const struct words *w, const char *name)
{
	struct word word = {name, strlen(name)};

	return w->count && bsearch(&word, w->item, w->count, sizeof(*w->item), compare_words);
}

static void sort(struct words *w)
{
	if (w->count)
		qsort(w->item, w->count, sizeof(*w->item), compare_words);
}

bool unused_parameters(struct diagnostics *diag, const struct value *root)
{
	const struct value *params = value_get(root, "parameters");
	const struct value_member *m;
	struct words w = {0};
	bool ok = true;
	size_t i;

	add_value(&w, value_get(root, "steps"));
	for (i = 0; params && i < params->map.count; i++)
		add_value(&w, value_get(params->map.member[i].value, "default"));
	sort(&w);
	for (i = 0; params && i < params->map.count; i++) {
		m = &params->map.member[i];
		if (is_mentioned(&w, m->key))
			continue;
		diag_add(diag, m->pos, NULL, "the parameter '%s' is not used", m->key);
		ok = false;
	}
	free(w.item);
	return ok;
}

/* Whether the name, or the name of an object made along with it, is used. */
static bool is_used(const struct words *w, const struct named *named)
{
	const struct step_also *also;

	if (is_mentioned(w, named->as))
		return true;
	for (also = named->kind->also; also && also->suffix; also++) {
		auto_free char *as = xasprintf("%s_%s", named->as, also->suffix);

		if (is_mentioned(w, as))
			return true;
	}
	return false;
}

void unused_note_name(struct compiler *c, const struct value *part, const struct item *item)
{
	if (c->fragment || item->kind->makes != OBJECT_NONE)
		return;
	GROW(c->named, c->named_count);
	c->named[c->named_count++] = (struct named){.part = part, .as = xstrdup(item->as),
						    .kind = item->kind};
}

void unused_of_variant(struct compiler *c)
{
	const struct variant *v = c->v;
	struct words w = {0};
	size_t i;

	for (i = 0; c->named_count && i < v->item_count; i++) {
		add_value(&w, v->items[i].args);
		add_value(&w, v->items[i].expect);
		add_value(&w, v->items[i].outcomes);
	}
	sort(&w);
	for (i = 0; i < c->named_count; i++) {
		effect_note(c, EFFECT_NAME, c->named[i].part, NULL, is_used(&w, &c->named[i]));
		free(c->named[i].as);
	}
	free(c->named);
	c->named = NULL;
	c->named_count = 0;
	free(w.item);
}
