/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/match.h"
#include "base/number.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "compile/compile.h"

/* Constructs contain steps. Each is a line of the table below. */
static void expand_used(struct compiler *c, const struct value *step)
{
	compile_expand_use(c, value_get(step, "use"));
}

/* The list of a variable, if @v is "$name". The list is borrowed, because notes about its parts outlive the step. */
static const struct value *list_of_variable(const struct compiler *c, const struct value *v)
{
	const struct vars *var = v->type == VALUE_STRING && v->s[0] == '$' ? vars_find(c, v->s + 1) : NULL;

	return var && var->value ? var->value : v;
}

/* Expands several steps under one "when:", or those that a row of cases has. */
static void expand_block(struct compiler *c, const struct value *step)
{
	c->depth++;
	compile_expand_steps(c, list_of_variable(c, value_get(step, "steps")), "steps");
	c->depth--;
}

static void expand_repeat(struct compiler *c, const struct value *step);
static void expand_together(struct compiler *c, const struct value *step);
static void expand_either(struct compiler *c, const struct value *step);

static const struct construct {
	const char *key;
	void (*expand)(struct compiler *c, const struct value *step);
	const char *also;	/* the other keys that it takes, separated by spaces */
	bool in_together;
	bool without_steps;	/* it has an effect although it adds no step */
} constructs[] = {
	{"use", expand_used, "when note", true, false},
	{"repeat", expand_repeat, "steps when note", true, false},
	{"together", expand_together, "when note", false, false},
	{"either", expand_either, "why when note", false, false},
	{"steps", expand_block, "when note", true, false},
	{"requires", compile_expand_requires, "when note", true, true},
};

static const struct construct *construct_of(const struct value *step)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(constructs); i++)
		if (value_get(step, constructs[i].key))
			return &constructs[i];
	return NULL;
}

bool construct_keys(struct compiler *c, const struct value *step)
{
	const struct construct *k = construct_of(step);
	size_t i;

	for (i = 0; k && i < step->map.count; i++)
		if (strcmp(step->map.member[i].key, k->key) &&
		    !match_word(k->also, step->map.member[i].key))
			diag_add(c->diag, step->map.member[i].pos, NULL,
				 "'%s' cannot stand beside '%s'", step->map.member[i].key, k->key);
	return k != NULL;
}

static void expand_construct(struct compiler *c, const struct construct *k,
			     const struct value *step)
{
	construct_keys(c, step);
	if (c->group && !k->in_together)
		diag_add(c->diag, step->pos, NULL, "'%s' cannot stand in 'together'", k->key);
	else if (c->depth >= 2 * SCENARIO_NESTED_MAX)
		diag_add(c->diag, step->pos, NULL, "nested too deep");
	else
		k->expand(c, step);
}

void compile_expand_steps(struct compiler *c, const struct value *list, const char *key)
{
	const struct construct *k;
	const struct value *step;
	size_t i, before;

	if (list->type != VALUE_LIST || (!list->list.count && strcmp(key, "steps") == 0)) {
		diag_add(c->diag, list->pos, NULL, "'%s' takes a list%s", key,
			 list->type == VALUE_LIST ? " with at least one step" : "");
		return;
	}
	for (i = 0; i < list->list.count; i++) {
		step = list->list.item[i];
		if (!compiler_visits(c, step->pos))
			return;
		if (step->type != VALUE_MAP) {
			diag_add(c->diag, step->pos, xstrdup("as in '- a.alloc_pd: {}'"),
				 "a step is a map with one call");
			continue;
		}
		if (!step_wanted(c, step))
			continue;
		before = c->v->item_count;
		k = construct_of(step);
		if (k)
			expand_construct(c, k, step);
		else
			compile_expand_call(c, step);
		effect_note(c, EFFECT_STEP, step, NULL,
			    c->v->item_count > before || (k && k->without_steps));
	}
}

static void refuse_rounds(struct compiler *c, const struct value *v)
{
	auto_free char *shown = v->type == VALUE_STRING ? xstrdup(v->s) : value_show(v);

	diag_add(c->diag, v->pos, NULL, "'%s' must make 1 to %d rounds", shown,
		 SCENARIO_ROUNDS_MAX);
}

/* Adds a range of numbers "1..8" or of hosts "b..d"; false when @s is neither. */
static bool add_range(struct compiler *c, struct value *out, const struct value *v)
{
	const char *s = v->s, *dots = strstr(s, "..");
	bool letters = dots == s + 1 && islower((unsigned char)s[0]) &&
		       islower((unsigned char)dots[2]) && !dots[3];
	int64_t from, to, span, i;

	if (!dots)
		return false;
	if (letters) {
		from = s[0];
		to = dots[2];
	} else if (!number_part(s, (size_t)(dots - s), INT64_MIN, INT64_MAX, &from) ||
		   !number_read(dots + 2, INT64_MIN, INT64_MAX, &to)) {
		return false;
	}
	if (__builtin_sub_overflow(to, from, &span) || span < 0 || span >= SCENARIO_ROUNDS_MAX) {
		refuse_rounds(c, v);
		return true;
	}
	for (i = 0; i <= span; i++)
		value_append(out, letters ? value_format_string("%c", (int)(from + i)) :
					    value_int(from + i));
	return true;
}

/* The values that the variable of repeat: takes, one a round; owned. */
static struct value *rounds_of(struct compiler *c, const struct value *v)
{
	struct value *out = value_list();
	int64_t i;
	int h;

	if (v->type == VALUE_LIST) {
		value_free(out);
		out = value_dup(v);
	} else if (v->type == VALUE_INT && v->i >= 0 && v->i <= SCENARIO_ROUNDS_MAX) {
		for (i = 1; i <= v->i; i++)
			value_append(out, value_int(i));
	} else if (v->type == VALUE_INT) {
		diag_add(c->diag, v->pos, NULL, "'repeat' must make 1 to %d rounds",
			 SCENARIO_ROUNDS_MAX);
	} else if (v->type == VALUE_STRING &&
		   (!strcmp(v->s, "hosts") || !strcmp(v->s, "others"))) {
		for (h = strcmp(v->s, "others") == 0; h < c->scope.hosts; h++)
			value_append(out, value_format_string("%c", 'a' + h));
	} else if (v->type != VALUE_STRING || !add_range(c, out, v)) {
		diag_add(c->diag, v->pos, NULL, "a variable of 'repeat' takes a count, 1..8, b..d, "
			 "a list, hosts or others");
	}
	return out;
}

static char *round_text(const struct compiler *c, const char *name, const struct value *v)
{
	const char *label = v->type == VALUE_MAP ? value_get_string(v, "case", "...") : "...";
	auto_free char *text = v->type == VALUE_LIST || v->type == VALUE_MAP ?
				       xstrdup(label) : fit_scalar_text(v);

	return c->origin.round ? xasprintf("%s, %s=%s", c->origin.round, name, text) :
				 xasprintf("%s=%s", name, text);
}

static bool repeat_name(struct compiler *c, const struct value_member *m)
{
	int host = m->key[0] - 'a';

	if (!scenario_is_name(m->key)) {
		diag_add(c->diag, m->pos, NULL,
			 "a variable's name is lower-case letters, digits and _");
		return false;
	}
	if (!m->key[1] && host >= 0 && host < c->scope.hosts) {
		diag_add(c->diag, m->pos, NULL, "'%s' is a host of this fabric", m->key);
		return false;
	}
	return true;
}

static void expand_repeat(struct compiler *c, const struct value *step)
{
	const struct value *repeat = value_get(step, "repeat"), *steps = value_get(step, "steps");
	auto_value struct value *over = NULL, *rounds = NULL;
	const struct value_member *m;
	char *before = c->origin.round;
	size_t i, said;

	if (repeat->type != VALUE_MAP || repeat->map.count != 1) {
		diag_add(c->diag, repeat->pos, NULL, "'repeat' takes one variable, for example {i: 1..8}");
		return;
	}
	if (!steps) {
		diag_add(c->diag, step->pos, NULL, "'repeat' needs 'steps:', the steps to repeat");
		return;
	}
	m = &repeat->map.member[0];
	over = value_dup(m->value);
	if (!repeat_name(c, m) || !compile_expand_value(c, &over))
		return;
	rounds = rounds_of(c, over);
	if (!rounds->list.count && (m->value->type == VALUE_INT || m->value->type == VALUE_LIST))
		refuse_rounds(c, m->value);
	effect_note(c, EFFECT_ROUNDS, m->value, m->key, rounds->list.count > 0);
	said = c->diag->said;
	c->depth++;
	/* An error in one round is most often in all, so the first round with errors is the last. */
	for (i = 0; i < rounds->list.count && c->diag->said == said &&
	     compiler_visits(c, step->pos); i++) {
		struct vars var = {.name = m->key, .value = rounds->list.item[i], .up = c->vars,
				   .given = true, .round = true};
		auto_free char *round = round_text(c, m->key, var.value);

		c->vars = &var;
		c->origin.round = round;
		compile_expand_steps(c, steps, "steps");
		c->vars = var.up;
		c->origin.round = before;
	}
	c->depth--;
}

static void expand_together(struct compiler *c, const struct value *step)
{
	const struct value *list = value_get(step, "together");
	size_t from = c->v->item_count, said = c->diag->said, i;
	const struct item *it;

	c->group = ++c->groups;
	compile_expand_steps(c, list, "together");
	c->group = 0;
	group_check(c, from, list->pos, said);
	for (i = from; i < c->v->item_count; i++) {
		it = &c->v->items[i];
		if (it->as)
			scope_define(&c->scope, it->actor, it->as, it->kind, it->origin.pos, true);
	}
}

/* The steps of one outcome, taken from the end of the variant's items. */
struct outcome_steps {
	struct item *item;	/* owned */
	size_t count;
};

static struct outcome_steps expand_outcome(struct compiler *c, const struct value *list)
{
	size_t from = c->v->item_count, names = c->scope.count, i;
	struct outcome_steps out = {0};

	compile_expand_steps(c, list, "either");
	scope_cut(&c->scope, names);
	for (i = from; i < c->v->item_count; i++) {
		if (c->v->items[i].group || c->v->items[i].either ||
		    c->v->items[i].mode != ITEM_ANSWER ||
		    c->v->items[i].death != DEATH_UNSAID)
			diag_add(c->diag, c->v->items[i].origin.pos, NULL,
				 "an outcome of 'either' may contain only plain calls");
		GROW(out.item, out.count);
		out.item[out.count++] = c->v->items[i];
	}
	c->v->item_count = from;
	if (!out.count && !c->diag->count)
		diag_add(c->diag, list->pos, NULL, "an outcome needs a step");
	return out;
}

static bool same_call(const struct item *a, const struct item *b)
{
	return a->actor == b->actor && a->kind == b->kind && value_equal(a->args, b->args) &&
	       (!a->as || !b->as || strcmp(a->as, b->as) == 0);
}

/* The expectation that outcome @o has of call @i, in the form of struct item. */
static struct value *outcome_value(const struct outcome_steps *o, size_t i)
{
	if (i >= o->count)
		return value_bool(false);
	return o->item[i].expect ? value_dup(o->item[i].expect) : value_null();
}

/* Whether outcome @k never counts because an earlier outcome is always complete first. */
static bool is_repeated(const struct outcome_steps *o, size_t k)
{
	size_t i, before;

	for (before = 0; before < k; before++) {
		for (i = 0; i < o[k].count && i < o[before].count; i++) {
			auto_value struct value *a = outcome_value(&o[before], i);
			auto_value struct value *b = outcome_value(&o[k], i);

			if (!value_equal(a, b))
				break;
		}
		if (i == o[before].count)
			return true;
	}
	return false;
}

static void merge_outcomes(struct compiler *c, struct outcome_steps *o, size_t count)
{
	size_t longest = 0, i, k;
	struct item *it;

	for (k = 1; k < count; k++)
		if (o[k].count > o[longest].count)
			longest = k;
	c->eithers++;
	for (i = 0; i < o[longest].count; i++) {
		it = &o[longest].item[i];
		it->outcomes = value_list();
		it->outcomes->pos = it->origin.pos;
		it->either = c->eithers;
		for (k = 0; k < count; k++) {
			if (i < o[k].count && !same_call(it, &o[k].item[i]))
				diag_add(c->diag, o[k].item[i].origin.pos, NULL,
					 "the outcomes of 'either' begin with the same calls: they "
					 "may differ only in their expectations and in their length");
			value_append(it->outcomes, outcome_value(&o[k], i));
		}
		value_free(it->expect);
		it->expect = NULL;
		if (it->as)
			scope_define(&c->scope, it->actor, it->as, it->kind, it->origin.pos, true);
		GROW(c->v->items, c->v->item_count);
		c->v->items[c->v->item_count++] = *it;
		*it = (struct item){0};
	}
}

static void expand_either(struct compiler *c, const struct value *step)
{
	const struct value *list = value_get(step, "either"), *why = value_get(step, "why");
	struct outcome_steps *o;
	size_t i, k;

	if (list->type != VALUE_LIST || list->list.count < 2) {
		diag_add(c->diag, list->pos, NULL, "'either' takes a list of two outcomes or more, "
			 "each a list of steps");
		return;
	}
	if (!why || why->type != VALUE_STRING || !*why->s)
		diag_add(c->diag, why ? why->pos : step->pos, NULL,
			 "'either' needs 'why:', a sentence that says why more than one outcome is right");
	o = xcalloc(list->list.count, sizeof(*o));
	for (i = 0; i < list->list.count; i++)
		o[i] = expand_outcome(c, list->list.item[i]);
	for (i = 1; i < list->list.count && !c->diag->count; i++)
		if (is_repeated(o, i))
			diag_add(c->diag, list->list.item[i]->pos, NULL,
				 "an outcome above has the same expectations, so this one never counts");
	merge_outcomes(c, o, list->list.count);
	for (i = 0; i < list->list.count; i++) {
		for (k = 0; k < o[i].count; k++)
			item_fini(&o[i].item[k]);
		free(o[i].item);
	}
	free(o);
}
