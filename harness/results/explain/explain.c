/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/explain.h"

#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "coverage/coverage.h"
#include "event/event.h"
#include "explain/page.h"
#include "names/device-types.h"
#include "step/step.h"

#define SHORT_NAME 6	/* a shorter name may be a word of any sentence: "INIT", "SEND" */

static bool has_word(const char *text, const char *word)
{
	const char *p = text;
	size_t n = strlen(word);

	for (; text && (p = strstr(p, word)); p++)
		if ((p == text || !explain_is_word(p[-1])) && !explain_is_word(p[n]))
			return true;
	return false;
}

/*
 * A constant. A text mentions it if it has the full name in it, or the bare name
 * if that is not an ordinary word.
 */
struct subject {
	const struct const_set *set;
	const char *name;	/* without the prefix */
	char *full;
	int64_t value;
};

static bool mentions(const char *text, const struct subject *c)
{
	bool telling = strlen(c->name) >= SHORT_NAME || strchr(c->name, '_');

	return has_word(text, c->full) || (telling && has_word(text, c->name));
}

static bool clause_mentions(const struct clause *clause, const struct subject *c)
{
	return mentions(clause->statement, c) || mentions(clause->observe, c) ||
	       mentions(clause->decision, c);
}

static struct value *clauses_of(const struct survey *s, const struct subject *c)
{
	struct value *list = value_list();
	size_t i;

	for (i = 0; i < s->clauses.count; i++)
		if (clause_mentions(&s->clauses.item[i], c))
			value_append(list, value_string(s->clauses.item[i].id));
	return list;
}

struct explain_search {
	const struct subject *subject;
	bool found;
};

static void search_use(void *arg, const struct code_use *use)
{
	struct explain_search *s = arg;
	bool named = use->set != &const_return || use->named;

	if (use->set == s->subject->set && use->value == s->subject->value && named)
		s->found = true;
}

static struct value *scenarios_of(const struct survey *s, const struct subject *c)
{
	struct value *list = value_list();
	struct explain_search search;
	size_t i, k;

	for (i = 0; i < s->count; i++) {
		search = (struct explain_search){.subject = c};
		for (k = 0; k < s->item[i].scenario->plan.count && !search.found; k++)
			uses_collect(&s->item[i].scenario->plan.item[k], search_use, &search);
		if (search.found)
			value_append(list, value_string(s->item[i].scenario->id));
	}
	return list;
}

static bool shows(const struct finding *d, const struct subject *c)
{
	size_t i;

	for (i = 0; i < d->symptom_count; i++)
		if (d->symptom[i].got && mentions(d->symptom[i].got, c))
			return true;
	return false;
}

static bool clauses_mention(const struct survey *s, const struct finding *d,
			  const struct subject *c)
{
	const struct clause *clause;
	size_t i;

	for (i = 0; d->clauses && i < d->clauses->list.count; i++) {
		clause = clause_find(&s->clauses, d->clauses->list.item[i]->s);
		if (clause && mentions(clause->statement, c))
			return true;
	}
	return false;
}

static struct value *findings_of(const struct survey *s, const struct subject *c)
{
	struct value *list = value_list();
	const struct finding *d;
	size_t i;

	for (i = 0; i < s->findings.count; i++) {
		d = &s->findings.item[i];
		if (mentions(d->what, c) || shows(d, c) || clauses_mention(s, d, c))
			value_append(list, finding_to_value(d));
	}
	return list;
}

/* The calls whose page names this errno. */
static struct value *calls_of(const struct coverage *coverage, const struct subject *c)
{
	const struct cover_row *row;
	struct value *list = value_list(), *m;
	const struct call_errno *e;

	for (e = call_errnos; e->call; e++) {
		if (c->set != &const_errno || strcmp(e->name, c->name) != 0)
			continue;
		m = value_map();
		value_set_string(m, "call", e->call);
		value_set_string(m, "clause", e->clause);
		row = explain_cover_constant(coverage, c->set, c->value, e->call);
		value_set(m, "cover", row ? value_string(cover_name(row->cover)) : value_null());
		value_append(list, m);
	}
	return list;
}

static struct value *constant_json(const struct survey *s, const struct coverage *coverage,
				   const struct const_set *set, const struct const_entry *entry)
{
	const struct explained_set *said = explained_set_of(set);
	auto_free char *full = xasprintf("%s%s", set->prefix, entry->name);
	const struct subject c = {
		.set = set, .name = entry->name, .full = full, .value = entry->value,
	};
	struct value *m = value_map();

	value_set_string(m, "name", full);
	value_set_string(m, "what", said ? said->what : set->name);
	value_set_int(m, "value", entry->value);
	explain_words_set(m, explanation_find(said ? said->entry : NULL, entry->name));
	value_set(m, "causes", explain_causes(NULL, NULL, entry->name));
	value_set(m, "calls", calls_of(coverage, &c));
	value_set(m, "places", page_citations_of_constant(&s->clauses, said ? said->home : NULL, full));
	explain_cover_set(m, explain_cover_constant(coverage, set, entry->value, NULL));
	value_set(m, "clauses", clauses_of(s, &c));
	value_set(m, "scenarios", scenarios_of(s, &c));
	value_set(m, "findings", findings_of(s, &c));
	return m;
}

static bool is_name(const struct const_set *set, const char *entry, const char *name)
{
	size_t n = strlen(set->prefix);

	return !strcasecmp(entry, name) ||
	       (!strncasecmp(name, set->prefix, n) && !strcasecmp(entry, name + n));
}

static void add_constants(struct value *list, const struct survey *s, const struct coverage *c,
			  const char *name)
{
	const struct const_set *const *set;
	size_t i;

	for (set = const_sets; *set; set++)
		for (i = 0; i < (*set)->count; i++)
			if (explained_set_of(*set) &&
			    is_name(*set, (*set)->entry[i].name, name))
				value_append(list, constant_json(s, c, *set, &(*set)->entry[i]));
}

/* @row is NULL for a shipped clause that the suite does not name. */
static struct value *clause_json(const struct survey *s, const struct clause *clause,
				 const struct cover_row *row)
{
	struct value *m = value_map(), *list = value_list();
	size_t i;

	for (i = 0; i < s->findings.count; i++)
		if (finding_is_about(&s->findings.item[i], clause->id))
			value_append(list, finding_to_value(&s->findings.item[i]));
	value_set_string(m, "name", clause->id);
	value_set(m, "what", value_format_string("clause, area %s", clause->area));
	value_set_string(m, "meaning", clause->statement);
	value_set_string(m, "source", clause->source);
	value_set(m, "places", page_citations_of_clause(clause->source));
	value_set_string(m, "observe", clause->observe);
	value_set_string(m, "decision", clause->decision);
	explain_cover_set(m, row);
	value_set(m, "scenarios", explain_cover_scenarios(row));
	value_set(m, "findings", list);
	return m;
}

static void add_clauses(struct value *list, const struct survey *s, const struct coverage *c,
			const char *name)
{
	size_t i;

	for (i = 0; i < s->clauses.count; i++)
		if (!strcasecmp(s->clauses.item[i].id, name))
			value_append(list, clause_json(s, &s->clauses.item[i],
						       coverage_clause(c, s->clauses.item[i].id)));
}

static bool uses_step(const struct scenario *s, const struct step_kind *kind)
{
	size_t i, k;

	for (i = 0; i < s->plan.count; i++)
		for (k = 0; k < s->plan.item[i].item_count; k++)
			if (s->plan.item[i].items[k].kind == kind)
				return true;
	return false;
}

static struct value *step_json(const struct survey *s, const struct step_kind *kind)
{
	struct value *m = value_map(), *params = value_list(), *fields = value_list();
	struct value *used = value_list();
	const struct param *p;
	const struct field *f;
	size_t i;

	for (p = kind->params; p && p->name; p++)
		value_append(params, value_string(p->name));
	for (f = kind->fields; f && f->name; f++)
		value_append(fields, value_string(f->name));
	for (i = 0; i < s->count; i++)
		if (uses_step(s->item[i].scenario, kind))
			value_append(used, value_string(s->item[i].scenario->id));
	value_set_string(m, "name", kind->name);
	value_set(m, "what", value_format_string("step, calls %s", kind->call ? kind->call : "-"));
	value_set_string(m, "meaning", kind->doc ? kind->doc : "");
	value_set(m, "parameters", params);
	value_set(m, "results", fields);
	value_set(m, "scenarios", used);
	return m;
}

static void add_steps(struct value *list, const struct survey *s, const char *name)
{
	const struct step_family *const *f;
	const struct step_kind *k;

	for (f = step_families; *f; f++)
		for (k = (*f)->steps; k->name; k++)
			if (!strcasecmp(k->name, name))
				value_append(list, step_json(s, k));
}

/* The names that do not belong to a set of constants. */
static const struct {
	const struct explanation *entry;
	const char *what;
} words[] = {
	{explain_verdict, "verdict"},
	{explain_word, "word of reports"},
	{explain_counter, "counter of rxe"},
};

static void add_words(struct value *list, const char *name)
{
	const struct explanation *e;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		for (e = words[i].entry; e->name; e++)
			if (!strcasecmp(e->name, name))
				value_append(list, explain_entry(e, words[i].what));
}

struct value *explain_name(const struct survey *s, const struct coverage *c, const char *name)
{
	struct value *list = value_list();

	explain_number(list, name);
	add_words(list, name);
	explain_call_add(list, c, name, NULL, NULL);
	explain_finding_add(list, s, name);
	explain_scenario_add(list, s, name);
	add_constants(list, s, c, name);
	add_clauses(list, s, c, name);
	explain_statement_add(list, s, c, name);
	add_steps(list, s, name);
	explain_cover_named(list, c, name);
	return list;
}

/* Names of constants are compared without the prefix of their set, which would make them all similar. */
static void suggest_constants(struct suggestion *best, const char *name)
{
	const struct const_set *const *set;
	size_t i, n;

	for (set = const_sets; *set; set++) {
		n = strlen((*set)->prefix);
		best->wanted = strncasecmp(name, (*set)->prefix, n) ? name : name + n;
		for (i = 0; i < (*set)->count; i++)
			suggest_offer(best, (*set)->entry[i].name);
	}
	best->wanted = name;
}

static void suggest_steps(struct suggestion *best)
{
	const struct step_family *const *f;
	const struct step_kind *k;

	for (f = step_families; *f; f++)
		for (k = (*f)->steps; k->name; k++)
			suggest_offer(best, k->name);
}

/* Nobody means an identifier of a clause by a name without a dash, or a code by the name of a call. */
const char *explain_suggest(const struct survey *s, const struct coverage *c, const char *name)
{
	bool call = !strncasecmp(name, "ibv_", 4) || !strncasecmp(name, "rdma_", 5);
	bool constant = !strncmp(name, "IBV_", 4) || !strncmp(name, "RDMA_", 5);
	const struct explanation *e;
	struct suggestion best;
	size_t i;

	if (strpbrk(name, " \t") || explain_is_number(name))
		return NULL;
	suggest_init(&best, name);
	if (call && !constant) {
		explain_call_suggest(&best);
		return suggest_best(&best);
	}
	if (strchr(name, '/')) {
		for (i = 0; i < s->count; i++)
			suggest_offer(&best, s->item[i].scenario->id);
		return suggest_best(&best);
	}
	for (i = 0; i < ARRAY_SIZE(words); i++)
		for (e = words[i].entry; e->name; e++)
			suggest_offer(&best, e->name);
	suggest_constants(&best, name);
	for (i = 0; strchr(name, '-') && i < s->clauses.count; i++)
		suggest_offer(&best, s->clauses.item[i].id);
	for (i = 0; strchr(name, '-') && i < s->statements.count; i++)
		suggest_offer(&best, s->statements.item[i].number);
	for (i = 0; strchr(name, '-') && i < s->findings.count; i++)
		suggest_offer(&best, s->findings.item[i].name);
	suggest_steps(&best);
	if (strchr(name, ':'))
		explain_cover_suggest(&best, c);
	return suggest_best(&best);
}

/* A constant, or another code; not an errno of one call. */
static const struct cover_row *row_of_code(const struct coverage *c, const struct value *m, const char *name)
{
	const struct code *code;
	size_t i;

	for (i = 0; i < c->codes.count; i++) {
		code = &c->codes.item[i];
		if (!code->call && !strcmp(code->name, name) && value_get_int(m, "value", code->value) == code->value)
			return &c->code[i];
	}
	return NULL;
}

static const struct cover_row *row_of(const struct coverage *c, const struct value *m)
{
	const char *name = value_get_string(m, "name", "");
	const struct cover_row *row = coverage_clause(c, name);

	return row ? row : row_of_code(c, m, name);
}

static struct value *findings_on(const struct survey *s, const char *clause, const struct device_type *device)
{
	struct value *list = value_list();
	const struct finding *d;
	size_t i;

	for (i = 0; i < s->findings.count; i++) {
		d = &s->findings.item[i];
		if (finding_is_about(d, clause) && survey_finding_holds(s, d, NULL, device))
			value_append(list, value_string(d->name));
	}
	return list;
}

static struct value *verdict_of(const struct value *m, const struct survey *s, const char *clause,
				const struct device_type *device)
{
	const struct cover_filter filter = {.device = device};
	struct value *v = value_map();
	const struct cover_row *row;
	struct coverage c;

	coverage_make(&c, s, &filter);
	row = row_of(&c, m);
	value_set_string(v, "device", device->name);
	value_set_string(v, "cover", cover_name(row->cover));
	value_set_int(v, "scenarios", (int64_t)row->scenario_count);
	value_set(v, "needs", row->lacks ? value_string_take(coverage_lacking_remedy(row->lacks)) : value_null());
	value_set(v, "findings", findings_on(s, clause, device));
	coverage_fini(&c);
	return v;
}

static int add_device(struct value *list, const struct value *m, const struct survey *s, const struct cover_row *row,
		      const struct device_type *device, struct vbm_error *err)
{
	struct text problems auto_text = {0};
	struct survey part;
	int rc = survey_part(&part, s, device, row->scenario, row->scenario_count, &problems, err);

	if (rc == 0)
		value_append(list, verdict_of(m, &part, row->name, device));
	survey_part_fini(&part);
	return rc;
}

int explain_devices_add(struct value *matches, const struct survey *s, const struct coverage *c, struct vbm_error *err)
{
	const char *name;
	int rc = 0;
	size_t i, k;

	for (i = 0; i < matches->list.count; i++) {
		struct value *m = matches->list.item[i], *list;
		const struct cover_row *row = value_get(m, "cover") ? row_of(c, m) : NULL;

		if (!row || !row->scenario_count)
			continue;
		list = value_list();
		for (k = 0; rc == 0 && (name = device_type_name(k)); k++)
			rc = add_device(list, m, s, row, device_type_find(name), err);
		value_set(m, "by_device", list);
	}
	return rc;
}
