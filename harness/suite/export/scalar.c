/* SPDX-License-Identifier: BSD-2-Clause */
#include "export/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "names/consts.h"
#include "plan/expr.h"

char *export_variable(const char *path)
{
	char *name = xasprintf("V_%s", path), *p;

	for (p = name; *p; p++)
		if (*p == '.')
			*p = '_';
	return name;
}

/* "a.q.qp_num" as the place of a value in C, or a fact of a host. */
static char *reference(struct export *x, const char *path)
{
	const char *dot = strchr(path, '.'), *field = dot ? strchr(dot + 1, '.') : NULL;
	auto_free char *name = NULL;

	if (!dot || dot != path + 1 || (*path != 'a' && *path != 'b') || (field && strchr(field + 1, '.'))) {
		export_refuse(x, "the reference $%s", path);
		return xstrdup("0");
	}
	if (!field && !strcmp(dot, ".port"))
		return xstrdup("port");
	if (!field && !strcmp(dot, ".gid_index") && *path == export_host(x))
		return xstrdup("gid_index");
	if (!field || !value_get(x->kept, path)) {
		export_refuse(x, "the reference $%s", path);
		return xstrdup("0");
	}
	name = export_variable(path);
	return xasprintf("shared.value[%s]", name);
}

static char *expression(struct export *x, const struct expr *e)
{
	auto_free char *left = NULL, *right = NULL;

	if (e->op == EXPR_CONST)
		return export_scalar(x, e->constant, NULL);
	if (e->op == EXPR_REF)
		return reference(x, *e->ref == '$' ? e->ref + 1 : e->ref);
	if (e->op == EXPR_CAT)
		export_refuse(x, "a text that is joined of parts");
	left = expression(x, e->left);
	right = expression(x, e->right);
	return xasprintf("(%s %c %s)", left, e->op == EXPR_CAT ? '+' : (char)e->op, right);
}

static char *flags(int64_t bits, const struct const_set *set)
{
	struct text out = {0};
	size_t i;

	for (i = 0; i < set->count; i++)
		if (set->entry[i].value && (bits & set->entry[i].value) == set->entry[i].value) {
			text_addf(&out, "%s%s%s", out.len ? " | " : "", set->prefix, set->entry[i].name);
			bits &= ~set->entry[i].value;
		}
	if (bits || !out.len)
		text_addf(&out, "%s%lld", out.len ? " | " : "", (long long)bits);
	return out.s;
}

static char *number(int64_t n, const struct const_set *set)
{
	const char *name = set ? const_name(set, n) : NULL;

	if (set && set->flags)
		return flags(n, set);
	/* "OK" is the project's own word. */
	if (!name || !n || !strcmp(set->name, "pointer"))
		name = NULL;
	if (name || (set && *set->prefix && const_name(set, n)))
		return xasprintf("%s%s", set->prefix, const_name(set, n));
	return xasprintf(n > INT32_MAX ? "%lluull" : n == INT64_MIN ? "%lluull" : "%lld", (unsigned long long)n);
}

char *export_scalar(struct export *x, const struct value *v, const struct const_set *set)
{
	struct vbm_error err;
	struct expr *e;
	char *c;

	if (v->type == VALUE_INT)
		return number(v->i, set);
	if (v->type == VALUE_BOOL)
		return xstrdup(v->b ? "true" : "false");
	if (v->type != VALUE_EXPR) {
		export_refuse(x, "a value that is no number");
		return xstrdup("0");
	}
	e = expr_parse(v->s, &err);
	if (!e) {
		export_refuse(x, "the expression %s", v->s);
		return xstrdup("0");
	}
	c = expression(x, e);
	expr_free(e);
	return c;
}

static const struct const_set *set_of(const struct export *x, const char *name)
{
	const struct param *p = step_param_find(export_item(x)->kind->params, name);

	return p ? p->set : NULL;
}

bool export_has_arg(const struct export *x, const char *name)
{
	return value_get(export_item(x)->args, name);
}

void export_ignore_arg(struct export *x, const char *name)
{
	value_set_bool(x->taken, name, true);
}

char *export_arg(struct export *x, const char *name, const char *fallback)
{
	const struct value *v = value_get(export_item(x)->args, name);

	export_ignore_arg(x, name);
	if (v)
		return export_scalar(x, v, set_of(x, name));
	return fallback ? xstrdup(fallback) : NULL;
}
