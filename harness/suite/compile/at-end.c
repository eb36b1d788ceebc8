/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/xalloc.h"
#include "compile/compile.h"
#include "step/step.h"

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
