/* SPDX-License-Identifier: BSD-2-Clause */
#include "coverage/codes.h"

#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "base/xalloc.h"
#include "names/consts.h"

/* The state of the walk through the expectations of one step. */
struct walk {
	const char *call;
	size_t item;
	const char *field;
	bool alternative;
	code_use_fn *fn;
	void *arg;
};

static void walk_fields(const struct walk *w, const struct field *fields,
			const struct value *expect);

static void found(const struct walk *w, const struct const_set *set, int64_t value, bool named)
{
	const struct code_use use = {
		.set = set, .call = w->call, .value = value, .named = named,
		.alternative = w->alternative, .item = w->item, .field = w->field,
	};

	w->fn(w->arg, &use);
}

static void walk_const(const struct walk *w, const struct field *f, const struct value *v)
{
	int64_t value;

	if (v->type == VALUE_INT)
		found(w, f->set, v->i, v->text != NULL);
	else if (v->type == VALUE_STRING && const_lookup(f->set, v->s, &value))
		found(w, f->set, value, true);
}

static void walk_value(const struct walk *w, const struct field *f, const struct value *v);

static void walk_any(const struct walk *w, const struct field *f, const struct value *any)
{
	struct walk one = *w;
	size_t i;

	if (!any || any->type != VALUE_LIST)
		return;
	one.alternative = w->alternative || any->list.count > 1;
	for (i = 0; i < any->list.count; i++)
		walk_value(&one, f, any->list.item[i]);
}

static void walk_value(const struct walk *w, const struct field *f, const struct value *v)
{
	const struct value *any;
	size_t i;

	if (v->type == VALUE_MAP) {
		walk_any(w, f, value_get(v, "any_of"));
		any = value_get(v, "contains");
		if (any && f->type == FIELD_LIST)
			walk_fields(w, f->sub, any);
	} else if (f->type == FIELD_CONST) {
		walk_const(w, f, v);
	} else if (f->type == FIELD_LIST && v->type == VALUE_LIST) {
		for (i = 0; i < v->list.count; i++)
			walk_fields(w, f->sub, v->list.item[i]);
	}
}

static void walk_fields(const struct walk *w, const struct field *fields,
			const struct value *expect)
{
	struct walk one = *w;
	const struct value *v;

	for (; fields && fields->name; fields++) {
		v = value_get(expect, fields->name);
		one.field = fields->name;
		if (v)
			walk_value(&one, fields, v);
	}
}

static void walk_expect(const struct walk *w, const struct step_kind *kind,
			const struct value *expect)
{
	const struct field *f = kind->fields;

	for (; f && f->name; f++)
		if (!strcmp(f->name, "return") && f->type == FIELD_CONST &&
		    !value_get(expect, "return"))
			found(w, f->set, kind->ok, true);
	walk_fields(w, kind->fields, expect);
}

static void walk_opcodes(const struct walk *w, const struct param *params, const struct value *args)
{
	const struct value *v;
	const struct param *p;
	size_t i;

	for (p = params; p && p->name; p++) {
		v = value_get(args, p->name);
		if (p->set == &const_wr_opcode && p->type == PARAM_CONST && (!v || v->type == VALUE_INT))
			found(w, p->set, v ? v->i : IBV_WR_SEND, true);
		for (i = 0; v && p->type == PARAM_LIST && v->type == VALUE_LIST && i < v->list.count; i++)
			walk_opcodes(w, p->sub, v->list.item[i]);
	}
}

/* An operation that is posted counts if the call may succeed. */
static void walk_posted(const struct walk *w, const struct item *item)
{
	const struct value *want = value_get(item->expect, "return");

	if (!want || (want->type == VALUE_INT && want->i == item->kind->ok))
		walk_opcodes(w, item->kind->params, item->args);
}

/* The uses of all outcomes of an item. */
struct gathered {
	struct code_use use;
	size_t outcomes;	/* how many outcomes have it */
	size_t last;		/* the last one of them, from 1 */
};

struct gather {
	struct gathered *item;	/* owned */
	size_t count;
	size_t outcome;		/* that is walked, from 1 */
};

static void gather_use(void *arg, const struct code_use *use)
{
	struct gather *g = arg;
	struct gathered *at;
	size_t i;

	for (i = 0; i < g->count; i++)
		if (g->item[i].use.set == use->set && g->item[i].use.value == use->value &&
		    g->item[i].use.named == use->named)
			break;
	if (i == g->count) {
		GROW(g->item, g->count);
		g->item[g->count++] = (struct gathered){.use = *use};
	}
	at = &g->item[i];
	at->use.alternative = at->use.alternative || use->alternative;
	at->outcomes += at->last != g->outcome;
	at->last = g->outcome;
}

/* A constant that every outcome has comes in any case; another one is an alternative. */
static void walk_outcomes(const struct walk *w, const struct item *item)
{
	const struct value *list = item->outcomes, *outcome;
	struct gather g = {0};
	struct walk one = *w;
	size_t i;

	one.fn = gather_use;
	one.arg = &g;
	for (i = 0; i < list->list.count; i++) {
		outcome = list->list.item[i];
		g.outcome = i + 1;
		if (outcome->type != VALUE_BOOL)
			walk_expect(&one, item->kind, outcome->type == VALUE_MAP ? outcome : NULL);
	}
	for (i = 0; i < g.count; i++) {
		if (g.item[i].outcomes < list->list.count)
			g.item[i].use.alternative = true;
		w->fn(w->arg, &g.item[i].use);
	}
	free(g.item);
}

static void walk_item(struct walk *w, const struct item *item)
{
	w->call = item->kind->call;
	if (item->mode == ITEM_NOTHING || item->death > 0)
		return;
	if (item->outcomes) {
		walk_outcomes(w, item);
		return;
	}
	walk_expect(w, item->kind, item->expect);
	walk_posted(w, item);
}

void uses_collect(const struct variant *v, code_use_fn *fn, void *arg)
{
	struct walk w = {.fn = fn, .arg = arg};
	size_t i;

	for (i = 0; i < v->item_count; i++) {
		w.item = i;
		walk_item(&w, &v->items[i]);
	}
	edges_collect(v, fn, arg);
	crossings_collect(v, fn, arg);
}
