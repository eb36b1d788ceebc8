/* SPDX-License-Identifier: BSD-2-Clause */
#include "export/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "names/consts.h"

static const struct const_set *set_of(const struct export *x, const char *name)
{
	const struct field *f = step_field_find(export_item(x)->kind->fields, name);

	return f ? f->set : NULL;
}

static char *condition(struct export *x, const struct export_field *f, const struct value *v);

/* {any_of: [...]} */
static char *one_of(struct export *x, const struct export_field *f, const struct value *list)
{
	struct text out = {0};
	size_t i;

	for (i = 0; list->type == VALUE_LIST && i < list->list.count; i++) {
		auto_free char *c = condition(x, f, list->list.item[i]);

		text_addf(&out, "%s%s", i ? " || " : "(", c);
	}
	text_add(&out, out.len ? ")" : "true");
	return out.s;
}

/* {not:}, {min:, max:}, {contains:}, {any:}, {any_of:} */
static char *of_map(struct export *x, const struct export_field *f, const struct value *v)
{
	const struct value *not = value_get(v, "not"), *min = value_get(v, "min"), *max = value_get(v, "max");
	const struct value *contains = value_get(v, "contains"), *any_of = value_get(v, "any_of");
	auto_free char *a = NULL, *b = NULL;

	if (any_of)
		return one_of(x, f, any_of);
	if (value_get(v, "any"))
		return xstrdup("true");
	if (not) {
		a = condition(x, f, not);
		return xasprintf("!(%s)", a);
	}
	if (contains && !f->bytes && contains->type != VALUE_STRING) {
		a = export_scalar(x, contains, set_of(x, f->name));
		return xasprintf("(%s & (%s)) == (%s)", f->c, a, a);
	}
	if (!min && !max) {
		export_refuse(x, "this expectation of '%s'", f->name);
		return xstrdup("true");
	}
	a = min ? export_scalar(x, min, NULL) : NULL;
	b = max ? export_scalar(x, max, NULL) : NULL;
	if (a && b)
		return xasprintf("%s >= %s && %s <= %s", f->c, a, f->c, b);
	return a ? xasprintf("%s >= %s", f->c, a) : xasprintf("%s <= %s", f->c, b);
}

static char *condition(struct export *x, const struct export_field *f, const struct value *v)
{
	auto_free char *c = NULL;

	if (v->type == VALUE_MAP)
		return of_map(x, f, v);
	if (f->bytes && v->type == VALUE_STRING && strcmp(v->s, "other"))
		return xasprintf("%s(%s, \"%s\")", f->bytes, f->c, v->s);
	if (f->bytes || v->type == VALUE_STRING || v->type == VALUE_LIST) {
		export_refuse(x, "this expectation of '%s'", f->name);
		return xstrdup("true");
	}
	c = export_scalar(x, v, set_of(x, f->name));
	return xasprintf("%s == %s", f->c, c);
}

static const struct export_field *find_field(struct export *x, const struct export_field *field, size_t count, const char *name)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(field[i].name, name))
			return &field[i];
	export_refuse(x, "an expectation of '%s'", name);
	return NULL;
}

/* People write the expectation so. */
static char *shown(const struct export *x, const char *name, const struct value *v)
{
	auto_free char *raw = NULL;
	const char *known = v->type == VALUE_INT && set_of(x, name) ? const_name(set_of(x, name), v->i) : NULL;
	char *p;

	raw = known ? xstrdup(known) : v->type == VALUE_EXPR ? xstrdup(v->s) : value_show(v);
	for (p = raw; *p; p++)
		if (*p == '"' || *p == '\\')
			*p = '\'';
	return steal(&raw);
}

/* The return comes first: the other answers need it. A call without an expectation of it has to succeed. */
static struct value *all_expected(const struct export *x, const struct value *expect)
{
	const struct value *said = value_get(expect, "return");
	struct value *all = value_map();
	size_t i;

	value_set(all, "return", said ? value_dup(said) : value_int(export_item(x)->kind->ok));
	for (i = 0; expect && expect->type == VALUE_MAP && i < expect->map.count; i++)
		if (strcmp(expect->map.member[i].key, "return"))
			value_set(all, expect->map.member[i].key, value_dup(expect->map.member[i].value));
	return all;
}

static char *conditions(struct export *x, const struct value *expect, const struct export_field *field, size_t count)
{
	auto_value struct value *all = all_expected(x, expect);
	struct text out = {0};
	size_t i;

	for (i = 0; i < all->map.count; i++) {
		const struct export_field *f = find_field(x, field, count, all->map.member[i].key);
		auto_free char *c = f ? condition(x, f, all->map.member[i].value) : xstrdup("true");

		text_addf(&out, "%s(%s)", i ? " && " : "", c);
	}
	return out.s;
}

char *export_condition(struct export *x, const struct export_field *field, size_t count)
{
	return conditions(x, export_item(x)->expect, field, count);
}

/* Whether outcome @k of an either: is reached with the present item. */
static bool ends_with(const struct export *x, size_t k)
{
	const struct item *item = export_item(x), *next = x->at + 1 < x->v->item_count ? item + 1 : NULL;

	if (!next || next->either != item->either)
		return true;
	return k >= next->outcomes->list.count || next->outcomes->list.item[k]->type == VALUE_BOOL;
}

/* Rules out the outcomes of an either: that the answer is not. */
static void rule_out(struct export *x, const struct export_field *field, size_t count)
{
	const struct value *outcomes = export_item(x)->outcomes;
	const struct value *expect;
	size_t k;

	for (k = 0; k < outcomes->list.count; k++) {
		expect = outcomes->list.item[k];
		if (expect->type == VALUE_BOOL)
			continue;
		auto_free char *c = conditions(x, expect->type == VALUE_MAP ? expect : NULL, field, count);

		export_line(x, "if (!(%s))", c);
		export_line(x, "\tshared.outcomes &= ~(1u << %zu);", k);
		if (ends_with(x, k))
			export_line(x, "shared.reached |= shared.outcomes >> %zu & 1;", k);
	}
	export_line(x, "want(shared.outcomes, \"answer\", \"one of the outcomes of either:\", (long long)%s);", field[0].c);
}

static void store_field(struct export *x, const struct export_field *f, const char *made)
{
	const struct item *item = export_item(x);
	auto_free char *path = NULL, *name = NULL;

	if (!item->as || f->bytes)
		return;
	path = xasprintf("%c.%s.%s", export_host(x), item->as, f->name);
	if (!value_get(x->refs, path))
		return;
	name = export_variable(path);
	value_set_bool(x->kept, path, true);
	/* One of the outcomes may be that the call makes no object. */
	if (item->either && item->kind->makes != OBJECT_NONE)
		export_line(x, "if (%s)", made);
	export_line(x, "%sshared.value[%s] = (int64_t)%s;", item->either && item->kind->makes != OBJECT_NONE ? "\t" : "", name, f->c);
}

void export_expect(struct export *x, const struct export_field *field, size_t count)
{
	auto_value struct value *all = all_expected(x, export_item(x)->expect);
	size_t i;

	if (export_item(x)->either)
		rule_out(x, field, count);
	for (i = 0; !export_item(x)->either && i < all->map.count; i++) {
		const char *name = all->map.member[i].key;
		const struct export_field *f = find_field(x, field, count, name);
		auto_free char *c = f ? condition(x, f, all->map.member[i].value) : NULL;
		auto_free char *text = shown(x, name, all->map.member[i].value);

		if (c && strcmp(c, "true"))
			export_line(x, "want(%s, \"%s\", \"%s\", (long long)%s);", c, name, text, f->bytes ? "0" : f->c);
	}
	for (i = 0; i < count; i++)
		store_field(x, &field[i], field[0].c);
}
