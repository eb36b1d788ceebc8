/* SPDX-License-Identifier: BSD-2-Clause */
#include "compile/compile.h"

#include <string.h>

#include "base/xalloc.h"
#include "step/step.h"

/*
 * Checks the items of a "together:". A step begins when all steps above it have
 * begun, and a host makes one call at a time. So if a host waits and has a
 * second step, all steps below that one begin only when the wait has ended.
 */
static bool waits(const struct item *it)
{
	return it->kind->waits && it->mode == ITEM_ANSWER && value_get_bool(it->args, "wait", true);
}

/* The first item from @i on that belongs to @actor (@own), or to any other actor. */
static size_t next_of(const struct variant *v, size_t i, int actor, bool own)
{
	while (i < v->item_count && (v->items[i].actor == actor) != own)
		i++;
	return i;
}

static void warn_order(struct compiler *c, size_t from, size_t i)
{
	const struct variant *v = c->v;
	const struct item *it = &v->items[i], *behind, *peer;
	size_t own = next_of(v, i + 1, it->actor, true), k;

	if (!waits(it) || own == v->item_count || next_of(v, from, it->actor, false) < own)
		return;
	k = next_of(v, own, it->actor, false);
	if (k == v->item_count)
		return;
	behind = &v->items[own];
	peer = &v->items[k];
	diag_warn(c->diag, it->origin.pos, "%s.%s waits, and %s.%s (line %d) begins only after "
		  "%s.%s (line %d), which begins when this wait has ended: put the step that ends the wait "
		  "directly after it", v->actors[it->actor].name, it->kind->name,
		  v->actors[peer->actor].name, peer->kind->name, peer->origin.pos.line,
		  v->actors[it->actor].name, behind->kind->name, behind->origin.pos.line);
}

void group_check(struct compiler *c, size_t from, struct pos pos, size_t said)
{
	const struct item *items = c->v->items;
	bool several = false;
	size_t i;

	for (i = from; i < c->v->item_count; i++) {
		if (items[i].mode == ITEM_UNTIL || items[i].kind->by_runner)
			diag_add(c->diag, items[i].origin.pos, NULL,
				 "%s cannot stand in 'together'", items[i].mode == ITEM_UNTIL ?
				 "'until'" : items[i].kind->name);
		several = several || items[i].actor != items[from].actor;
		warn_order(c, from, i);
	}
	if (!several && c->diag->said == said)
		diag_add(c->diag, pos, NULL, "'together' needs steps of at least two hosts or processes");
}

/* Fields with milliseconds of this machine's clock. */
static bool is_time(const char *field)
{
	return strcmp(field, "elapsed_ms") == 0 || strcmp(field, "since_post_ms") == 0;
}

static bool time_is_virtual(const struct variant *v)
{
	size_t i;

	for (i = 0; i < v->needs->list.count; i++)
		if (strcmp(v->needs->list.item[i]->s, "time=virtual") == 0)
			return true;
	return false;
}

static void warn_limits(struct compiler *c, const struct value *expect)
{
	const struct value_member *m;
	size_t i;

	for (i = 0; expect && expect->type == VALUE_MAP && i < expect->map.count; i++) {
		m = &expect->map.member[i];
		if (is_time(m->key) && m->value->type == VALUE_MAP && value_get(m->value, "max"))
			diag_warn(c->diag, m->value->pos, "a busy machine may take longer: limit the step by "
				  "'deadline:', which a slow machine multiplies, or ask for 'requires: time=virtual'");
	}
}

void compile_check_busy(struct compiler *c)
{
	const struct variant *v = c->v;
	const struct value *outcomes;
	size_t i, k;

	if (time_is_virtual(v))
		return;
	for (i = 0; i < v->item_count; i++) {
		warn_limits(c, v->items[i].expect);
		outcomes = v->items[i].outcomes;
		for (k = 0; outcomes && k < outcomes->list.count; k++)
			warn_limits(c, outcomes->list.item[k]);
	}
}

/*
 * Steps whose kind has @at_end: the variant gets one more step for each at its end, which
 * looks whether the first one had an effect. It has the position of the first one, and the number of the
 * step among those of its kind's object on its actor.
 */
static struct origin same_origin(const struct origin *o)
{
	struct origin same = *o;

	same.fragment = o->fragment ? xstrdup(o->fragment) : NULL;
	same.round = o->round ? xstrdup(o->round) : NULL;
	return same;
}

static int number_of(const struct variant *v, size_t n)
{
	int number = 0;
	size_t i;

	for (i = 0; i < n; i++)
		number += v->items[i].actor == v->items[n].actor && v->items[i].kind->makes == v->items[n].kind->makes;
	return number;
}

static void add_end(struct variant *v, size_t n)
{
	const struct step_kind *kind = step_find(v->items[n].kind->at_end);
	struct item item = {
		.actor = v->items[n].actor, .kind = kind, .args = value_map(), .death = DEATH_UNSAID,
		.origin = same_origin(&v->items[n].origin), .deadline_ms = step_deadline_ms(kind),
	};

	value_set_int(item.args, "nth", number_of(v, n));
	GROW(v->items, v->item_count);
	v->items[v->item_count++] = item;
}

/* A branch of either: may not be taken, and a process that was killed does nothing more. */
void compile_add_ends(struct compiler *c)
{
	size_t count = c->v->item_count, i;

	for (i = 0; i < count; i++)
		if (c->v->items[i].kind->at_end && !c->v->items[i].either && !c->ended[c->v->items[i].actor].line)
			add_end(c->v, i);
}
