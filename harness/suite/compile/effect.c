/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "compile/compile.h"

/*
 * Checks that every part of a scenario's own file has an effect. The compiler
 * notes each part that it looks at, and whether it had an effect. If a part had
 * none in every variant and round, that is an error. Parts of a fragment are not
 * checked, because other scenarios may use them.
 */
static size_t slot_of(const struct effects *s, const struct value *part)
{
	size_t at = ((uintptr_t)part >> 4) * 0x9e3779b97f4a7c15u % s->slot_count;

	while (s->slot[at] && s->note[s->slot[at] - 1].part != part)
		at = (at + 1) % s->slot_count;
	return at;
}

/* At most half of the slots are taken, so a search is short. */
static void make_room(struct effects *s)
{
	size_t i;

	if (s->slot_count > 2 * s->count + 2)
		return;
	free(s->slot);
	s->slot_count = s->slot_count ? 4 * s->slot_count : 64;
	s->slot = xcalloc(s->slot_count, sizeof(*s->slot));
	for (i = 0; i < s->count; i++)
		s->slot[slot_of(s, s->note[i].part)] = i + 1;
}

void effect_note(struct compiler *c, enum effect_kind kind, const struct value *part,
		    const char *name, bool had_effect)
{
	struct effects *s = &c->effects;
	struct effect_note *n;
	size_t at;

	if (c->fragment)
		return;
	make_room(s);
	at = slot_of(s, part);
	if (!s->slot[at]) {
		GROW(s->note, s->count);
		s->note[s->count++] = (struct effect_note){.kind = kind, .part = part,
							      .name = name};
		s->slot[at] = s->count;
	}
	n = &s->note[s->slot[at] - 1];
	n->had_effect = n->had_effect || had_effect;
}

void effect_of_variant(struct compiler *c, size_t before)
{
	struct effects *s = &c->effects;

	if (c->v->item_count > before)
		return;
	if (!s->empty_variants++)
		s->empty = xstrdup(c->v->name);
}

static void report_part(struct compiler *c, const struct effect_note *n)
{
	auto_free char *shown = value_show(n->part);

	if (n->kind == EFFECT_VALUE)
		diag_add(c->diag, n->part->pos, NULL, "'$%s' is never %s here", n->name, shown);
	else if (n->kind == EFFECT_GIVEN)
		diag_add(c->diag, n->part->pos, xstrdup("'given' asks about a fragment's parameter"),
			 "'$%s' is a variable of this scenario and always has a value", n->name);
	else if (n->kind == EFFECT_WHEN)
		diag_add(c->diag, n->part->pos, NULL,
			 "this condition holds in no variant, so the step never runs");
	else if (n->kind == EFFECT_NAME)
		diag_add(c->diag, n->part->pos, NULL, "the name '%s' is not used", n->part->s);
	else if (n->kind == EFFECT_ROUNDS)
		diag_add(c->diag, n->part->pos, NULL, "'repeat' has no round: '%s' has no values",
			 n->name);
	else
		diag_add(c->diag, n->part->pos, NULL, "this adds no step in any variant");
}

/* Reports inner parts first. If one has no effect, its message is the most precise. */
static void check_parts(struct compiler *c)
{
	size_t said = c->diag->said, i;
	int kind;

	for (kind = 0; kind < EFFECT_KINDS &&
		       (kind <= EFFECT_GIVEN || c->diag->said == said); kind++)
		for (i = 0; i < c->effects.count; i++)
			if ((int)c->effects.note[i].kind == kind &&
			    !c->effects.note[i].had_effect)
				report_part(c, &c->effects.note[i]);
}

void effect_check(struct compiler *c)
{
	const struct value *steps = value_get(c->root, "steps");
	const struct effects *s = &c->effects;
	auto_free char *others = NULL;

	check_parts(c);
	if (!s->empty_variants)
		return;
	if (s->empty_variants > 1)
		others = xasprintf(" and in %zu more", s->empty_variants - 1);
	diag_add(c->diag, steps->pos, NULL,
		 "a scenario without a step proves nothing: no step is left in '%s'%s", s->empty,
		 others ? others : "");
}

void effect_fini(struct compiler *c)
{
	free(c->effects.note);
	free(c->effects.slot);
	free(c->effects.empty);
}
