/* SPDX-License-Identifier: BSD-2-Clause */
#include "compile/scope.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "base/xalloc.h"
#include "compile/ref.h"

void scope_fini(struct scope *scope)
{
	size_t i;

	for (i = 0; i < scope->count; i++)
		free(scope->name[i].as);
	free(scope->name);
	*scope = (struct scope){0};
}

const struct scope_name *scope_find(const struct scope *scope, int host, const char *as)
{
	size_t i;

	for (i = scope->count; i > 0; i--)
		if (scope->name[i - 1].host == host && !strcmp(scope->name[i - 1].as, as))
			return &scope->name[i - 1];
	return NULL;
}

/* Takes @as. */
static void add(struct scope *scope, struct scope_name name, char *as)
{
	GROW(scope->name, scope->count);
	name.as = as;
	scope->name[scope->count++] = name;
}

void scope_define(struct scope *scope, int host, const char *as,
		  const struct step_kind *kind, struct pos pos)
{
	struct scope_name name = {.host = host, .pos = pos};
	const struct step_also *also;

	for (also = kind->also; also && also->suffix; also++) {
		name.object = also->kind;
		add(scope, name, xasprintf("%s_%s", as, also->suffix));
	}
	name.object = kind->makes;
	name.kind = kind;
	add(scope, name, xstrdup(as));
}

const char *scope_suggest(const struct scope *scope, int host, const char *as,
			  enum object_kind object)
{
	struct suggestion s;
	size_t i;

	suggest_init(&s, as);
	for (i = 0; i < scope->count; i++)
		if (scope->name[i].host == host &&
		    (object == OBJECT_NONE || scope->name[i].object == object))
			suggest_offer(&s, scope->name[i].as);
	return suggest_best(&s);
}

static bool unknown_variable(const struct scope *scope, const struct value *ref,
			     const char *name, struct diagnostics *diag)
{
	struct suggestion s;
	const char *best;
	size_t i;

	suggest_init(&s, name);
	for (i = 0; scope->vary && i < scope->vary->map.count; i++)
		suggest_offer(&s, scope->vary->map.member[i].key);
	best = suggest_best(&s);
	diag_add(diag, ref->pos,
		 best ? xasprintf("did you mean '$%s'?", best)
		      : xstrdup("variables are named under 'vary:'"),
		 "'$%s' is not a variable of this scenario", name);
	return false;
}

static bool resolve_variable(const struct scope *scope, const struct value *ref,
			     const struct ref *path, struct diagnostics *diag,
			     struct ref_target *out)
{
	const struct value *list = value_get(scope->vary, path->part[0]);

	if (!list || list->type != VALUE_LIST)
		return unknown_variable(scope, ref, path->part[0], diag);
	out->values = list;
	return true;
}

static bool unknown_on_host(const struct scope *scope, const struct value *ref,
			    const struct ref *path, struct diagnostics *diag)
{
	const struct host_fact *f;
	struct suggestion s;
	const char *best;
	size_t i;

	suggest_init(&s, path->part[1]);
	for (f = host_facts; f->name && path->count == 2; f++)
		suggest_offer(&s, f->name);
	for (i = 0; i < scope->count; i++)
		if (scope->name[i].host == path->part[0][0] - 'a')
			suggest_offer(&s, scope->name[i].as);
	best = suggest_best(&s);
	diag_add(diag, ref->pos,
		 best ? xasprintf("did you mean '$%s.%s'?", path->part[0], best)
		      : xstrdup("name a step's result with 'as:' first"),
		 "host %s has no '%s' here", path->part[0], path->part[1]);
	return false;
}

static const struct field *field_find(const struct field *f, const char *name)
{
	for (; f && f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

static bool unknown_field(const struct value *ref, const struct field *fields,
			  const char *what, const char *name, struct diagnostics *diag)
{
	const struct field *f;
	struct suggestion s;

	suggest_init(&s, name);
	for (f = fields; f && f->name; f++)
		suggest_offer(&s, f->name);
	diag_add(diag, ref->pos, diag_did_you_mean(suggest_best(&s)),
		 "the result of %s has no field '%s'", what, name);
	return false;
}

/* "qp_num", or through lists "results.0.port". */
static bool resolve_field(const struct value *ref, const struct ref *path,
			  const struct step_kind *kind, struct diagnostics *diag,
			  struct ref_target *out)
{
	const struct field *fields = kind->fields, *f;
	int i;

	for (i = 2; i < path->count; i++) {
		f = field_find(fields, path->part[i]);
		if (!f)
			return unknown_field(ref, fields, kind->name, path->part[i], diag);
		if (i + 1 == path->count) {
			out->field = f;
			return true;
		}
		if (f->type != FIELD_LIST) {
			diag_add(diag, ref->pos, NULL, "'%s' of %s is a single value",
				 f->name, kind->name);
			return false;
		}
		i++;
		if (strspn(path->part[i], "0123456789") != strlen(path->part[i])) {
			diag_add(diag, ref->pos, NULL,
				 "'%s' of %s is a list: say which item, as in '%s.0'",
				 f->name, kind->name, f->name);
			return false;
		}
		fields = f->sub;
	}
	diag_add(diag, ref->pos, NULL, "say which field of the result of %s", kind->name);
	return false;
}

bool scope_resolve(const struct scope *scope, const struct value *ref,
		   struct diagnostics *diag, struct ref_target *out)
{
	const struct scope_name *name;
	struct ref path;
	int host;

	*out = (struct ref_target){0};
	if (!ref_parse(ref->s, &path)) {
		diag_add(diag, ref->pos, xstrdup("a text that begins with $ is written $$"),
			 "'%s' is not a reference", ref->s);
		return false;
	}
	if (path.count == 1)
		return resolve_variable(scope, ref, &path, diag, out);
	host = path.part[0][0] - 'a';
	if (path.part[0][1] || host < 0 || host >= scope->hosts) {
		diag_add(diag, ref->pos, NULL, "there is no host '%s' in this fabric",
			 path.part[0]);
		return false;
	}
	out->fact = path.count == 2 ? host_fact_find(path.part[1]) : NULL;
	if (out->fact)
		return true;
	name = scope_find(scope, host, path.part[1]);
	if (!name || !name->kind)
		return unknown_on_host(scope, ref, &path, diag);
	return resolve_field(ref, &path, name->kind, diag, out);
}

struct value *scope_value(const struct scope *scope, const struct value *ref,
			  const struct ref_target *target, size_t i,
			  struct diagnostics *diag)
{
	struct value *v;

	if (!target->values || i >= target->values->list.count)
		return NULL;
	if (++*scope->checks > SCOPE_CHECKS_MAX) {
		if (*scope->checks == SCOPE_CHECKS_MAX + 1)
			diag_add(diag, ref->pos, xstrdup("make several files of it"),
				 "variables with so many values are used too often");
		return NULL;
	}
	v = value_dup(target->values->list.item[i]);
	v->pos = ref->pos;
	return v;
}
