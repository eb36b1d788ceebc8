/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "compile/compile.h"

/*
 * "vary:" and "cases:" become rows. A row has the values of the variables of one
 * variant. The rows of cases keep the file's order; the last variable of vary
 * changes fastest.
 */
static const char *const row_keys[] = {"case", "clause", "spec", "requires"};

static bool is_row_key(const char *key)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row_keys); i++)
		if (strcmp(row_keys[i], key) == 0)
			return true;
	return false;
}

static bool is_scalar(const struct value *v)
{
	return v->type == VALUE_STRING || v->type == VALUE_INT || v->type == VALUE_BOOL;
}

static bool check_name(struct compiler *c, const struct value_member *m)
{
	if (scenario_is_name(m->key) && m->key[1])
		return true;
	diag_add(c->diag, m->pos, NULL, "a variable's name is two or more lower-case "
		 "letters, digits and _");
	return false;
}

static bool check_ip(struct compiler *c, const char *name, const struct value *v)
{
	if (strcmp(name, "ip") || (v->type == VALUE_INT && (v->i == 4 || v->i == 6)))
		return true;
	diag_add(c->diag, v->pos, NULL, "'ip' chooses the address family: 4 or 6");
	return false;
}

static bool vary_value(struct compiler *c, const struct value_member *m, size_t i)
{
	const struct value *v = m->value->list.item[i];
	size_t k;

	if (!is_scalar(v) || (v->type == VALUE_STRING && v->s[0] == '$' && v->s[1] != '$')) {
		diag_add(c->diag, v->pos, NULL, "a value of '%s' must be one text, number or boolean",
			 m->key);
		return false;
	}
	if (!check_ip(c, m->key, v))
		return false;
	for (k = 0; k < i; k++) {
		if (!value_equal(m->value->list.item[k], v))
			continue;
		diag_add(c->diag, v->pos, NULL, "'%s' has this value twice", m->key);
		return false;
	}
	return true;
}

static bool vary_variable(struct compiler *c, const struct value_member *m)
{
	bool ok = check_name(c, m);
	size_t i;

	if (m->value->type != VALUE_LIST || !m->value->list.count) {
		diag_add(c->diag, m->value->pos, NULL, "'%s' takes a list of values", m->key);
		return false;
	}
	for (i = 0; i < m->value->list.count; i++)
		ok = vary_value(c, m, i) && ok;
	return ok;
}

/* The number of combinations; 0 and diagnostics when vary is not valid. */
static size_t check_vary(struct compiler *c, const struct value *v)
{
	bool ok = true;
	size_t i, n = 1;

	if (!v)
		return 1;
	if (v->type != VALUE_MAP) {
		diag_add(c->diag, v->pos, NULL, "'vary' takes a map of lists");
		return 0;
	}
	for (i = 0; i < v->map.count; i++) {
		ok = vary_variable(c, &v->map.member[i]) && ok;
		if (ok && n <= SCENARIO_VARIANTS_MAX)
			n *= v->map.member[i].value->list.count;
	}
	if (ok && n <= SCENARIO_VARIANTS_MAX)
		return n;
	if (ok)
		diag_add(c->diag, v->pos, NULL, "'vary' makes more than %d combinations",
			 SCENARIO_VARIANTS_MAX);
	return 0;
}

static struct value *generate(struct compiler *c, const struct value *from)
{
	const struct case_generator *g;
	struct suggestion s;

	if (from->type != VALUE_STRING) {
		diag_add(c->diag, from->pos, NULL, "'from' takes the name of a generator");
		return NULL;
	}
	suggest_init(&s, from->s);
	for (g = case_generators; g->name; g++) {
		if (strcmp(g->name, from->s) == 0)
			return g->rows();
		suggest_offer(&s, g->name);
	}
	diag_add(c->diag, from->pos, diag_did_you_mean(suggest_best(&s)),
		 "there is no generator of cases '%s'", from->s);
	return NULL;
}

/* Gives the rows that a generator makes the position of its name. */
static void put_at(struct value *v, struct pos pos)
{
	size_t i;

	v->pos = pos;
	for (i = 0; v->type == VALUE_LIST && i < v->list.count; i++)
		put_at(v->list.item[i], pos);
	for (i = 0; v->type == VALUE_MAP && i < v->map.count; i++) {
		v->map.member[i].pos = pos;
		put_at(v->map.member[i].value, pos);
	}
}

/* Whether two rows are equal except for the label, so that the second proves nothing new. */
static bool same_row(const struct value *a, const struct value *b)
{
	size_t i, count = a->map.count - !!value_get(a, "case");
	const struct value *other;

	if (count != b->map.count - !!value_get(b, "case"))
		return false;
	for (i = 0; i < a->map.count; i++) {
		other = value_get(b, a->map.member[i].key);
		if (strcmp(a->map.member[i].key, "case") &&
		    (!other || !value_equal(other, a->map.member[i].value)))
			return false;
	}
	return true;
}

static void check_duplicates(struct compiler *c, const struct value *list)
{
	const struct value *row, *before;
	size_t i, k;

	for (i = 1; i < list->list.count && i < SCENARIO_VARIANTS_MAX; i++)
		for (k = 0; k < i; k++) {
			row = list->list.item[i];
			before = list->list.item[k];
			if (row->type != VALUE_MAP || before->type != VALUE_MAP || !same_row(row, before))
				continue;
			diag_add(c->diag, row->pos, xstrdup("to run a scenario several times, use a "
				 "variable that begins with _"), "the row of line %d is the same",
				 before->pos.line);
			break;
		}
}

static const struct value *case_list(struct compiler *c, const struct value *cases)
{
	const struct value *from = value_get(cases, "from");

	if (from && cases->map.count == 1) {
		c->rows_from = generate(c, from);
		if (c->rows_from)
			put_at(c->rows_from, from->pos);
		return c->rows_from;
	}
	if (cases->type == VALUE_LIST && cases->list.count) {
		check_duplicates(c, cases);
		return cases;
	}
	diag_add(c->diag, cases->pos, NULL, "'cases' takes a list of rows, or {from: GENERATOR}");
	return NULL;
}

static bool case_row(struct compiler *c, struct row *row, const struct value *map)
{
	const struct value_member *m;
	const struct value *label;
	bool ok = true;
	size_t i;

	if (map->type != VALUE_MAP || !map->map.count) {
		diag_add(c->diag, map->pos, NULL, "a row of 'cases' is a map of variables");
		return false;
	}
	row->pos = map->pos;
	row->clause = value_get(map, "clause");
	row->spec = value_get(map, "spec");
	row->requires = value_get(map, "requires");
	label = value_get(map, "case");
	if (label && (label->type != VALUE_STRING || !*label->s || strpbrk(label->s, "[],="))) {
		diag_add(c->diag, label->pos, NULL, "'case' takes a short text without [ ] , =");
		ok = false;
	} else if (label) {
		row->label = label->s;
	}
	for (i = 0; i < map->map.count; i++) {
		m = &map->map.member[i];
		if (is_row_key(m->key))
			continue;
		ok = check_name(c, m) && check_ip(c, m->key, m->value) && ok;
		value_add_at(row->vars, m->key, m->pos, value_dup(m->value));
	}
	return ok;
}

/* Adds the combination number @index of @vary to the row. */
static bool add_combination(struct compiler *c, struct row *row, const struct value *vary,
			    size_t index, size_t count)
{
	const struct value_member *m;
	size_t i, rest = count;

	for (i = 0; vary && i < vary->map.count; i++) {
		m = &vary->map.member[i];
		if (value_get(row->vars, m->key)) {
			diag_add(c->diag, m->pos, NULL, "'%s' is also a variable of 'cases'", m->key);
			return false;
		}
		rest /= m->value->list.count;
		value_add_at(row->vars, m->key, m->pos,
			     value_dup(m->value->list.item[index / rest % m->value->list.count]));
	}
	return true;
}

static bool add_rows(struct compiler *c, const struct value *map, const struct value *vary,
		     size_t combinations)
{
	struct row row;
	bool ok = true;
	size_t i;

	for (i = 0; ok && i < combinations; i++) {
		row = (struct row){.vars = value_map()};
		ok = !map || case_row(c, &row, map);
		ok = ok && add_combination(c, &row, vary, i, combinations);
		GROW(c->rows, c->row_count);
		c->rows[c->row_count++] = row;
	}
	return ok;
}

bool rows_make(struct compiler *c)
{
	const struct value *vary = value_get(c->root, "vary"), *cases = value_get(c->root, "cases");
	size_t combinations = check_vary(c, vary), i;
	const struct value *list = NULL;
	bool ok = combinations > 0;

	if (cases)
		list = case_list(c, cases);
	if (!ok || (cases && !list))
		return false;
	if (!list)
		return add_rows(c, NULL, vary, combinations);
	if (combinations * list->list.count > SCENARIO_VARIANTS_MAX) {
		diag_add(c->diag, cases->pos, NULL, "'vary' and 'cases' make more than %d combinations",
			 SCENARIO_VARIANTS_MAX);
		return false;
	}
	for (i = 0; i < list->list.count; i++)
		ok = add_rows(c, list->list.item[i], vary, combinations) && ok;
	return ok;
}

void rows_fini(struct compiler *c)
{
	size_t i;

	for (i = 0; i < c->row_count; i++)
		value_free(c->rows[i].vars);
	free(c->rows);
	value_free(c->rows_from);
}

/* "data/send[ip=6,mtu=1024]", or with the label of a row "qp/x[no-timeout,ip=6]". */
char *row_name(const struct compiler *c, const struct row *row)
{
	const char *separator = "[";
	struct text out = {0};
	const struct value_member *m;
	size_t i;

	text_add(&out, c->s->id);
	if (row->label) {
		text_addf(&out, "[%s", row->label);
		separator = ",";
	}
	for (i = 0; i < row->vars->map.count; i++) {
		auto_free char *text = NULL;

		m = &row->vars->map.member[i];
		if (!is_scalar(m->value))
			continue;
		/* The label replaces the variables of its row, but not those of vary. */
		if (row->label && !value_get(value_get(c->root, "vary"), m->key))
			continue;
		text = fit_scalar_text(m->value);
		text_addf(&out, "%s%s=%s", separator, m->key, text);
		separator = ",";
	}
	if (*separator == ',')
		text_add(&out, "]");
	return out.s;
}
