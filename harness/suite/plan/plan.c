/* SPDX-License-Identifier: BSD-2-Clause */
#include "plan/plan.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "step/step.h"

void item_fini(struct item *item)
{
	free(item->origin.fragment);
	free(item->origin.round);
	value_free(item->args);
	value_free(item->expect);
	value_free(item->outcomes);
	free(item->as);
	free(item->note);
	*item = (struct item){0};
}

void variant_fini(struct variant *v)
{
	size_t i;

	for (i = 0; i < v->item_count; i++)
		item_fini(&v->items[i]);
	free(v->items);
	free(v->actors);
	free(v->name);
	free(v->id);
	free(v->title);
	free(v->path);
	value_free(v->clauses);
	value_free(v->specs);
	value_free(v->needs);
	value_free(v->services);
	value_free(v->known);
	free(v->crashes);
	free(v->devices);
	*v = (struct variant){0};
}

void plan_fini(struct plan *plan)
{
	size_t i;

	for (i = 0; i < plan->count; i++)
		variant_fini(&plan->item[i]);
	free(plan->item);
	*plan = (struct plan){0};
}

int variant_actor(struct variant *v, int host, int number)
{
	struct actor *a;
	size_t i;

	for (i = 0; i < v->actor_count; i++)
		if (v->actors[i].host == host && v->actors[i].number == number)
			return (int)i;
	GROW(v->actors, v->actor_count);
	a = &v->actors[v->actor_count];
	a->host = host;
	a->number = number;
	if (host == ACTOR_WIRE)
		snprintf(a->name, sizeof(a->name), "wire");
	else if (number)
		snprintf(a->name, sizeof(a->name), "%c.%d", 'a' + host, number);
	else
		snprintf(a->name, sizeof(a->name), "%c", 'a' + host);
	return (int)v->actor_count++;
}

/*
 * The items of a group are posted one after another. A call whose actor is busy is posted when the
 * actor is free, and so are the items below it.
 */
static int64_t group_ms(const struct variant *v, size_t from, size_t to, int64_t *free_ms)
{
	int64_t now = 0, longest = 0;
	size_t i;
	int actor;

	memset(free_ms, 0, v->actor_count * sizeof(*free_ms));
	for (i = from; i < to; i++) {
		actor = v->items[i].actor;
		now = free_ms[actor] > now ? free_ms[actor] : now;
		free_ms[actor] = now + v->items[i].deadline_ms;
		longest = free_ms[actor] > longest ? free_ms[actor] : longest;
	}
	return longest;
}

int variant_longest_ms(const struct variant *v)
{
	auto_free int64_t *free_ms = xcalloc(v->actor_count + 1, sizeof(*free_ms));
	int64_t longest = 0, ms;
	size_t from, to;

	for (from = 0; from < v->item_count; from = to) {
		for (to = from + 1; to < v->item_count && v->items[from].group &&
		     v->items[to].group == v->items[from].group; to++)
			;
		ms = group_ms(v, from, to, free_ms);
		longest = ms > longest ? ms : longest;
	}
	return longest < INT_MAX / 2 ? (int)longest : INT_MAX / 2;
}

bool variant_wants_programs(const struct variant *v)
{
	size_t i;

	for (i = 0; i < v->item_count; i++)
		if (v->items[i].kind->starts_program)
			return true;
	return false;
}

bool variant_shares_processes(const struct variant *v)
{
	size_t i;

	if (v->services->map.count)
		return false;
	for (i = 0; i < v->item_count; i++)
		if (v->items[i].death > 0 || !step_family_of(v->items[i].kind)->only_objects)
			return false;
	return true;
}

void variant_programs(const struct variant *v, struct string_list *out)
{
	size_t i;

	for (i = 0; i < v->item_count; i++) {
		const struct item *item = &v->items[i];
		const struct value *argv = value_get(item->args, "argv");
		auto_free char *command = NULL;

		if (!item->kind->starts_program)
			continue;
		command = xasprintf("sh -c '%s'", value_get_string(item->args, "command", "(made in the run)"));
		if (!argv)
			string_list_add(out, command);
		else if (argv->type == VALUE_LIST && argv->list.count && argv->list.item[0]->type == VALUE_STRING)
			string_list_add(out, argv->list.item[0]->s);
	}
}

bool variant_disturbs(const struct variant *v)
{
	size_t i;

	for (i = 0; i < v->item_count; i++)
		if (v->items[i].kind->disturbs)
			return true;
	return false;
}
