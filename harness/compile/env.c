/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "fail.h"
#include "compile/fit.h"
#include "compile/ref.h"

struct env {
	struct value *vars;	/* owned; map */
	struct value *hosts;	/* owned; map of maps: facts and results */
};

struct env *env_new(const struct value *vars)
{
	struct env *env = xcalloc(1, sizeof(*env));

	env->vars = vars ? value_dup(vars) : value_map();
	env->hosts = value_map();
	return env;
}

void env_free(struct env *env)
{
	if (!env)
		return;
	value_free(env->vars);
	value_free(env->hosts);
	free(env);
}

static struct value *host_map(struct env *env, const char *host)
{
	struct value *map = value_get(env->hosts, host);

	if (!map) {
		map = value_map();
		value_set(env->hosts, host, map);
	}
	return map;
}

void env_set_host(struct env *env, const struct host_info *host)
{
	struct value *map = host_map(env, host->name);
	int ip = (int)value_get_int(env->vars, "ip", 4);
	const struct host_fact *f;

	for (f = host_facts; f->name; f++)
		value_set(map, f->name, f->get(host, ip));
}

void env_set_result(struct env *env, const char *host, const char *as,
		    const struct value *result)
{
	value_set(host_map(env, host), as, value_dup(result));
}

static const struct value *list_item(const struct value *list, const char *index)
{
	char *end;
	unsigned long i = strtoul(index, &end, 10);

	return *index && !*end && i < list->list.count ? list->list.item[i] : NULL;
}

static int lookup(const struct env *env, const char *text, const struct value **out,
		  struct vbm_error *err)
{
	const struct value *at;
	struct ref ref;
	int i;

	if (!ref_parse(text, &ref))
		return vbm_fail(err, EINVAL, "'%s' is not a reference", text);
	at = value_get(ref.count == 1 ? env->vars : env->hosts, ref.part[0]);
	for (i = 1; at && i < ref.count; i++) {
		if (at->type == VALUE_LIST)
			at = list_item(at, ref.part[i]);
		else
			at = value_get(at, ref.part[i]);
	}
	if (!at && i < 3)
		return vbm_fail(err, ENOENT, "'%s' stands for nothing", text);
	if (!at)
		return vbm_fail(err, ENOENT, "'%s': the result of that step has no '%s'", text,
				ref.part[i - 1]);
	*out = at;
	return 0;
}

static int resolve(const struct env *env, struct value **slot, struct vbm_error *err)
{
	const struct value *found;
	struct value *v = *slot;
	size_t i;
	int ret;

	if (ref_is(v)) {
		ret = lookup(env, v->s, &found, err);
		if (ret == 0)
			fit_replace(slot, value_dup(found));
		return ret;
	}
	for (i = 0; v->type == VALUE_LIST && i < v->list.count; i++) {
		ret = resolve(env, &v->list.item[i], err);
		if (ret)
			return ret;
	}
	for (i = 0; v->type == VALUE_MAP && i < v->map.count; i++) {
		ret = resolve(env, &v->map.member[i].value, err);
		if (ret)
			return ret;
	}
	return 0;
}

int env_resolve(const struct env *env, const struct value *in, struct value **out,
		struct vbm_error *err)
{
	auto_value struct value *v = value_dup(in);
	int ret = resolve(env, &v, err);

	if (ret)
		return ret;
	*out = steal(&v);
	return 0;
}
