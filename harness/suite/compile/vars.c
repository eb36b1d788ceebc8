/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "compile/compile.h"
#include "lib/base/fail.h"
#include "plan/expr.h"

#define NAME_MAX_LENGTH 63

bool scenario_is_name(const char *s)
{
	return *s && !isdigit((unsigned char)*s) && strlen(s) <= NAME_MAX_LENGTH &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(s);
}

/* Only fragments can read "connects" and "moves", because the text of a scenario holds for both ways to connect. */
static const struct vars *find_connects(const struct compiler *c, const char *name)
{
	static char by_hand[] = CONNECTS_BY_HAND, by_cm[] = CONNECTS_BY_CM;
	static const struct value values[] = {
		{.type = VALUE_STRING, .s = by_hand}, {.type = VALUE_STRING, .s = by_cm},
	};
	static const struct vars connects[] = {
		{.name = "connects", .value = &values[0]}, {.name = "connects", .value = &values[1]},
	};
	static const struct vars moves[] = {
		{.name = "moves", .value = &values[0]}, {.name = "moves", .value = &values[1]},
	};
	const char *chosen = c->in->chosen ? c->in->chosen : c->in->connects;

	if (c->fragment && !strcmp(name, "connects"))
		return &connects[chosen && !strcmp(chosen, by_cm)];
	if (c->fragment && !strcmp(name, "moves"))
		return &moves[c->in->connects && !strcmp(c->in->connects, by_cm)];
	return NULL;
}

const struct vars *vars_find(const struct compiler *c, const char *name)
{
	const struct vars *v;

	for (v = c->vars; v; v = v->up) {
		if (strcmp(v->name, name) == 0) {
			if (v->used)
				*v->used = true;
			return v;
		}
		if (v->hides_outer)
			break;
	}
	return find_connects(c, name);
}

static int fail_unknown_var(const struct compiler *c, const char *name, struct vbm_error *err)
{
	const struct vars *v;
	struct suggestion s;
	const char *best;

	suggest_init(&s, name);
	for (v = c->vars; v; v = v->hides_outer ? NULL : v->up)
		suggest_offer(&s, v->name);
	best = suggest_best(&s);
	return vbm_fail(err, ENOENT, "'$%s' is not a variable of this %s (%s%s%s)", name,
			c->fragment ? "fragment" : "scenario",
			best ? "did you mean '$" : c->fragment ?
			"a fragment sees only its parameters" : "variables are named under 'vary:'",
			best ? best : "", best ? "'?" : "");
}

static int absent(const char *name, struct vbm_error *err)
{
	return vbm_fail(err, EINVAL, "'$%s' was not given and has no default", name);
}

/* Replaces "${name}" by the text of variable @name. */
static int add_inner(const struct compiler *c, struct text *out, const char *name,
		     struct vbm_error *err)
{
	const struct vars *v = vars_find(c, name);
	auto_free char *text = NULL;

	if (!v)
		return fail_unknown_var(c, name, err);
	if (!v->value)
		return absent(name, err);
	if (v->value->type != VALUE_STRING && v->value->type != VALUE_INT)
		return vbm_fail(err, EINVAL, "'$%s' is a %s and cannot be part of a name", name,
				value_type_name(v->value->type));
	text = fit_scalar_text(v->value);
	text_add(out, text);
	return 0;
}

/* Replaces the variables inside a path: "a.${q}_mr.addr", "a.results.$i.port". */
static int substitute(const struct compiler *c, char **path, struct vbm_error *err)
{
	struct text out auto_text = {0};
	auto_free char *name = NULL;
	const char *p = *path;
	size_t n;
	int ret;

	while (*p) {
		n = strcspn(p, "$");
		text_add_bytes(&out, p, n);
		p += n;
		if (!*p)
			break;
		p++;
		n = strcspn(p, *p == '{' ? "}" : ".");
		free(name);
		name = *p == '{' ? xstrndup(p + 1, n - 1) : xstrndup(p, n);
		p += n + (*p == '{');
		ret = add_inner(c, &out, name, err);
		if (ret < 0)
			return ret;
	}
	free(*path);
	*path = steal(&out.s);
	return 0;
}

/* Follows a path from a variable into its list or map. @last is the last part that it looked for. */
static const struct value *follow_path(const struct value *at, char **rest, const char **last)
{
	char *part;
	int64_t i;

	while (at && *rest && (at->type == VALUE_LIST || at->type == VALUE_MAP)) {
		*last = part = strsep(rest, ".");
		if (at->type == VALUE_MAP) {
			at = value_get(at, part);
			continue;
		}
		at = number_read(part, 0, (int64_t)at->list.count - 1, &i) ? at->list.item[i] : NULL;
	}
	/* A plain value instead of a list of two stands for both ends, so an index has no effect. */
	if (at && *rest && at->type != VALUE_LIST && at->type != VALUE_MAP &&
	    strspn(*rest, "0123456789") == strlen(*rest))
		*rest = NULL;
	return at;
}

static int take_variable(const struct vars *v, char **path, char *rest,
			 struct value **out, struct vbm_error *err)
{
	const struct value *at = v->value;
	const char *last = "";
	char *whole = *path;

	if (!at)
		return absent(v->name, err);
	at = follow_path(at, &rest, &last);
	if (!at)
		return vbm_fail(err, ENOENT, "'$%s' has no part '%s'", whole,
				last);
	if (!rest) {
		*out = value_dup(at);
		return 0;
	}
	if (at->type != VALUE_STRING)
		return vbm_fail(err, EINVAL, "'$%s': '%s' is a %s, not a host (${%s} ends a "
				"variable's name)", whole, v->name, value_type_name(at->type),
				v->name);
	*path = xasprintf("%s.%s", at->s, rest);
	free(whole);
	return 0;
}

static int look_up(void *arg, char **path, struct value **out, struct vbm_error *err)
{
	const struct compiler *c = arg;
	auto_free char *copy = NULL;
	const struct vars *v;
	char *rest, *first;
	int ret;

	/* "${name}" alone keeps the type of the variable's value. */
	if ((*path)[0] == '$') {
		copy = xstrndup(*path + 2, strlen(*path) - 3);
		v = vars_find(c, copy);
		if (!v)
			return fail_unknown_var(c, copy, err);
		if (!v->value)
			return absent(copy, err);
		*out = value_dup(v->value);
		return 0;
	}
	ret = substitute(c, path, err);
	if (ret < 0)
		return ret;
	copy = xstrdup(*path);
	rest = copy;
	first = strsep(&rest, ".");
	v = vars_find(c, first);
	if (v)
		return take_variable(v, path, rest, out, err);
	return rest ? 0 : fail_unknown_var(c, first, err);
}

/* Gives all values inside @v the position at which an author would change them. */
static void set_positions(struct value *v, struct pos pos)
{
	size_t i;

	if (v->pos.line == 0 || v->pos.file == pos.file)
		v->pos = pos;
	for (i = 0; v->type == VALUE_LIST && i < v->list.count; i++)
		if (v->list.item[i]->pos.line == 0)
			set_positions(v->list.item[i], pos);
	for (i = 0; v->type == VALUE_MAP && i < v->map.count; i++)
		if (v->map.member[i].value->pos.line == 0)
			set_positions(v->map.member[i].value, pos);
}

static bool expand_scalar(struct compiler *c, struct value **slot)
{
	struct vbm_error err = {0};
	struct value *old = *slot, *v;
	struct expr *e = expr_parse_scalar(old->s, &err);

	if (!e && !err.code)
		return true;
	if (!e) {
		diag_add(c->diag, old->pos, xstrdup("a text with $ in it is written $$"),
			 "'%s' is not a reference%s%s", old->s,
			 strstr(old->s, "$(") ? ": " : "", strstr(old->s, "$(") ? err.msg : "");
		return false;
	}
	if (expr_reduce(e, look_up, c, &err) < 0) {
		diag_add(c->diag, old->pos, NULL, "%s", err.msg);
		expr_free(e);
		return false;
	}
	if (e->op == EXPR_CONST) {
		v = steal(&e->constant);
		set_positions(v, old->pos);
	} else {
		v = value_expr_take(expr_print(e));
		v->pos = old->pos;
	}
	expr_free(e);
	value_free(old);
	*slot = v;
	return true;
}

/*
 * Whether the key of this value is left out: "$name" of a parameter without a
 * value, and "$name.1" if the parameter has no value or its item is null. So
 * [null, 2] gives a value to one end only.
 */
static bool is_absent(const struct compiler *c, const struct value *v)
{
	const struct value *at;
	const struct vars *var;
	auto_free char *name = NULL;
	const char *last;
	char *rest;

	if (v->type != VALUE_STRING || v->s[0] != '$')
		return false;
	name = xstrdup(v->s + 1);
	rest = name;
	strsep(&rest, ".");
	if (!scenario_is_name(name) || (rest && !isdigit((unsigned char)*rest)))
		return false;
	var = vars_find(c, name);
	if (!var || !var->value || !rest)
		return var && !var->value;
	at = follow_path(var->value, &rest, &last);
	return at && !rest && at->type == VALUE_NULL && var->value->type == VALUE_LIST;
}

static bool expand_map(struct compiler *c, struct value *v)
{
	size_t i, kept = 0;
	bool ok = true;

	for (i = 0; i < v->map.count; i++) {
		if (is_absent(c, v->map.member[i].value)) {
			free(v->map.member[i].key);
			value_free(v->map.member[i].value);
			continue;
		}
		ok = compile_expand_value(c, &v->map.member[i].value) && ok;
		v->map.member[kept++] = v->map.member[i];
	}
	v->map.count = kept;
	return ok;
}

bool compile_expand_value(struct compiler *c, struct value **slot)
{
	struct value *v = *slot;
	bool ok = true;
	size_t i;

	if (v->type == VALUE_STRING)
		return expand_scalar(c, slot);
	if (v->type == VALUE_MAP)
		return expand_map(c, v);
	for (i = 0; v->type == VALUE_LIST && i < v->list.count; i++)
		ok = compile_expand_value(c, &v->list.item[i]) && ok;
	return ok;
}

char *compile_expand_key(struct compiler *c, const struct value_member *m)
{
	struct vbm_error err = {0};
	struct expr *e = expr_parse_scalar(m->key, &err);
	char *out = NULL;

	if (!e && !err.code)
		return xstrdup(m->key);
	if (e && expr_reduce(e, look_up, c, &err) == 0) {
		if (e->op == EXPR_REF)
			out = steal(&e->ref);
		else if (e->op == EXPR_CONST && e->constant->type == VALUE_STRING)
			out = xstrdup(e->constant->s);
		else
			vbm_fail(&err, EINVAL, "'%s' is not HOST.CALL", m->key);
	}
	if (!out)
		diag_add(c->diag, m->pos, NULL, "%s", err.msg);
	expr_free(e);
	return out;
}
