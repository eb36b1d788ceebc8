/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "base/suggest.h"
#include "lib/base/fail.h"
#include "plan/plan.h"
#include "plan/require.h"

/*
 * Checks of a variant that was read from JSON, beyond the types of its members. A
 * plan can come from anywhere, and the runner must not skip over something that
 * it does not understand.
 */

/* Every item of a group must be a plain call by an agent. */
static int check_group(const struct variant *v, size_t at, struct vbm_error *err)
{
	const struct item *it = &v->items[at];

	if (it->group && (it->either || it->mode == ITEM_UNTIL || it->kind->by_runner))
		return vbm_fail(err, EINVAL, "item %zu cannot be posted together with others", at);
	return 0;
}

static int check_outcomes(const struct variant *v, size_t at, struct vbm_error *err)
{
	const struct item *it = &v->items[at], *before = at ? it - 1 : NULL;
	const struct value *o;
	size_t i;

	if (!it->either)
		return it->outcomes ? vbm_fail(err, EINVAL, "item %zu has \"outcomes\" without "
					       "an \"either\"", at) : 0;
	if (!it->outcomes || it->outcomes->list.count < 2 || it->expect ||
	    it->mode != ITEM_ANSWER || it->death != DEATH_UNSAID)
		return vbm_fail(err, EINVAL, "item %zu of an \"either\" needs two outcomes or more, and "
				"can have no other expectation", at);
	for (i = 0; i < it->outcomes->list.count; i++) {
		o = it->outcomes->list.item[i];
		if (o->type != VALUE_MAP && o->type != VALUE_NULL &&
		    !(o->type == VALUE_BOOL && !o->b))
			return vbm_fail(err, EINVAL, "item %zu: an outcome is a map, null or false", at);
	}
	if (before && before->either == it->either &&
	    before->outcomes->list.count != it->outcomes->list.count)
		return vbm_fail(err, EINVAL, "items %zu and %zu of one \"either\" differ in the number of "
				"outcomes", at - 1, at);
	return 0;
}

int variant_check(const struct variant *v, struct vbm_error *err)
{
	struct require req;
	int ret = 0;
	size_t i;

	if (!*v->name || !*v->id)
		return vbm_fail(err, EINVAL, "a variant's name and id are not empty");
	for (i = 0; i < v->needs->list.count && ret == 0; i++)
		ret = require_parse(&req, v->needs->list.item[i]->s, err);
	for (i = 0; i < v->item_count && ret == 0; i++) {
		ret = check_group(v, i, err);
		if (ret == 0)
			ret = check_outcomes(v, i, err);
	}
	return ret;
}

static const struct plan_member *find_member(const char *key, const struct plan_member *known)
{
	while (known->name && strcmp(known->name, key))
		known++;
	return known->name ? known : NULL;
}

static int unknown_member(const char *key, const struct plan_member *known, struct vbm_error *err)
{
	struct suggestion s;
	const char *best;

	suggest_init(&s, key);
	for (; known->name; known++)
		suggest_offer(&s, known->name);
	best = suggest_best(&s);
	return vbm_fail(err, EINVAL, "there is no member \"%s\"%s%s%s", key,
			best ? " (did you mean \"" : "", best ? best : "", best ? "\"?)" : "");
}

int sound_members_check(const struct value *map, const struct plan_member *known, struct vbm_error *err)
{
	const struct plan_member *m;
	const struct value *v;
	size_t i;

	for (i = 0; map->type == VALUE_MAP && i < map->map.count; i++) {
		m = find_member(map->map.member[i].key, known);
		v = map->map.member[i].value;
		if (!m)
			return unknown_member(map->map.member[i].key, known, err);
		if (m->type != VALUE_NULL && m->type != v->type)
			return vbm_fail(err, EINVAL, "\"%s\" is of type %s and has to be of type %s",
					m->name, value_type_name(v->type), value_type_name(m->type));
	}
	return 0;
}
