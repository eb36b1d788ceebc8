/* SPDX-License-Identifier: BSD-2-Clause */
#include "compile/compile.h"

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
