/* SPDX-License-Identifier: BSD-2-Clause */
#include "coverage/uses.h"

#include <string.h>

#include <infiniband/verbs.h>

#include "coverage/edges.h"

/* The state of the walk through the expectations of one step. */
struct walk {
	const char *call;
	code_use_fn *fn;
	void *arg;
};

static void walk_fields(const struct walk *w, const struct field *fields,
			const struct value *expect);

static void found(const struct walk *w, const struct const_set *set, int64_t value, bool named)
{
	const struct code_use use = {
		.set = set, .call = w->call, .value = value, .named = named,
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

static void walk_value(const struct walk *w, const struct field *f, const struct value *v)
{
	const struct value *any;
	size_t i;

	if (v->type == VALUE_MAP) {
		any = value_get(v, "any_of");
		for (i = 0; any && any->type == VALUE_LIST && i < any->list.count; i++)
			walk_value(w, f, any->list.item[i]);
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
	const struct value *v;

	for (; fields && fields->name; fields++) {
		v = value_get(expect, fields->name);
		if (v)
			walk_value(w, fields, v);
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

static void walk_item(struct walk *w, const struct item *item)
{
	const struct value *outcome;
	size_t i;

	w->call = item->kind->call;
	if (item->mode == ITEM_NOTHING || item->death > 0)
		return;
	if (!item->outcomes) {
		walk_expect(w, item->kind, item->expect);
		walk_posted(w, item);
	}
	for (i = 0; item->outcomes && i < item->outcomes->list.count; i++) {
		outcome = item->outcomes->list.item[i];
		if (outcome->type != VALUE_BOOL)
			walk_expect(w, item->kind, outcome->type == VALUE_MAP ? outcome : NULL);
	}
}

void uses_collect(const struct variant *v, code_use_fn *fn, void *arg)
{
	struct walk w = {.fn = fn, .arg = arg};
	size_t i;

	for (i = 0; i < v->item_count; i++)
		walk_item(&w, &v->items[i]);
	edges_collect(v, fn, arg);
}
