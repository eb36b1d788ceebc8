/* SPDX-License-Identifier: BSD-2-Clause */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "base/xalloc.h"
#include "compile/compile.h"
#include "plan/facts.h"

#define DEADLINE_MAX_MS (24 * 60 * 60 * 1000)

/* A step while the compiler reads it. */
struct steps_reading {
	struct compiler *c;
	const struct value *map;	/* as the file writes it */
	struct item item;
	struct fit_scope scope;
	struct fit fit;
};

static void key_as(struct steps_reading *r, struct value *v)
{
	if (v->type != VALUE_STRING || !scenario_is_name(v->s))
		diag_add(r->c->diag, v->pos, NULL,
			 "'as' takes a name of lower-case letters, digits and _");
	else if (host_fact_find(v->s))
		diag_add(r->c->diag, v->pos, NULL, "'%s' already names the host's own %s", v->s,
			 host_fact_find(v->s)->doc);
	else
		r->item.as = xstrdup(v->s);
}

static int signal_number(const char *name)
{
	int sig;

	if (strncmp(name, "SIG", 3) == 0)
		name += 3;
	for (sig = 1; sig < NSIG; sig++)
		if (sigabbrev_np(sig) && strcmp(sigabbrev_np(sig), name) == 0)
			return sig;
	return DEATH_UNSAID;
}

/* Takes "death: SEGV" or "death: none" out of the fields of expect. */
static void take_death(struct steps_reading *r, struct value *expect)
{
	struct value_member *m = value_member(expect, "death");
	const struct value *v;
	size_t at;

	if (!m)
		return;
	v = m->value;
	r->item.death = v->type != VALUE_STRING ? DEATH_UNSAID :
			strcmp(v->s, "none") == 0 ? DEATH_NONE : signal_number(v->s);
	if (r->item.death == DEATH_UNSAID)
		diag_add(r->c->diag, v->pos, NULL, "'death' takes none or a signal, for example SEGV");
	if (r->item.death > 0 && expect->map.count > 1)
		diag_add(r->c->diag, v->pos, NULL, "a call that kills its process has no other fields");
	at = (size_t)(m - expect->map.member);
	free(m->key);
	value_free(m->value);
	memmove(m, m + 1, (expect->map.count - at - 1) * sizeof(*m));
	expect->map.count--;
}

static bool take_expect(struct steps_reading *r, struct value *v, const char *key)
{
	const struct value *own = value_get(r->map, key);

	/* This tests the map of the file: the expanded map loses members whose parameter has no value. */
	if (own->type == VALUE_MAP && !own->map.count)
		diag_add(r->c->diag, own->pos, xstrdup("without the key, the call must succeed"),
			 "'%s' is empty", key);
	if (v->type != VALUE_MAP) {
		diag_add(r->c->diag, v->pos, NULL,
			 "'%s' takes a map of the result's fields%s", key,
			 strcmp(key, "expect") == 0 ? ", or the word nothing" : "");
		return false;
	}
	r->item.expect = value_dup(v);
	compile_choose_by_device(r->c, &r->item.expect);
	take_death(r, r->item.expect);
	fit_expect(&r->fit, r->item.kind->name, r->item.kind->fields, r->item.expect);
	return true;
}

static void key_expect(struct steps_reading *r, struct value *v)
{
	if (v->type != VALUE_STRING || v->quoted || strcmp(v->s, "nothing")) {
		take_expect(r, v, "expect");
		return;
	}
	r->item.mode = ITEM_NOTHING;
	if (!r->item.kind->waits)
		diag_add(r->c->diag, v->pos, NULL, "%s does not wait, so 'expect: nothing' is not possible",
			 r->item.kind->name);
	else if (!value_get(r->map, "within"))
		diag_add(r->c->diag, v->pos, NULL,
			 "'expect: nothing' needs 'within:', a time in milliseconds");
}

static void key_until(struct steps_reading *r, struct value *v)
{
	const struct value *expect = value_get(r->map, "expect");

	if (expect)
		diag_add(r->c->diag, v->pos, NULL, "'until' replaces 'expect', so a step has only one of them");
	else if (!r->item.kind->query)
		diag_add(r->c->diag, v->pos, xstrdup("only calls that change nothing can be repeated"),
			 "%s cannot be repeated until something holds", r->item.kind->name);
	else if (take_expect(r, v, "until"))
		r->item.mode = ITEM_UNTIL;
}

static bool milliseconds(struct steps_reading *r, const char *key, const struct value *v)
{
	if (v->type == VALUE_INT && v->i >= 1 && v->i <= DEADLINE_MAX_MS)
		return true;
	diag_add(r->c->diag, v->pos, NULL, "'%s' takes milliseconds, from 1 to %d", key,
		 DEADLINE_MAX_MS);
	return false;
}

static void key_deadline(struct steps_reading *r, struct value *v)
{
	if (milliseconds(r, "deadline", v))
		r->item.deadline_ms = (int)v->i;
}

static void key_within(struct steps_reading *r, struct value *v)
{
	if (!milliseconds(r, "within", v))
		return;
	if (r->item.mode != ITEM_NOTHING)
		diag_add(r->c->diag, v->pos, NULL, "'within' belongs to 'expect: nothing'");
	r->item.deadline_ms = (int)v->i;
}

static void key_note(struct steps_reading *r, struct value *v)
{
	const char *text = scalar_text(r->c, "note", v);

	r->item.note = text ? xstrdup(text) : NULL;
}

/* The compiler reads the keys in this order, whatever their order in the file. */
static const struct {
	const char *name;
	void (*take)(struct steps_reading *r, struct value *v);
	bool plain;	/* a text without references */
} step_keys[] = {
	{"expect", key_expect, false},	   {"until", key_until, false},
	{"as", key_as, false},		   {"deadline", key_deadline, false},
	{"within", key_within, false},	   {"note", key_note, true},
	{"when", NULL, false},
};

static bool is_step_key(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(step_keys); i++)
		if (strcmp(step_keys[i].name, name) == 0)
			return true;
	return false;
}

static void unknown_key(struct compiler *c, const struct value_member *m)
{
	static const char *const constructs[] = {"use", "repeat", "together", "either",
						  "steps", "requires"};
	struct suggestion s;
	const char *best;
	size_t i;

	suggest_init(&s, m->key);
	for (i = 0; i < ARRAY_SIZE(step_keys); i++)
		suggest_offer(&s, step_keys[i].name);
	for (i = 0; i < ARRAY_SIZE(constructs); i++)
		suggest_offer(&s, constructs[i]);
	best = suggest_best(&s);
	diag_add(c->diag, m->pos,
		 best ? diag_did_you_mean(best) : xstrdup("a call is HOST.CALL, for example a.create_qp"),
		 "a step has no key '%s'", m->key);
}

/* The one key HOST.CALL of a step. Reports any further one. */
const struct value_member *step_call(struct compiler *c, const struct value *step)
{
	const struct value_member *call = NULL, *m;
	bool other = false;
	size_t i;

	for (i = 0; i < step->map.count; i++) {
		m = &step->map.member[i];
		if (strchr(m->key, '.') && !call) {
			call = m;
		} else if (strchr(m->key, '.')) {
			diag_add(c->diag, m->pos, xstrdup("begin it with '- '"),
				 "a step may have only one call");
		} else if (!is_step_key(m->key)) {
			unknown_key(c, m);
			other = true;
		}
	}
	if (!call && !other)
		diag_add(c->diag, step->pos, xstrdup("a call is HOST.CALL, for example a.create_qp"),
			 "a step needs a call");
	return call;
}

const struct step_kind *step_kind_at(struct compiler *c, const char *name, struct pos pos)
{
	const struct step_kind *kind = step_find(name);
	const char *best;

	if (kind)
		return kind;
	best = step_suggest(name);
	diag_add(c->diag, pos,
		 best ? diag_did_you_mean(best) : xstrdup("verbatim list --steps lists them all"),
		 "there is no step '%s'", name);
	return NULL;
}

/* Whether the step opens the device of a host that has none. All other calls need what this one makes. */
static bool opens_nothing(struct steps_reading *r, struct pos pos)
{
	const struct actor *actor = &r->c->v->actors[r->item.actor];

	if (r->item.kind->makes != OBJECT_CONTEXT || !(r->c->v->scripted >> actor->host & 1))
		return false;
	diag_add(r->c->diag, pos, xstrdup("send_packet and see_packet need none"),
		 "host %c has no RDMA device, as 'fabric: {script: ...}' says", 'a' + actor->host);
	return true;
}

/* Reads "a.1.create_qp": the actor and the call. */
static bool read_key(struct steps_reading *r, const struct value_member *call)
{
	auto_free char *key = compile_expand_key(r->c, call);
	const char *dot = key ? strrchr(key, '.') : NULL;

	if (!dot)
		return false;
	r->item.actor = scope_actor(&r->c->scope, key, (size_t)(dot - key), call->pos,
				    r->c->diag);
	r->item.kind = step_kind_at(r->c, dot + 1, call->pos);
	if (r->item.actor < 0 || !r->item.kind)
		return false;
	if (r->c->v->actors[r->item.actor].host == ACTOR_WIRE) {
		diag_add(r->c->diag, call->pos, NULL, "the wire has no step '%s'", r->item.kind->name);
		return false;
	}
	return !opens_nothing(r, call->pos);
}

static void read_args(struct steps_reading *r, const struct value_member *call)
{
	struct compiler *c = r->c;

	r->item.args = value_dup(call->value);
	if (!compile_expand_value(c, &r->item.args))
		return;
	if (r->item.args->type == VALUE_NULL) {
		value_free(r->item.args);
		r->item.args = value_map();
	}
	if (r->item.args->type == VALUE_MAP)
		fit_call(&r->fit, r->item.kind, r->item.args, call->pos);
	else
		diag_add(c->diag, call->value->pos, NULL, "%s takes a map of parameters",
			 r->item.kind->name);
}

static void read_keys(struct steps_reading *r)
{
	const struct value *own;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(step_keys); i++) {
		auto_value struct value *v = NULL;

		own = value_get(r->map, step_keys[i].name);
		if (!own || !step_keys[i].take)
			continue;
		v = value_dup(own);
		if (step_keys[i].plain || compile_expand_value(r->c, &v))
			step_keys[i].take(r, v);
	}
}

static void add_need(struct variant *v, const char *needs, struct pos pos)
{
	struct value *need;
	size_t i;

	if (!needs)
		return;
	for (i = 0; i < v->needs->list.count; i++)
		if (strcmp(v->needs->list.item[i]->s, needs) == 0)
			return;
	need = value_string(needs);
	need->pos = pos;
	value_append(v->needs, need);
}

static void require_one(struct compiler *c, const struct value *v)
{
	if (v->type != VALUE_STRING)
		diag_add(c->diag, v->pos, NULL, "'requires' takes a condition or a list of them");
	else if (compile_is_need(c, v->s, v->pos))
		add_need(c->v, v->s, v->pos);
}

void compile_expand_requires(struct compiler *c, const struct value *step)
{
	const struct value *list = value_get(step, "requires");
	size_t i;

	if (list->type != VALUE_LIST)
		require_one(c, list);
	for (i = 0; list->type == VALUE_LIST && i < list->list.count; i++)
		require_one(c, list->list.item[i]);
}

/* A scenario that says which devices its hosts have knows what they can do. */
static void add_abilities(struct variant *v, const struct item *item)
{
	const char *ability;
	size_t next = 0;

	while (!v->devices && (ability = abilities_of_step(item->kind->name, item->args, &next))) {
		auto_free char *need = xasprintf("can=%s", ability);

		add_need(v, need, item->origin.pos);
	}
}

static bool refuse_more(struct compiler *c, struct pos pos)
{
	if (!c->overflow)
		diag_add(c->diag, pos, xstrdup("split it into several files"),
			 "this makes more than %d steps, or %d in all variants",
			 SCENARIO_ITEMS_MAX, SCENARIO_FILE_ITEMS_MAX);
	c->overflow = true;
	return false;
}

static bool has_room(struct compiler *c, struct pos pos)
{
	if (c->v->item_count < SCENARIO_ITEMS_MAX && c->items < SCENARIO_FILE_ITEMS_MAX)
		return true;
	return refuse_more(c, pos);
}

bool compiler_visits(struct compiler *c, struct pos pos)
{
	if (c->overflow)
		return false;
	return c->visits++ < SCENARIO_VISITS_MAX || refuse_more(c, pos);
}

static struct origin origin_of(const struct compiler *c, struct pos pos)
{
	struct origin o = {.pos = pos};

	if (c->fragment) {
		o.pos = c->origin.pos;
		o.fragment = xstrdup(c->fragment->path);
		o.fragment_pos = pos;
	}
	o.round = c->origin.round ? xstrdup(c->origin.round) : NULL;
	return o;
}

/* A process that an earlier step killed makes no further call. */
static void check_alive(struct compiler *c, const struct item *item, struct pos pos)
{
	struct pos *ended = &c->ended[item->actor];

	if (ended->line)
		diag_add(c->diag, pos, xstrdup("a further process of a host is a.1, a.2, ..."),
			 "the process of host %s has ended at line %d",
			 c->v->actors[item->actor].name, ended->line);
	else if (item->death > 0)
		*ended = item->origin.pos;
}

static void store_item(struct compiler *c, struct item item)
{
	struct variant *v = c->v;

	/* Steps that are posted together may use each other's objects, but there are no results yet. */
	if (item.as)
		scope_define(&c->scope, item.actor, item.as, item.kind, item.origin.pos, !c->group);
	item.group = c->group;
	add_need(v, item.kind->needs, item.origin.pos);
	add_abilities(v, &item);
	GROW(v->items, v->item_count);
	v->items[v->item_count++] = item;
	c->items++;
}

void compile_expand_call(struct compiler *c, const struct value *step)
{
	const struct value_member *call = step_call(c, step);
	struct steps_reading r = {.c = c, .map = step,
			    .item = {.death = DEATH_UNSAID}};
	const char *within = c->diag->within, *usual;

	if (!call || !has_room(c, call->pos))
		return;
	c->diag->within = c->fragment ? c->fragment->path : NULL;
	c->diag->within_pos = call->pos;
	r.scope = (struct fit_scope){.arg = &c->scope, .kind_of = scope_kind_of,
				     .object = scope_object};
	r.fit = (struct fit){.diag = c->diag, .scope = &r.scope};
	if (read_key(&r, call)) {
		c->scope.actor = r.item.actor;
		r.item.deadline_ms = step_deadline_ms(r.item.kind);
		r.item.origin = origin_of(c, call->pos);
		read_args(&r, call);
		read_keys(&r);
		usual = step_default_name(r.item.kind->makes);
		if (!r.item.as && usual)
			r.item.as = xstrdup(usual);
		if (r.item.as && value_get(step, "as"))
			unused_note_name(c, value_get(step, "as"), &r.item);
		check_alive(c, &r.item, call->pos);
		store_item(c, r.item);
	}
	c->diag->within = within;
}

/* Whether the variable has the value @v of a condition. */
static bool is_value(struct compiler *c, const struct vars *var, const struct value *v)
{
	bool is;

	if (!var->value || var->value->type == VALUE_LIST || var->value->type == VALUE_MAP)
		is = !var->value && v->type == VALUE_NULL;
	else if (v->type == VALUE_STRING && var->value->type == VALUE_STRING)
		is = strcmp(v->s, var->value->s) == 0;
	else
		is = value_equal(v, var->value);
	effect_note(c, EFFECT_VALUE, v, var->name, is);
	return is;
}

/* A condition must not name a value that the "values:" of the parameter exclude. */
static bool is_possible(struct compiler *c, const struct vars *var, const struct value *v)
{
	const struct value *params = c->fragment ? value_get(c->fragment->root, "parameters") : NULL;
	const struct value *values = value_get(value_get(params, var->name), "values");

	return !values || var->round || scalar_is_one_of(values, v);
}

/* Whether a condition of "when:" holds: a value, a list of them, {not: ...} or {given: ...}. */
static bool condition_holds(struct compiler *c, const struct vars *var, const struct value *v)
{
	const struct value *not = value_get(v, "not"), *given = value_get(v, "given");
	size_t i;

	if (given && given->type == VALUE_BOOL) {
		effect_note(c, EFFECT_GIVEN, v, var->name, given->b);
		return var->given == given->b;
	}
	if (not)
		return !condition_holds(c, var, not);
	if (v->type == VALUE_MAP || (v->type == VALUE_LIST && !v->list.count)) {
		diag_add(c->diag, v->pos, NULL, "a condition is a value, a list, {not: VALUE} or "
			 "{given: true}");
		return false;
	}
	if (v->type == VALUE_LIST) {
		for (i = 0; i < v->list.count; i++)
			if (condition_holds(c, var, v->list.item[i]))
				return true;
		return false;
	}
	if (!is_possible(c, var, v)) {
		auto_free char *shown = value_show(v);

		diag_add(c->diag, v->pos, NULL, "'$%s' is never %s, because its 'values' do not contain it",
			 var->name, shown);
	}
	return is_value(c, var, v);
}

bool step_wanted(struct compiler *c, const struct value *step)
{
	const struct value *when = value_get(step, "when");
	const struct value_member *m;
	const struct vars *var;
	bool wanted = true;
	size_t i;

	if (!when)
		return true;
	if (when->type != VALUE_MAP || !when->map.count) {
		diag_add(c->diag, when->pos, NULL, "'when' takes a map of variables");
		return false;
	}
	for (i = 0; i < when->map.count; i++) {
		m = &when->map.member[i];
		var = vars_find(c, m->key);
		if (!var)
			diag_add(c->diag, m->pos, NULL, "'$%s' is not a variable here", m->key);
		wanted = var && condition_holds(c, var, m->value) && wanted;
	}
	effect_note(c, EFFECT_WHEN, when, NULL, wanted);
	return wanted;
}
