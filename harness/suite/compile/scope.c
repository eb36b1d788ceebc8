/* SPDX-License-Identifier: BSD-2-Clause */
#include "compile/compile.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "base/xalloc.h"
#include "plan/expr.h"
#include "plan/facts.h"

void scope_cut(struct scope *scope, size_t count)
{
	while (scope->count > count)
		free(scope->name[--scope->count].as);
}

void scope_fini(struct scope *scope)
{
	scope_cut(scope, 0);
	free(scope->name);
	*scope = (struct scope){0};
}

/*
 * The last definition of the name: a later step may use a name again. Long scenarios have
 * thousands of names, and most of them differ in their first letter.
 */
static const struct scope_name *find_name(const struct scope *scope, int actor, const char *as)
{
	const struct scope_name *n;
	size_t i;

	for (i = scope->count; i > 0; i--) {
		n = &scope->name[i - 1];
		if (n->actor == actor && n->as[0] == as[0] && !strcmp(n->as, as))
			return n;
	}
	return NULL;
}

/* Takes ownership of @as. */
static void add_scope_name(struct scope *scope, struct scope_name name, char *as)
{
	GROW(scope->name, scope->count);
	name.as = as;
	scope->name[scope->count++] = name;
}

void scope_define(struct scope *scope, int actor, const char *as, const struct step_kind *kind,
		  struct pos pos, bool record)
{
	struct scope_name name = {.actor = actor, .pos = pos};
	const struct step_also *also;

	for (also = kind->also; also && also->suffix; also++) {
		name.object = also->kind;
		add_scope_name(scope, name, xasprintf("%s_%s", as, also->suffix));
	}
	name.object = kind->makes;
	name.kind = record ? kind : NULL;
	add_scope_name(scope, name, xstrdup(as));
}

static const char *suggest(const struct scope *scope, int actor, const char *as,
			   enum object_kind object)
{
	struct suggestion s;
	size_t i;

	suggest_init(&s, as);
	for (i = 0; i < scope->count; i++)
		if (scope->name[i].actor == actor &&
		    (object == OBJECT_NONE || scope->name[i].object == object))
			suggest_offer(&s, scope->name[i].as);
	return suggest_best(&s);
}

int scope_actor(struct scope *scope, const char *name, size_t len, struct pos pos,
		struct diagnostics *diag)
{
	auto_free char *hint = NULL;
	int host = name[0] - 'a', number = 0;
	bool wire = len == 4 && strncmp(name, "wire", 4) == 0;
	bool plain = len == 1;

	if (wire)
		return variant_actor(scope->variant, ACTOR_WIRE, 0);
	if (len == 3 && name[1] == '.' && isdigit((unsigned char)name[2])) {
		number = name[2] - '0';
		plain = number > 0 && number < ACTORS_PER_HOST;
		if (!plain) {
			diag_add(diag, pos, NULL, "the processes of a host are %c, %c.1 to %c.%d",
				 name[0], name[0], name[0], ACTORS_PER_HOST - 1);
			return -1;
		}
	}
	if (plain && host >= 0 && host < scope->hosts)
		return variant_actor(scope->variant, host, number);
	if (plain && host >= 0 && host < SCENARIO_HOSTS_MAX)
		hint = xasprintf("'fabric: {mesh: %d}' has it", host + 1);
	diag_add(diag, pos, steal(&hint),
		 "there is no host '%.*s' in this fabric, which has hosts a to %c", (int)len, name,
		 'a' + scope->hosts - 1);
	return -1;
}

static bool unknown_on_actor(const struct scope *scope, int actor, const char *part, bool last,
			     struct pos pos, struct diagnostics *diag)
{
	const char *who = scope->variant->actors[actor].name, *best;
	const struct host_fact *f;
	struct suggestion s;
	size_t i;

	suggest_init(&s, part);
	for (f = host_facts; f->name && last; f++)
		suggest_offer(&s, f->name);
	for (i = 0; i < scope->count; i++)
		if (scope->name[i].actor == actor && scope->name[i].kind)
			suggest_offer(&s, scope->name[i].as);
	best = suggest_best(&s);
	diag_add(diag, pos,
		 best ? xasprintf("did you mean '$%s.%s'?", who, best)
		      : xstrdup("name a step's result with 'as:' first"),
		 "host %s has no '%s' here", who, part);
	return false;
}

/* "$b.netdev.send" in a text: the author meant the path to end before ".send". */
static void no_part(const char *path, size_t whole, const char *who, const char *name,
		    const char *part, struct pos pos, struct diagnostics *diag)
{
	diag_add(diag, pos, xasprintf("if text follows, write ${%.*s}", (int)whole, path),
		 "%s has '%s', but '%s' has no part '%s'", who, name, name, part);
}

static void unknown_field(const struct step_kind *kind, const struct field *fields,
			  const char *name, struct pos pos, struct diagnostics *diag)
{
	const struct field *f;
	struct suggestion s;

	suggest_init(&s, name);
	for (f = fields; f && f->name; f++)
		suggest_offer(&s, f->name);
	diag_add(diag, pos, diag_did_you_mean(suggest_best(&s)),
		 "the result of %s has no field '%s'", kind->name, name);
}

/* Finds a field: "qp_num", or through lists "results.0.port". */
static const struct field *resolve_field(const struct step_kind *kind, const char *path,
					 char *rest, struct pos pos, struct diagnostics *diag)
{
	size_t before = strlen(path) - (rest ? strlen(rest) : 0);
	const char *begin = rest;
	const struct field *fields = kind->fields, *f;
	char *part, *index;

	while ((part = strsep(&rest, "."))) {
		f = step_field_find(fields, part);
		if (!f) {
			unknown_field(kind, fields, part, pos, diag);
			return NULL;
		}
		index = strsep(&rest, ".");
		if (!index)
			return f;
		if (f->type != FIELD_LIST) {
			auto_free char *who = xasprintf("the result of %s", kind->name);

			no_part(path, before + (size_t)(part - begin) + strlen(part), who, f->name,
				index, pos, diag);
			return NULL;
		}
		if (!*index || strspn(index, "0123456789") != strlen(index)) {
			diag_add(diag, pos, NULL,
				 "'%s' of %s is a list: name an item, for example '%s.0'",
				 f->name, kind->name, f->name);
			return NULL;
		}
		fields = f->sub;
	}
	diag_add(diag, pos, NULL, "name a field of the result of %s", kind->name);
	return NULL;
}

static enum fit_kind kind_of_field(const struct field *f)
{
	switch (f->type) {
	case FIELD_STRING:
	case FIELD_BYTES:
		return FIT_TEXT;
	case FIELD_BOOL:
		return FIT_BOOL;
	case FIELD_LIST:
		return FIT_LIST;
	case FIELD_INT:
	case FIELD_CONST:
	case FIELD_FLAGS:
		break;
	}
	return FIT_NUMBER;
}

/* The length of the actor's name at the start of "a.1.q.qp_num". */
static size_t actor_length(const char *path)
{
	size_t n = strcspn(path, ".");

	if (path[n] == '.' && isdigit((unsigned char)path[n + 1]))
		n += 1 + strcspn(path + n + 1, ".");
	return n;
}

static enum fit_kind kind_of_path(struct scope *scope, const char *path, struct pos pos,
				  struct diagnostics *diag)
{
	size_t n = actor_length(path);
	const struct scope_name *name;
	const struct host_fact *fact;
	const struct field *field;
	auto_free char *copy = NULL;
	char *rest, *part;
	int actor;

	actor = scope_actor(scope, path, n, pos, diag);
	if (actor < 0)
		return FIT_BAD;
	copy = xstrdup(path[n] == '.' ? path + n + 1 : "");
	rest = copy;
	part = strsep(&rest, ".");
	fact = host_fact_find(part);
	if (fact && !rest)
		return fact->is_int ? FIT_NUMBER : FIT_TEXT;
	if (fact) {
		auto_free char *who = xasprintf("host %.*s", (int)n, path);

		no_part(path, n + 1 + strlen(part), who, part, rest, pos, diag);
		return FIT_BAD;
	}
	name = find_name(scope, actor, part);
	if (!name || !name->kind) {
		unknown_on_actor(scope, actor, part, !rest, pos, diag);
		return FIT_BAD;
	}
	field = resolve_field(name->kind, path, rest, pos, diag);
	return field ? kind_of_field(field) : FIT_BAD;
}

struct refs_check {
	struct scope *scope;
	const struct value *v;
	struct diagnostics *diag;
	bool numbers;		/* references must be numbers */
	enum fit_kind kind;
};

static void check_ref(void *arg, const char *path)
{
	struct refs_check *r = arg;
	enum fit_kind kind = kind_of_path(r->scope, path, r->v->pos, r->diag);

	if (kind != FIT_BAD && (kind == FIT_LIST || (r->numbers && kind != FIT_NUMBER))) {
		diag_add(r->diag, r->v->pos, NULL, "'$%s' is %s and cannot stand in '%s'", path,
			 kind == FIT_LIST ? "a list" : "not a number", r->v->s);
		kind = FIT_BAD;
	}
	if (kind == FIT_BAD)
		r->kind = FIT_BAD;
}

enum fit_kind scope_kind_of(void *arg, const struct value *v, struct diagnostics *diag)
{
	struct refs_check r = {.scope = arg, .v = v, .diag = diag};
	struct expr *e = expr_parse(v->s, NULL);

	if (!e)
		return FIT_BAD;
	if (e->op == EXPR_REF) {
		r.kind = kind_of_path(arg, e->ref, v->pos, diag);
	} else {
		r.kind = expr_is_text(e) ? FIT_TEXT : FIT_NUMBER;
		r.numbers = !expr_is_text(e);
		expr_refs(e, check_ref, &r);
	}
	expr_free(e);
	return r.kind;
}

/* The name with its article: "a queue pair", "an address handle". */
static char *object_text(enum object_kind kind)
{
	const char *name = step_object_kind_name(kind);

	return xasprintf("%s %s", strchr("aeiou", name[0]) ? "an" : "a", name);
}

void scope_object(void *arg, const struct param *p, const struct value *v,
		  struct diagnostics *diag)
{
	struct scope *scope = arg;
	const struct scope_name *name = find_name(scope, scope->actor, v->s);
	const char *who = scope->variant->actors[scope->actor].name;
	const char *best;

	if (name && (p->object == OBJECT_NONE || name->object == p->object))
		return;
	best = suggest(scope, scope->actor, v->s, p->object);
	if (name) {
		auto_free char *wanted = object_text(p->object), *is = object_text(name->object);

		diag_add(diag, v->pos, diag_did_you_mean(best),
			 "'%s' takes %s, and '%s' (line %d) is %s", p->name, wanted, v->s,
			 name->pos.line, is);
		return;
	}
	diag_add(diag, v->pos,
		 best ? diag_did_you_mean(best)
		      : xasprintf("an earlier step of host %s must make it, with 'as: %s'", who, v->s),
		 "host %s has no object '%s' here", who, v->s);
}
