/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/xalloc.h"
#include "base/yaml.h"
#include "compile/compile.h"
#include "plan/expr.h"

/*
 * Checks a fragment without a scenario that uses it. The values of its parameters
 * are not known, so every reference is accepted. Calls, parameters, fields,
 * constants and the keys of steps are checked.
 */
static enum fit_kind any_kind(void *arg, const struct value *v, struct diagnostics *diag)
{
	(void)arg, (void)v, (void)diag;
	return FIT_BAD;
}

static void any_object(void *arg, const struct param *p, const struct value *v,
		       struct diagnostics *diag)
{
	(void)arg, (void)p, (void)v, (void)diag;
}

static const struct fit_scope any_scope = {.kind_of = any_kind, .object = any_object};

static void find_references(struct compiler *c, struct value **slot)
{
	struct value *v = *slot, *ref;
	struct vbm_error err = {0};
	struct expr *e;
	size_t i;

	for (i = 0; v->type == VALUE_LIST && i < v->list.count; i++)
		find_references(c, &v->list.item[i]);
	for (i = 0; v->type == VALUE_MAP && i < v->map.count; i++)
		find_references(c, &v->map.member[i].value);
	e = v->type == VALUE_STRING ? expr_parse_scalar(v->s, &err) : NULL;
	if (e && e->op == EXPR_CONST)
		fit_replace(slot, value_dup(e->constant));
	else if (e) {
		ref = value_expr_take(expr_print(e));
		fit_replace(slot, ref);
	} else if (err.code)
		diag_add(c->diag, v->pos, NULL, "'%s' is not a reference: %s", v->s, err.msg);
	expr_free(e);
}

static void check_expect(struct compiler *c, const struct step_kind *kind, const struct value *v)
{
	const struct fit fit = {.diag = c->diag, .scope = &any_scope};
	auto_value struct value *expect = v && v->type == VALUE_MAP ? value_dup(v) : NULL;
	auto_value struct value *fields = value_map();
	size_t i;

	if (!expect)
		return;
	compile_choose_by_device(c, &expect);
	find_references(c, &expect);
	for (i = 0; i < expect->map.count; i++)
		if (strcmp(expect->map.member[i].key, "death"))
			value_add_at(fields, expect->map.member[i].key, expect->map.member[i].pos,
				     value_dup(expect->map.member[i].value));
	fit_expect(&fit, kind->name, kind->fields, fields);
}

static void check_call(struct compiler *c, const struct value *step)
{
	const struct fit fit = {.diag = c->diag, .scope = &any_scope};
	const struct value_member *call = step_call(c, step);
	const char *dot = call ? strrchr(call->key, '.') : NULL;
	const struct step_kind *kind;
	auto_value struct value *args = NULL;

	if (!dot || strchr(dot, '$') || strchr(dot, '}'))
		return;
	kind = step_kind_at(c, dot + 1, call->pos);
	if (!kind)
		return;
	args = call->value->type == VALUE_NULL ? value_map() : value_dup(call->value);
	find_references(c, &args);
	if (args->type == VALUE_MAP)
		fit_call(&fit, kind, args, call->pos);
	else if (args->type != VALUE_EXPR)
		diag_add(c->diag, call->value->pos, NULL, "%s takes a map of parameters", kind->name);
	check_expect(c, kind, value_get(step, "expect"));
	check_expect(c, kind, value_get(step, "until"));
}

static void check_used(struct compiler *c, const char *name, struct pos pos)
{
	if (!strchr(name, '$') && !fragment_exists(c, name))
		diag_add(c->diag, pos, xstrdup("verbatim list --fragments lists them all"),
			 "there is no fragment '%s'", name);
}

static void check_use(struct compiler *c, const struct value *use)
{
	size_t i;

	for (i = 0; use->type == VALUE_LIST && i < use->list.count; i++)
		check_use(c, use->list.item[i]);
	for (i = 0; use->type == VALUE_MAP && i < use->map.count; i++)
		check_used(c, use->map.member[i].key, use->map.member[i].pos);
	if (use->type == VALUE_STRING)
		check_used(c, use->s, use->pos);
}

static void check_steps(struct compiler *c, const struct value *list)
{
	static const char *const lists[] = {"steps", "together", "either"};
	const struct value *step;
	size_t i, k;

	for (i = 0; list && list->type == VALUE_LIST && i < list->list.count; i++) {
		step = list->list.item[i];
		/* A list here is an outcome of "either". */
		if (step->type == VALUE_LIST)
			check_steps(c, step);
		else if (step->type != VALUE_MAP)
			diag_add(c->diag, step->pos, NULL, "a step is a map with one call");
		else if (!construct_keys(c, step))
			check_call(c, step);
		if (value_get(step, "use"))
			check_use(c, value_get(step, "use"));
		for (k = 0; k < ARRAY_SIZE(lists); k++)
			check_steps(c, value_get(step, lists[k]));
	}
}

void fragment_check(const struct scenario_input *in, struct diagnostics *diag)
{
	struct compiler c = {.in = in, .diag = diag};

	c.root = yaml_read(in->text, in->len, diag);
	if (c.root && fragment_shape(diag, c.root) && unused_parameters(diag, c.root))
		check_steps(&c, value_get(c.root, "steps"));
	compile_fini(&c);
	diagnostics_sort(diag);
}
