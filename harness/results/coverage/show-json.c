/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/value.h"
#include "coverage/lacking.h"
#include "coverage/show.h"

static void set_text(struct value *m, const char *key, const char *s)
{
	value_set(m, key, s ? value_string(s) : value_null());
}

static struct value *row_json(const struct cover_row *row)
{
	struct value *m = value_map(), *list = value_list();
	size_t i;

	for (i = 0; i < row->scenario_count; i++)
		value_append(list, value_string(row->scenario[i]));
	value_set_string(m, "name", row->name);
	value_set_string(m, "group", row->group);
	value_set_string(m, "cover", cover_name(row->cover));
	value_set(m, "scenarios", list);
	set_text(m, "where", row->note && strcmp(row->note->where, "-") != 0 ? row->note->where
									    : NULL);
	set_text(m, "why", row->note ? row->note->why : NULL);
	value_set(m, "needs", row->lacks ? value_string_take(lacking_remedy(row->lacks)) : value_null());
	return m;
}

static bool is_shown(const struct cover_view *view, const struct cover_row *row)
{
	return cover_sees(view, row->group) && (!view->missing || row->cover == COVER_MISSING);
}

static struct value *findings_json(const struct survey *s, const char *clause,
				   const char *target)
{
	struct value *list = value_list();
	const struct finding *d;
	size_t i;

	for (i = 0; i < s->findings.count; i++) {
		d = &s->findings.item[i];
		if (finding_is_about(d, clause) && survey_finding_fits_target(d, target))
			value_append(list, value_string(d->what));
	}
	return list;
}

static struct value *clauses_json(const struct coverage *c, const struct survey *s,
				  const struct cover_view *view)
{
	struct value *list = value_list(), *m;
	size_t i;

	for (i = 0; i < c->clause_count; i++) {
		if (!is_shown(view, &c->clause[i]))
			continue;
		m = row_json(&c->clause[i]);
		value_set_string(m, "statement", c->clause[i].text);
		value_set(m, "findings",
			  findings_json(s, c->clause[i].name, view->target));
		value_append(list, m);
	}
	return list;
}

static struct value *codes_json(const struct coverage *c, const struct cover_view *view)
{
	struct value *list = value_list(), *m;
	size_t i;

	for (i = 0; i < c->code_count; i++) {
		if (!is_shown(view, &c->code[i]))
			continue;
		m = row_json(&c->code[i]);
		set_text(m, "call", c->code[i].call);
		set_text(m, "clause", c->codes.item[i].clause);
		value_set_int(m, "value", c->codes.item[i].value);
		value_append(list, m);
	}
	return list;
}

struct value *cover_json(const struct coverage *c, const struct survey *s,
			 const struct cover_view *view)
{
	struct value *root = value_map(), *mutants = cover_mutants(c, view);

	set_text(root, "target", view->target);
	set_text(root, "device", view->device);
	set_text(root, "from", view->from);
	value_set_int(root, "scenarios", (int64_t)c->scenario_count);
	value_set(root, "areas", cover_totals(c->clause, c->clause_count, false, view));
	value_set(root, "groups", cover_totals(c->code, c->code_count, true, view));
	value_set(root, "mutants", mutants ? mutants : value_null());
	value_set(root, "clauses", clauses_json(c, s, view));
	value_set(root, "codes", codes_json(c, view));
	value_set(root, COVER_STATEMENTS, cover_statements_json(s, view));
	return root;
}
