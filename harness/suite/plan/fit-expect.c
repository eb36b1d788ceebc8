/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "base/xalloc.h"
#include "step/bytes.h"
#include "plan/fit.h"
#include "plan/tolerance.h"

/* cover_all() compares only this many expectations. */
#define ALTERNATIVES_MAX 64

static bool is_number(const struct value *v)
{
	return v && v->type == VALUE_INT;
}

/* Whether @e matches @n. Then @last is the end of the numbers from @n on that @e matches without a gap. */
static bool takes_from(const struct value *e, int64_t n, int64_t *last)
{
	const struct value *not = value_get(e, "not"), *min = value_get(e, "min");
	const struct value *max = value_get(e, "max");

	*last = INT64_MAX;
	if (is_number(e)) {
		*last = e->i;
		return e->i == n;
	}
	if (is_number(not)) {
		if (not->i > n)
			*last = not->i - 1;
		return not->i != n;
	}
	if (is_number(max))
		*last = max->i;
	return (is_number(min) || is_number(max)) && (!min || (is_number(min) && min->i <= n)) &&
	       (!max || (is_number(max) && n <= max->i));
}

static bool cover_numbers(struct value *const *expectation, size_t count)
{
	int64_t n = INT64_MIN, last;
	size_t i = 0;

	while (i < count) {
		if (!takes_from(expectation[i++], n, &last))
			continue;
		if (last == INT64_MAX)
			return true;
		n = last + 1;
		i = 0;
	}
	return false;
}

/* Whether some expectation matches the one value that @not excludes: that value, or {not: another}. */
static bool cover_the_rest(const struct value *not, struct value *const *expectation, size_t count)
{
	const struct value *other;
	size_t i;

	for (i = 0; i < count; i++) {
		other = value_get(expectation[i], "not");
		if (value_equal(not, expectation[i]) ||
		    (other && not->type != VALUE_EXPR && other->type == not->type &&
		     !value_equal(not, other)))
			return true;
	}
	return false;
}

/*
 * Whether every value of a field matches one of the @count expectations: literals,
 * {any: true}, {not: V} and {min: N, max: N}. Other expectations count as if they
 * matched nothing.
 */
static bool cover_all(struct value *const *expectation, size_t count)
{
	const struct value *not;
	size_t i;

	for (i = 0; i < count; i++)
		if (value_get_bool(expectation[i], "any", false))
			return true;
	if (count > ALTERNATIVES_MAX)
		count = ALTERNATIVES_MAX;
	for (i = 0; i < count; i++) {
		not = value_get(expectation[i], "not");
		if (not && cover_the_rest(not, expectation, count))
			return true;
	}
	return cover_numbers(expectation, count);
}

static void fit_expectation(const struct fit *fit, const struct field *f,
			    struct value **slot);
static void expect_fields(const struct fit *fit, const char *what, const char *name,
			  const struct field *fields, struct value *expect);

static const char *wanted_by(const struct field *f)
{
	static const char *const text[] = {
		[FIELD_INT] = "an integer",
		[FIELD_BOOL] = "true or false",
		[FIELD_STRING] = "a text",
		[FIELD_CONST] = "a name or an integer",
		[FIELD_FLAGS] = "a list of names",
		[FIELD_BYTES] = "a text or {hex: ...}",
		[FIELD_LIST] = "a list of maps",
	};

	return text[f->type];
}

static void misfit(const struct fit *fit, const struct field *f, const struct value *v)
{
	diag_add(fit->diag, v->pos, NULL, "'%s' is %s, not %s %s", f->name, wanted_by(f),
		 v->type == VALUE_INT ? "an" : "a", value_type_name(v->type));
}

static void fit_field_string(const struct fit *fit, const struct field *f,
			     struct value **slot)
{
	auto_free char *text = NULL;

	if ((*slot)->type == VALUE_LIST || (*slot)->type == VALUE_MAP) {
		misfit(fit, f, *slot);
	} else if ((*slot)->type == VALUE_INT || (*slot)->type == VALUE_BOOL) {
		text = fit_scalar_text(*slot);
		fit_replace(slot, value_string(text));
	}
}

/* In the run, the expected bytes get the same form as the bytes of a step's answer. */
static void fit_field_bytes(const struct fit *fit, const struct field *f, struct value **slot)
{
	size_t errors = fit->diag->count, len;
	auto_free uint8_t *bytes = NULL;

	fit_bytes(fit, f->name, 0, slot);
	if (!fit->scope && fit->diag->count == errors && bytes_parse(*slot, &bytes, &len, NULL) == 0)
		fit_replace(slot, bytes_to_value(bytes, len));
}

static void fit_items(const struct fit *fit, const struct field *f, struct value **slot)
{
	struct value *v = *slot;
	size_t i;

	if (v->type != VALUE_LIST) {
		misfit(fit, f, v);
		return;
	}
	for (i = 0; i < v->list.count; i++) {
		if (v->list.item[i]->type == VALUE_MAP)
			expect_fields(fit, "an item of", f->name, f->sub, v->list.item[i]);
		else
			misfit(fit, f, v->list.item[i]);
	}
}

static void fit_literal(const struct fit *fit, const struct field *f, struct value **slot)
{
	switch (f->type) {
	case FIELD_INT:
		if ((*slot)->type != VALUE_INT)
			misfit(fit, f, *slot);
		break;
	case FIELD_BOOL:
		if ((*slot)->type != VALUE_BOOL)
			misfit(fit, f, *slot);
		break;
	case FIELD_STRING:
		fit_field_string(fit, f, slot);
		break;
	case FIELD_CONST:
		fit_const(fit, f->set, f->name, slot);
		break;
	case FIELD_FLAGS:
		fit_flags(fit, f->set, f->name, slot);
		break;
	case FIELD_BYTES:
		fit_field_bytes(fit, f, slot);
		break;
	case FIELD_LIST:
		fit_items(fit, f, slot);
		break;
	}
}

static void fit_number(const struct fit *fit, const struct field *f, struct value **slot)
{
	if ((*slot)->type == VALUE_STRING && f->type == FIELD_CONST)
		fit_const(fit, f->set, f->name, slot);
	else if ((*slot)->type != VALUE_INT && !(fit->scope && (*slot)->type == VALUE_EXPR))
		diag_add(fit->diag, (*slot)->pos, NULL, "a limit of '%s' must be an integer",
			 f->name);
}

static void fit_any_of(const struct fit *fit, const struct field *f, struct value **slot)
{
	size_t i;

	if ((*slot)->type != VALUE_LIST || !(*slot)->list.count) {
		diag_add(fit->diag, (*slot)->pos, NULL, "'any_of' takes a list of values");
		return;
	}
	for (i = 0; i < (*slot)->list.count; i++)
		fit_expectation(fit, f, &(*slot)->list.item[i]);
}

static void fit_why(const struct fit *fit, const struct field *f, struct value **slot)
{
	(void)f;
	if ((*slot)->type != VALUE_STRING || !*(*slot)->s)
		diag_add(fit->diag, (*slot)->pos, NULL, "'why' takes a sentence");
}

static void fit_reference(const struct fit *fit, const struct field *f, const struct value *v)
{
	enum fit_kind kind = fit->scope->kind_of(fit->scope->arg, v, fit->diag);
	bool text = kind == FIT_TEXT;

	if (kind != FIT_BAD && (text != (f->type == FIELD_STRING || f->type == FIELD_BYTES) ||
				 f->type == FIELD_LIST))
		diag_add(fit->diag, v->pos, NULL, "'%s' is %s, but %s is %s", f->name,
			 wanted_by(f), v->s, text ? "a text" : "a number");
}

static void fit_operand(const struct fit *fit, const struct field *f, struct value **slot)
{
	if (fit->scope && (*slot)->type == VALUE_EXPR)
		fit_reference(fit, f, *slot);
	else
		fit_literal(fit, f, slot);
}

static void fit_contains(const struct fit *fit, const struct field *f, struct value **slot)
{
	if (f->type != FIELD_LIST)
		fit_operand(fit, f, slot);
	else if ((*slot)->type == VALUE_MAP)
		expect_fields(fit, "an item of", f->name, f->sub, *slot);
	else
		diag_add(fit->diag, (*slot)->pos, NULL,
			 "'contains' takes a map that one item of '%s' must match", f->name);
}

static void fit_there(const struct fit *fit, const struct field *f, struct value **slot)
{
	(void)f;
	if ((*slot)->type != VALUE_BOOL || !(*slot)->b)
		diag_add(fit->diag, (*slot)->pos, NULL, "'any' takes true");
}

/* {ack_timeout: CODE, tries: N}: a timer, and how often it runs out. */
static void fit_timers(const struct fit *fit, const struct field *f, struct value **slot)
{
	struct vbm_error err = {0};
	struct tolerance range;

	(void)f;
	if (tolerance_read(*slot, 1, &range, &err) < 0)
		diag_add(fit->diag, (*slot)->pos, NULL, "%s", err.msg);
}

#define ON(type) (1u << (type))
#define ON_NUMBERS (ON(FIELD_INT) | ON(FIELD_CONST) | ON(FIELD_FLAGS))
#define ON_TEXTS (ON(FIELD_STRING) | ON(FIELD_BYTES))
#define ON_ALL (ON_NUMBERS | ON(FIELD_BOOL) | ON_TEXTS | ON(FIELD_LIST))

static const struct fit_expect_operation {
	const char *name;
	unsigned int fields;	/* ON() the field types that it can test */
	void (*fit)(const struct fit *fit, const struct field *f, struct value **slot);
	const char *with;	/* the only other operator allowed in the same map */
	bool with_required;
} operators[] = {
	{"any", ON_ALL, fit_there, NULL, false},
	{"not", ON_ALL, fit_operand, NULL, false},
	{"min", ON_NUMBERS, fit_number, "max", false},
	{"max", ON_NUMBERS, fit_number, "min", false},
	{"timers", ON(FIELD_INT), fit_timers, NULL, false},
	{"any_of", ON_ALL, fit_any_of, "why", true},
	{"why", ON_ALL, fit_why, "any_of", true},
	{"contains", ON_TEXTS | ON(FIELD_FLAGS) | ON(FIELD_LIST), fit_contains,
	 NULL, false},
	{"count", ON(FIELD_LIST), fit_number, NULL, false},
};

static const struct fit_expect_operation *operation_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(operators); i++)
		if (strcmp(operators[i].name, name) == 0)
			return &operators[i];
	return NULL;
}

static void unknown_operator(const struct fit *fit, const struct value_member *m)
{
	struct suggestion s;
	size_t i;

	suggest_init(&s, m->key);
	for (i = 0; i < ARRAY_SIZE(operators); i++)
		suggest_offer(&s, operators[i].name);
	diag_add(fit->diag, m->pos, diag_did_you_mean(suggest_best(&s)),
		 "'%s' is not an operator of expectations", m->key);
}

/* Whether every text or set of flags contains @v: an empty text, no flags (a number by now). */
static bool is_in_all(const struct value *v)
{
	return (v->type == VALUE_STRING && !*v->s) || (v->type == VALUE_INT && v->i == 0);
}

/* An expectation that every value meets tests nothing, and one that no value meets is a mistake. */
static void check_sense(const struct fit *fit, const struct field *f, struct value *map)
{
	const struct value *any_of = value_get(map, "any_of"), *in = value_get(map, "contains");
	const struct value *min = value_get(map, "min"), *max = value_get(map, "max");

	if (any_of && any_of->type == VALUE_LIST &&
	    cover_all(any_of->list.item, any_of->list.count))
		diag_add(fit->diag, any_of->pos, NULL, "every value of '%s' meets one of these",
			 f->name);
	if ((min || max) && cover_all(&map, 1))
		diag_add(fit->diag, map->pos, NULL, "every value of '%s' meets this",
			 f->name);
	if (in && f->type != FIELD_LIST && is_in_all(in))
		diag_add(fit->diag, in->pos, NULL, "'%s' always contains that", f->name);
	if (min && max && min->type == VALUE_INT && max->type == VALUE_INT && min->i > max->i)
		diag_add(fit->diag, min->pos, NULL, "no number is at least %" PRId64 " and at "
			 "most %" PRId64, min->i, max->i);
}

static void fit_operators(const struct fit *fit, const struct field *f, struct value *map)
{
	const struct fit_expect_operation *op;
	struct value_member *m;
	size_t i;

	if (!map->map.count)
		diag_add(fit->diag, map->pos, NULL, "'%s' has an empty expectation", f->name);
	for (i = 0; i < map->map.count; i++) {
		m = &map->map.member[i];
		op = operation_find(m->key);
		if (!op) {
			unknown_operator(fit, m);
			continue;
		}
		if (!(op->fields & ON(f->type)))
			diag_add(fit->diag, m->pos, NULL, "'%s' does not apply to '%s', %s",
				 op->name, f->name, wanted_by(f));
		else
			op->fit(fit, f, &m->value);
		if (op->with_required && !value_get(map, op->with))
			diag_add(fit->diag, m->pos, NULL, "'%s' needs '%s:' beside it",
				 op->name, op->with);
		if (map->map.count > 1 && (!op->with || map->map.count > 2 ||
					   !value_get(map, op->with)))
			diag_add(fit->diag, m->pos, NULL, "'%s' cannot be combined with another operator", op->name);
	}
	/* In the run, references have their values, and these may make any expectation trivial. */
	if (fit->scope)
		check_sense(fit, f, map);
}

/* The plain word "any". */
static bool is_any(const struct value *v)
{
	return v->type == VALUE_STRING && !v->quoted && strcmp(v->s, "any") == 0;
}

static void fit_any(struct value **slot)
{
	struct value *map = value_map();

	value_set_bool(map, "any", true);
	fit_replace(slot, map);
}

static void fit_expectation(const struct fit *fit, const struct field *f,
			    struct value **slot)
{
	/* In a plan the word is already {any: true}, so "any" is a text there. */
	if (fit->scope && is_any(*slot))
		fit_any(slot);
	else if (fit->scope && (*slot)->type == VALUE_EXPR)
		fit_reference(fit, f, *slot);
	else if ((*slot)->type == VALUE_MAP && !(f->type == FIELD_BYTES && bytes_is_hex(*slot)))
		fit_operators(fit, f, *slot);
	else
		fit_literal(fit, f, slot);
}

static void unknown_field(const struct fit *fit, const char *what, const char *name,
			  const struct field *fields, const struct value_member *m)
{
	const struct field *f;
	struct suggestion s;

	suggest_init(&s, m->key);
	for (f = fields; f && f->name; f++)
		suggest_offer(&s, f->name);
	diag_add(fit->diag, m->pos, diag_did_you_mean(suggest_best(&s)),
		 "%s %s has no field '%s'", what, name, m->key);
}

static void expect_fields(const struct fit *fit, const char *what, const char *name,
			  const struct field *fields, struct value *expect)
{
	const struct field *f;
	struct value_member *m;
	size_t i;

	for (i = 0; i < expect->map.count; i++) {
		m = &expect->map.member[i];
		f = step_field_find(fields, m->key);
		if (f)
			fit_expectation(fit, f, &m->value);
		else
			unknown_field(fit, what, name, fields, m);
	}
}

void fit_expect(const struct fit *fit, const char *step, const struct field *fields,
		struct value *expect)
{
	expect_fields(fit, "the result of", step, fields, expect);
}
