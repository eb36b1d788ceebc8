/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "base/xalloc.h"
#include "compile/check.h"
#include "compile/fit.h"
#include "compile/ref.h"
#include "plan/require.h"

#define DEADLINE_MAX_MS (10 * 60 * 1000)

static void step_as(struct checker *c, struct plan_step *step, struct value *v)
{
	if (v->type != VALUE_STRING || !ref_is_name(v->s))
		diag_add(c->diag, v->pos, NULL,
			 "'as' takes a name of lower-case letters, digits and _");
	else if (host_fact_find(v->s))
		diag_add(c->diag, v->pos, NULL, "'%s' already names the host's own %s", v->s,
			 host_fact_find(v->s)->doc);
	else
		step->as = xstrdup(v->s);
}

static void step_expect(struct checker *c, struct plan_step *step, struct value *v)
{
	struct fit fit = {.diag = c->diag, .scope = &c->scope, .host = step->host};

	if (v->type != VALUE_MAP) {
		diag_add(c->diag, v->pos, NULL,
			 "'expect' takes a map of the result's fields");
		return;
	}
	step->expect = value_dup(v);
	fit_expect(&fit, step->kind->name, step->kind->fields, step->expect);
}

static void step_deadline(struct checker *c, struct plan_step *step, struct value *v)
{
	if (v->type != VALUE_INT || v->i < 1 || v->i > DEADLINE_MAX_MS)
		diag_add(c->diag, v->pos, NULL,
			 "'deadline' takes milliseconds, from 1 to %d", DEADLINE_MAX_MS);
	else if (!step->kind->waits)
		diag_add(c->diag, v->pos, NULL, "%s does not wait, so it has no deadline",
			 step->kind->name);
	else
		step->deadline_ms = (int)v->i;
}

static void step_note(struct checker *c, struct plan_step *step, struct value *v)
{
	const char *text = check_text(c, "note", v);

	step->note = text ? xstrdup(text) : NULL;
}

static const struct {
	const char *name;
	void (*check)(struct checker *c, struct plan_step *step, struct value *v);
} step_keys[] = {
	{"expect", step_expect},
	{"as", step_as},
	{"deadline", step_deadline},
	{"note", step_note},
};

static size_t step_key_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(step_keys); i++)
		if (strcmp(step_keys[i].name, name) == 0)
			break;
	return i;
}

static void unknown_key(struct checker *c, const struct value_member *m)
{
	struct suggestion s;
	const char *best;
	size_t i;

	suggest_init(&s, m->key);
	for (i = 0; i < ARRAY_SIZE(step_keys); i++)
		suggest_offer(&s, step_keys[i].name);
	best = suggest_best(&s);
	diag_add(c->diag, m->pos,
		 best ? diag_did_you_mean(best) : xstrdup("a call is HOST.CALL, as in a.create_qp"),
		 "a step has no key '%s'", m->key);
}

/* The one key HOST.CALL of an item; others are reported. */
static struct value_member *call_of(struct checker *c, struct value *item)
{
	struct value_member *call = NULL, *m;
	bool other = false;
	size_t i;

	for (i = 0; i < item->map.count; i++) {
		m = &item->map.member[i];
		if (strchr(m->key, '.') && !call) {
			call = m;
		} else if (strchr(m->key, '.')) {
			diag_add(c->diag, m->pos, xstrdup("begin it with '- '"),
				 "a second call in one step");
		} else if (step_key_find(m->key) == ARRAY_SIZE(step_keys)) {
			unknown_key(c, m);
			other = true;
		}
	}
	if (!call && !other)
		diag_add(c->diag, item->pos, xstrdup("a call is HOST.CALL, as in a.create_qp"),
			 "a step without a call");
	return call;
}

static int host_of(struct checker *c, const struct value_member *call)
{
	auto_free char *hint = NULL;
	size_t n = strcspn(call->key, ".");
	int host = call->key[0] - 'a';

	if (n == 1 && host >= 0 && host < c->scope.hosts)
		return host;
	if (n == 1 && host >= 0 && host < SCENARIO_HOSTS_MAX)
		hint = xasprintf("'fabric: {mesh: %d}' has it", host + 1);
	diag_add(c->diag, call->pos, steal(&hint),
		 "there is no host '%.*s' in this fabric, which has a to %c", (int)n, call->key,
		 'a' + c->scope.hosts - 1);
	return -1;
}

static const struct step_kind *kind_of(struct checker *c, const struct value_member *call)
{
	const char *name = strchr(call->key, '.') + 1, *best;
	const struct step_kind *kind = step_find(name);

	if (kind)
		return kind;
	best = step_suggest(name);
	diag_add(c->diag, call->pos,
		 best ? diag_did_you_mean(best) : xstrdup("verbatim list --steps has them all"),
		 "there is no step '%s'", name);
	return NULL;
}

static void step_args(struct checker *c, struct plan_step *step,
		      const struct value_member *call)
{
	struct fit fit = {.diag = c->diag, .scope = &c->scope, .host = step->host};

	if (call->value->type == VALUE_MAP) {
		step->args = value_dup(call->value);
	} else {
		step->args = value_map();
		step->args->pos = call->value->pos;
	}
	if (call->value->type == VALUE_MAP || call->value->type == VALUE_NULL)
		fit_args(&fit, step->kind->name, step->kind->params, step->args, call->pos);
	else
		diag_add(c->diag, call->value->pos, NULL, "%s takes a map of parameters",
			 step->kind->name);
}

static void add_need(struct scenario *s, const char *needs)
{
	size_t i;

	if (!needs)
		return;
	for (i = 0; i < s->requires->list.count; i++)
		if (strcmp(s->requires->list.item[i]->s, needs) == 0)
			return;
	value_append(s->requires, value_string(needs));
}

void check_step(struct checker *c, struct value *item)
{
	struct plan_step step = {.deadline_ms = SCENARIO_DEADLINE_MS};
	const struct value_member *call;
	const char *usual;
	size_t i, key;

	if (item->type != VALUE_MAP) {
		diag_add(c->diag, item->pos, xstrdup("as in '- a.alloc_pd: {}'"),
			 "a step is a map with one call");
		return;
	}
	call = call_of(c, item);
	if (!call)
		return;
	step.pos = call->pos;
	step.host = host_of(c, call);
	step.kind = kind_of(c, call);
	if (step.host < 0 || !step.kind)
		return;
	step_args(c, &step, call);
	for (i = 0; i < item->map.count; i++) {
		key = step_key_find(item->map.member[i].key);
		if (key < ARRAY_SIZE(step_keys))
			step_keys[key].check(c, &step, item->map.member[i].value);
	}
	usual = step_default_name(step.kind->makes);
	if (!step.as && usual)
		step.as = xstrdup(usual);
	if (step.as)
		scope_define(&c->scope, step.host, step.as, step.kind, step.pos);
	add_need(c->s, step.kind->needs);
	GROW(c->s->steps, c->s->step_count);
	c->s->steps[c->s->step_count++] = step;
}

void check_steps(struct checker *c, struct value *list)
{
	size_t i;

	if (list->type != VALUE_LIST) {
		diag_add(c->diag, list->pos, NULL, "'steps' takes a list");
		return;
	}
	if (!list->list.count)
		diag_add(c->diag, list->pos, NULL, "a scenario without a step proves nothing");
	for (i = 0; i < list->list.count; i++)
		check_step(c, list->list.item[i]);
}
