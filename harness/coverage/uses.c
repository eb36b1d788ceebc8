/* SPDX-License-Identifier: BSD-2-Clause */
#include "coverage/uses.h"

#include <string.h>

/* The expectations of one step are walked through with this. */
struct walk {
	const struct value *vars;
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

/* "$name" is the variable's value; other references are known only in a run. */
static const struct value *of_variable(const struct walk *w, const struct value *v)
{
	if (v->type != VALUE_STRING || v->s[0] != '$')
		return v;
	return value_get(w->vars, v->s + 1);
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

	v = of_variable(w, v);
	if (!v)
		return;
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

static void walk_implied(const struct walk *w, const struct plan_step *step)
{
	const struct field *f = step->kind->fields;

	for (; f && f->name; f++)
		if (!strcmp(f->name, "return") && f->type == FIELD_CONST &&
		    !value_get(step->expect, "return"))
			found(w, f->set, step->kind->ok, true);
}

void uses_collect(const struct scenario *s, const struct value *vars, code_use_fn *fn, void *arg)
{
	struct walk w = {.vars = vars, .fn = fn, .arg = arg};
	size_t i;

	for (i = 0; i < s->step_count; i++) {
		w.call = s->steps[i].kind->call;
		walk_implied(&w, &s->steps[i]);
		walk_fields(&w, s->steps[i].kind->fields, s->steps[i].expect);
	}
}
