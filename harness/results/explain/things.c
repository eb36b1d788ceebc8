/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/explain.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "coverage/codes.h"
#include "step/step.h"

void explain_cover_set(struct value *m, const struct cover_row *row)
{
	const struct coverage_note *note = row ? row->note : NULL;

	value_set(m, "cover", row ? value_string(cover_name(row->cover)) : value_null());
	value_set(m, "where", note ? value_string(note->where) : value_null());
	value_set(m, "why", note ? value_string(note->why) : value_null());
}

struct value *explain_cover_scenarios(const struct cover_row *row)
{
	struct value *list = value_list();
	size_t i;

	for (i = 0; row && i < row->scenario_count; i++)
		value_append(list, value_string(row->scenario[i]));
	return list;
}

const struct cover_row *explain_cover_constant(const struct coverage *c, const struct const_set *set,
					       int64_t value, const char *call)
{
	const struct code *code;
	size_t i;

	for (i = 0; i < c->codes.count; i++) {
		code = &c->codes.item[i];
		if (code->set == set && code->value == value &&
		    (call ? code->call && !strcmp(code->call, call) : !code->call))
			return &c->code[i];
	}
	return NULL;
}

/* "UC:SQE-RTS" */
static struct value *edge_meaning(const char *name)
{
	const char *from = strchr(name, ':') + 1, *to = strchr(from, '-') + 1;

	return value_format_string("A queue pair of type %.*s goes from %.*s to %s.", (int)(from - 1 - name), name,
				   (int)(to - 1 - from), from, to);
}

/* "RC_SEND_FIRST:drop", "REQ:lost" */
static struct value *crossing_meaning(const char *name)
{
	int n = (int)strcspn(name, ":");

	return value_format_string("What a scenario does to a packet %.*s: %s.", n, name, name + n + 1);
}

/* The codes whose sets have no entries of their own. */
static const struct named_set {
	const struct const_set *set;
	const char *what;
	struct value *(*meaning)(const char *name);
} named[] = {
	{&uses_edge_set, "transition of queue pairs", edge_meaning},
	{&uses_crossing_set, "fault of packets", crossing_meaning},
	{&uses_crossing_message_set, "message of the connection manager", crossing_meaning},
};

/* The set of the code @i if it is one of these, or NULL. */
static const struct named_set *named_set_of(const struct coverage *c, size_t i)
{
	size_t k;

	for (k = 0; k < ARRAY_SIZE(named); k++)
		if (c->codes.item[i].set == named[k].set)
			return &named[k];
	return NULL;
}

static struct value *named_json(const struct cover_row *row, const struct named_set *set)
{
	struct value *m = value_map();

	value_set_string(m, "name", row->name);
	value_set_string(m, "what", set->what);
	value_set(m, "meaning", set->meaning(row->name));
	explain_cover_set(m, row);
	value_set(m, "scenarios", explain_cover_scenarios(row));
	return m;
}

void explain_cover_named(struct value *list, const struct coverage *c, const char *name)
{
	size_t i;

	for (i = 0; i < c->code_count; i++)
		if (named_set_of(c, i) && !strcasecmp(c->code[i].name, name))
			value_append(list, named_json(&c->code[i], named_set_of(c, i)));
}

void explain_cover_suggest(struct suggestion *best, const struct coverage *c)
{
	size_t i;

	for (i = 0; i < c->code_count; i++)
		if (named_set_of(c, i))
			suggest_offer(best, c->code[i].name);
}

void explain_take(struct value *list, struct value *m)
{
	const struct value *other;
	size_t i;

	for (i = 0; i < list->list.count; i++) {
		other = list->list.item[i];
		if (!strcmp(value_get_string(other, "name", ""), value_get_string(m, "name", "")) &&
		    !strcmp(value_get_string(other, "what", ""), value_get_string(m, "what", ""))) {
			value_free(m);
			return;
		}
	}
	value_append(list, m);
}

void explain_words_set(struct value *m, const struct explanation *e)
{
	value_set(m, "meaning", e ? value_string(e->meaning) : value_null());
	value_set(m, "cause", e ? value_string(e->cause) : value_null());
	value_set(m, "check", e && e->check ? value_string(e->check) : value_null());
}

struct value *explain_entry(const struct explanation *e, const char *what)
{
	struct value *m = value_map();

	value_set_string(m, "name", e->name);
	value_set_string(m, "what", what);
	explain_words_set(m, e);
	return m;
}

/* @call NULL: any. */
static bool is_of(const struct call_cause *row, const char *call, const char *to, const char *code)
{
	return (!call || !strcasecmp(row->call, call)) && (!to || !row->to || !strcmp(row->to, to)) &&
	       (!code || !strcmp(row->code, code));
}

struct value *explain_causes(const char *call, const char *to, const char *code)
{
	struct value *list = value_list(), *m;
	const struct call_cause *row;

	for (row = explain_call; row->call; row++) {
		if (!is_of(row, call, to, code))
			continue;
		m = value_map();
		value_set_string(m, "call", row->call);
		value_set_string(m, "code", row->code);
		value_set(m, "to", row->to ? value_string(row->to) : value_null());
		value_set_string(m, "cause", row->cause);
		value_set_string(m, "check", row->check);
		value_append(list, m);
	}
	return list;
}

/* The codes that pages name for the call, each with its clause. */
static struct value *codes_of(const struct coverage *coverage, const char *call)
{
	const struct cover_row *row;
	struct value *list = value_list(), *m;
	const struct call_errno *e;
	int64_t value = 0;

	for (e = call_errnos; e->call; e++) {
		if (strcasecmp(e->call, call) != 0)
			continue;
		m = value_map();
		row = const_lookup(&const_errno, e->name, &value) ?
		      explain_cover_constant(coverage, &const_errno, value, e->call) : NULL;
		value_set_string(m, "code", e->name);
		value_set_string(m, "clause", e->clause);
		value_set(m, "cover", row ? value_string(cover_name(row->cover)) : value_null());
		value_append(list, m);
	}
	return list;
}

static bool makes_call(const struct step_kind *k, const char *call)
{
	size_t n = strlen(call);

	return k->call && !strncasecmp(k->call, call, n) && (k->call[n] == '(' || !k->call[n]);
}

static struct value *steps_of(const char *call, const char **name)
{
	const struct step_family *const *f;
	struct value *list = value_list();
	const struct step_kind *k;

	for (f = step_families; *f; f++)
		for (k = (*f)->steps; k->name; k++)
			if (makes_call(k, call)) {
				*name = k->call;
				value_append(list, value_string(k->name));
			}
	return list;
}

void explain_call_add(struct value *list, const struct coverage *c, const char *name, const char *to,
		      const char *code)
{
	struct value *causes = explain_causes(name, to, code), *codes = codes_of(c, name), *m;
	const char *called = NULL;
	struct value *steps = steps_of(name, &called);

	/* A code that has no cause here says nothing of the others. */
	if (!causes->list.count && code) {
		value_free(causes);
		causes = explain_causes(name, to, NULL);
	}
	if (!causes->list.count && !codes->list.count && !steps->list.count) {
		value_free(causes);
		value_free(codes);
		value_free(steps);
		return;
	}
	m = value_map();
	value_set(m, "name", value_format_string("%.*s", (int)strcspn(called ? called : name, "("), called ? called : name));
	value_set_string(m, "what", "call");
	value_set(m, "causes", causes);
	value_set(m, "codes", codes);
	value_set(m, "steps", steps);
	explain_take(list, m);
}

void explain_call_suggest(struct suggestion *best)
{
	const struct call_cause *row;
	const struct call_errno *e;

	for (row = explain_call; row->call; row++)
		suggest_offer(best, row->call);
	for (e = call_errnos; e->call; e++)
		suggest_offer(best, e->call);
}

void explain_finding_add(struct value *list, const struct survey *s, const char *name)
{
	const struct finding *d;
	struct value *m, *one;
	size_t i;

	for (i = 0; i < s->findings.count; i++) {
		d = &s->findings.item[i];
		if (strcasecmp(d->name, name) != 0)
			continue;
		m = value_map();
		one = value_list();
		value_append(one, finding_to_value(d));
		value_set_string(m, "name", d->name);
		value_set_string(m, "what", "finding");
		value_set(m, "clauses", d->clauses ? value_dup(d->clauses) : value_list());
		value_set(m, "why", d->cause ? value_string(d->cause) : value_null());
		value_set(m, "findings", one);
		value_set(m, "more", value_format_string("verbatim findings %s", d->name));
		explain_take(list, m);
	}
}

/* The scenarios and findings of the clauses that name a statement. */
static void set_clauses(struct value *m, const struct survey *s, const struct coverage *c, const char *number)
{
	struct value *clauses = value_list(), *scenarios = value_list(), *findings = value_list();
	struct string_list ids auto_string_list = {0}, shown auto_string_list = {0};
	const struct cover_row *row;
	size_t i, k;

	statement_clauses(&ids, &s->clauses, number);
	for (i = 0; i < ids.count; i++) {
		row = coverage_clause(c, ids.item[i]);
		value_append(clauses, row ? value_format_string("%s (%s)", ids.item[i], cover_name(row->cover)) :
					    value_string(ids.item[i]));
		for (k = 0; row && k < row->scenario_count; k++)
			string_list_add(&shown, row->scenario[k]);
		for (k = 0; k < s->findings.count; k++)
			if (finding_is_about(&s->findings.item[k], ids.item[i]))
				value_append(findings, finding_to_value(&s->findings.item[k]));
	}
	for (i = 0; i < shown.count; i++)
		value_append(scenarios, value_string(shown.item[i]));
	value_set(m, "clauses", clauses);
	value_set(m, "scenarios", scenarios);
	value_set(m, "findings", findings);
}

void explain_statement_add(struct value *list, const struct survey *s, const struct coverage *c, const char *name)
{
	const struct statement *st;
	struct value *m;
	size_t i;

	for (i = 0; i < s->statements.count; i++) {
		auto_free char *chapter = NULL;

		st = &s->statements.item[i];
		if (strcasecmp(st->number, name) != 0)
			continue;
		chapter = statement_group(st);
		m = value_map();
		value_set_string(m, "name", st->number);
		value_set(m, "what", value_format_string("compliance statement of IBTA vol 1, %s %s%s%s",
							 *chapter == 'A' ? "annex" : "chapter", chapter,
							 strcmp(st->edition, "-") ? ", release " : "",
							 strcmp(st->edition, "-") ? st->edition : ""));
		value_set_string(m, "named_by", st->named_by);
		value_set_string(m, "cover", statement_status_name(st->status));
		value_set_string(m, "why", st->why);
		set_clauses(m, s, c, st->number);
		explain_take(list, m);
	}
}

void explain_scenario_add(struct value *list, const struct survey *s, const char *name)
{
	size_t i, k, n = strcspn(name, "[");
	const struct scenario *one;
	struct value *m, *clauses;

	for (i = 0; i < s->count; i++) {
		one = s->item[i].scenario;
		if (strlen(one->id) != n || strncasecmp(one->id, name, n) != 0)
			continue;
		m = value_map();
		clauses = value_list();
		for (k = 0; k < one->clause_count; k++)
			value_append(clauses, value_string(one->clauses[k]));
		value_set_string(m, "name", one->id);
		value_set_string(m, "what", "scenario");
		value_set_string(m, "meaning", one->title);
		value_set(m, "clauses", clauses);
		value_set(m, "more", value_format_string("verbatim run --verbose '%s'", name));
		explain_take(list, m);
	}
}

#define VENDOR_MIN 128	/* smaller numbers of a vendor are written with 0x */

static bool read_number(const char *text, int64_t *n)
{
	bool hex = !strncasecmp(text + (*text == '-'), "0x", 2);
	char *end;

	*n = strtoll(text, &end, hex ? 16 : 10);
	return end != text && !*end && !strchr(" \t+", *text);
}

bool explain_is_number(const char *text)
{
	int64_t n;

	return read_number(text, &n);
}

void explain_brief(struct value *list, const struct const_set *set, int64_t value)
{
	const struct explained_set *said = explained_set_of(set);
	const char *name = const_name(set, value);
	const struct explanation *e = name && said ? explanation_find(said->entry, name) : NULL;
	struct value *m;

	if (!name || !said)
		return;
	m = value_map();
	value_set(m, "name", value_format_string("%s%s", set->prefix, name));
	value_set_int(m, "value", value);
	value_set_string(m, "what", said->what);
	if (e)
		explain_words_set(m, e);
	value_set(m, "more", value_format_string("verbatim explain %s%s", set->prefix, name));
	explain_take(list, m);
}

void explain_reason(struct value *list, int64_t value)
{
	const struct explained_number *row = explain_reject;
	struct value *m;

	while (row->said.name && row->value != value)
		row++;
	if (!row->said.name)
		return;
	m = value_map();
	value_set_string(m, "name", row->said.name);
	value_set_int(m, "value", value);
	value_set_string(m, "what", "status of RDMA_CM_EVENT_REJECTED");
	explain_words_set(m, &row->said);
	explain_take(list, m);
}

int64_t explain_vendor_status(int64_t value)
{
	const struct vendor_number *row = explain_vendor;

	while (row->status && row->value != value)
		row++;
	return row->status ? (int64_t)row->status : -1;
}

static void explain_vendor_number(struct value *list, int64_t value)
{
	int64_t status = explain_vendor_status(value);
	const struct explanation *e;
	struct value *m;

	if (status < 0)
		return;
	e = explanation_find(explain_wc_status, const_name(&const_wc_status, status));
	m = value_map();
	value_set(m, "name", value_format_string("0x%02x", (unsigned int)value));
	value_set_string(m, "what", "number that mlx5 has beside a status of a work completion");
	value_set(m, "meaning", value_format_string("IBV_WC_%s: %s", e->name, e->meaning));
	value_set_string(m, "cause", e->cause);
	value_set(m, "check", e->check ? value_string(e->check) : value_null());
	value_set(m, "more", value_format_string("verbatim explain IBV_WC_%s", e->name));
	explain_take(list, m);
}

void explain_number(struct value *list, const char *text)
{
	/* The sets whose numbers reports print, the most frequent first. */
	const struct const_set *const sets[] = {
		&const_wc_status, &const_cm_event, &const_async_event, &const_qp_state, &const_mtu,
	};
	int64_t n;
	size_t i;

	if (!read_number(text, &n))
		return;
	if (n)
		explain_brief(list, &const_errno, n < 0 ? -n : n);
	if (n < 0)
		explain_brief(list, &const_return, n);
	for (i = 0; n >= 0 && i < sizeof(sets) / sizeof(*sets); i++)
		explain_brief(list, sets[i], n);
	explain_reason(list, n);
	if (n >= VENDOR_MIN || strchr(text, 'x') || strchr(text, 'X'))
		explain_vendor_number(list, n);
}
