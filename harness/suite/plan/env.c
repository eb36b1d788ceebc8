/* SPDX-License-Identifier: BSD-2-Clause */
#include "plan/env.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "names/host.h"
#include "plan/expr.h"
#include "plan/facts.h"
#include "plan/fit.h"

struct env {
	int ip;
	struct value *actors;	/* owned; map of maps: facts and results */
};

struct env *env_new(int ip)
{
	struct env *env = xcalloc(1, sizeof(*env));

	env->ip = ip;
	env->actors = value_map();
	return env;
}

void env_free(struct env *env)
{
	if (!env)
		return;
	value_free(env->actors);
	free(env);
}

static struct value *actor_map(struct env *env, const char *actor)
{
	struct value *map = value_get(env->actors, actor);

	if (!map) {
		map = value_map();
		value_set(env->actors, actor, map);
	}
	return map;
}

void env_set_host(struct env *env, const struct host_info *host)
{
	struct value *map = actor_map(env, host->name);
	const struct host_fact *f;

	for (f = host_facts; f->name; f++)
		value_set(map, f->name, host_fact_get(f, host, env->ip));
}

void env_set_result(struct env *env, const char *actor, const char *as,
		    const struct value *result)
{
	value_set(actor_map(env, actor), as, value_dup(result));
}

static const struct value *member(const struct value *at, const char *part)
{
	int64_t i;

	if (at->type != VALUE_LIST)
		return value_get(at, part);
	return number_read(part, 0, (int64_t)at->list.count - 1, &i) ? at->list.item[i] : NULL;
}

/* Cuts "a.1.q.qp_num" into the actor, which stays in @path, and the rest. */
static const char *cut_actor(char *path)
{
	char *dot = strchr(path, '.');

	if (dot && isdigit((unsigned char)dot[1]))
		dot = strchr(dot + 1, '.');
	if (!dot)
		return "";
	*dot = '\0';
	return dot + 1;
}

/* The facts and results of @actor. "a.1" has the facts of host a. */
static const struct value *known_to(const struct env *env, char *actor, const char *rest)
{
	if (actor[0] && actor[1] == '.' && host_fact_find(rest))
		actor[1] = '\0';
	return value_get(env->actors, actor);
}

static int look_up(void *arg, char **path, struct value **out, struct vbm_error *err)
{
	auto_free char *copy = xstrdup(*path);
	const char *rest = cut_actor(copy);
	const struct env *env = arg;
	auto_free char *parts = xstrdup(rest);
	const struct value *at = known_to(env, copy, parts);
	char *next = parts, *part;
	int depth = 0;

	while (at && (part = strsep(&next, "."))) {
		at = member(at, part);
		if (!at && depth++)
			return vbm_fail(err, ENOENT, "'$%s': the result of that step has no '%s'",
					*path, part);
		depth++;
	}
	if (!at)
		return vbm_fail(err, ENOENT, "'$%s' has no value here", *path);
	*out = value_dup(at);
	return 0;
}

static int evaluate(const struct env *env, struct value **slot, struct vbm_error *err)
{
	struct expr *e = expr_parse((*slot)->s, err);
	int ret;

	if (!e)
		return vbm_wrap(err, "'%s'", (*slot)->s);
	ret = expr_reduce(e, look_up, (void *)(uintptr_t)env, err);
	if (ret == 0)
		fit_replace(slot, steal(&e->constant));
	expr_free(e);
	return ret;
}

static int resolve_value(const struct env *env, struct value **slot, struct vbm_error *err)
{
	struct value *v = *slot;
	int ret = 0;
	size_t i;

	if (v->type == VALUE_EXPR)
		return evaluate(env, slot, err);
	for (i = 0; ret == 0 && v->type == VALUE_LIST && i < v->list.count; i++)
		ret = resolve_value(env, &v->list.item[i], err);
	for (i = 0; ret == 0 && v->type == VALUE_MAP && i < v->map.count; i++)
		ret = resolve_value(env, &v->map.member[i].value, err);
	return ret;
}

int env_resolve(const struct env *env, const struct value *in, struct value **out,
		struct vbm_error *err)
{
	auto_value struct value *v = value_dup(in);
	int ret = resolve_value(env, &v, err);

	if (ret)
		return ret;
	*out = steal(&v);
	return 0;
}

static int bind_expect(const struct item *item, const struct env *env, const struct fit *fit,
		       const struct value *in, struct value **out, struct vbm_error *err)
{
	int ret;

	if (!in)
		return 0;
	ret = env_resolve(env, in, out, err);
	if (ret == 0 && (*out)->type == VALUE_MAP)
		fit_expect(fit, item->kind->name, item->kind->fields, *out);
	return ret;
}

int item_bind(const struct item *item, const struct env *env, struct bound *out,
	      struct vbm_error *err)
{
	struct diagnostics diag = {0};
	const struct fit fit = {.diag = &diag};
	size_t i;
	int ret;

	*out = (struct bound){0};
	ret = env_resolve(env, item->args, &out->args, err);
	if (ret == 0)
		fit_call(&fit, item->kind, out->args, item->origin.pos);
	if (ret == 0)
		ret = bind_expect(item, env, &fit, item->expect, &out->expect, err);
	if (ret == 0 && item->outcomes)
		ret = bind_expect(item, env, &fit, item->outcomes, &out->outcomes, err);
	for (i = 0; out->outcomes && i < out->outcomes->list.count; i++)
		if (out->outcomes->list.item[i]->type == VALUE_MAP)
			fit_expect(&fit, item->kind->name, item->kind->fields,
				   out->outcomes->list.item[i]);
	if (ret == 0 && diag.count) {
		diagnostics_sort(&diag);
		ret = diagnostics_fail(&diag, err);
	}
	diagnostics_fini(&diag);
	if (ret)
		bound_fini(out);
	return ret;
}

void bound_fini(struct bound *b)
{
	value_free(b->args);
	value_free(b->expect);
	value_free(b->outcomes);
	*b = (struct bound){0};
}
