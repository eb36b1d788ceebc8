/* SPDX-License-Identifier: BSD-2-Clause */
#include "export/parts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "names/consts.h"
#include "plan/expr.h"

const struct item *export_item(const struct export *x)
{
	return &x->v->items[x->at];
}

char export_host(const struct export *x)
{
	return x->v->actors[export_item(x)->actor].name[0];
}

void export_refuse(struct export *x, const char *fmt, ...)
{
	const struct item *item = export_item(x);
	auto_free char *why = NULL;
	va_list ap;

	if (x->rc < 0)
		return;
	va_start(ap, fmt);
	why = xvasprintf(fmt, ap);
	va_end(ap);
	x->rc = vbm_fail(x->err, ENOTSUP, "%s:%d:%d: %s.%s: a program in C cannot have %s; leave it out, or send the scenario",
			 x->v->path, item->origin.pos.line, item->origin.pos.col, x->v->actors[item->actor].name,
			 item->kind->name, why);
}

/* The call in the line fails at first, and is made once more: what it returns is its left side. */
static void failing_line(struct export *x, const char *line, size_t left)
{
	auto_free char *made = xstrndup(line, left);

	text_addf(&x->body, "\t\tfail_begin(%s);\n\t\t%s\n\t\tif (fail_end() && %s%s)\n\t\t\t%s\n", x->fail, line,
		  strcmp(made, "ret") ? "!" : "", made, line);
	free(x->fail);
	x->fail = NULL;
}

void export_line(struct export *x, const char *fmt, ...)
{
	auto_free char *line = NULL;
	const char *call;
	va_list ap;

	va_start(ap, fmt);
	line = xvasprintf(fmt, ap);
	va_end(ap);
	call = strstr(line, " = ibv_");
	if (call && x->fail && x->fail_host == export_host(x))
		failing_line(x, line, (size_t)(call - line));
	else
		text_addf(&x->body, "\t\t%s\n", line);
}

static bool makes(const struct export *x, const struct item *item, enum object_kind kind)
{
	return item->actor == export_item(x)->actor && item->kind->makes == kind;
}

static const char *name_of(const struct item *item)
{
	const char *usual = step_default_name(item->kind->makes);

	return item->as ? item->as : usual ? usual : "";
}

const struct item *export_maker(struct export *x, const char *arg, enum object_kind kind)
{
	const char *wanted = value_get_string(export_item(x)->args, arg, NULL), *usual = step_default_name(kind);
	const struct item *item, *only = NULL;
	size_t i;

	export_ignore_arg(x, arg);
	/* The latest one of that name, else the only one. */
	for (i = x->at; i-- > 0;) {
		item = &x->v->items[i];
		if (!makes(x, item, kind))
			continue;
		if (!strcmp(name_of(item), wanted ? wanted : usual ? usual : ""))
			return item;
		only = wanted ? NULL : item;
	}
	return only;
}

char *export_object(struct export *x, const char *arg, enum object_kind kind)
{
	const struct item *maker = export_maker(x, arg, kind);

	if (!maker) {
		export_refuse(x, "the object of '%s', which no step before makes", arg);
		return xstrdup("0");
	}
	return xasprintf("%c_%s", export_host(x), name_of(maker));
}

char *export_made(struct export *x, const char *type)
{
	char *variable = xasprintf("%c_%s", export_host(x), name_of(export_item(x)));
	const char *known = value_get_string(x->objects, variable, NULL);

	if (known && strcmp(known, type))
		export_refuse(x, "'%s' is the name of objects of two kinds", name_of(export_item(x)));
	value_set_string(x->objects, variable, type);
	return variable;
}

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
