/* SPDX-License-Identifier: BSD-2-Clause */
#include "coverage/show.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "coverage/coverage.h"

static bool cover_sees(const struct cover_view *view, const char *group)
{
	size_t i;

	for (i = 0; i < view->group_count; i++)
		if (!strcmp(view->group[i], group))
			return true;
	return view->group_count == 0;
}

static bool is_counted(const struct cover_row *row, const struct cover_view *view,
		       const char *group)
{
	return cover_sees(view, row->group) && (!group || !strcmp(row->group, group));
}

/* Whether a clause that is counted has this line. */
static bool is_about_any(const struct mutant *m, const struct coverage *c,
			 const struct cover_view *view, const char *group)
{
	size_t i;

	for (i = 0; i < c->clause_count; i++)
		if (is_counted(&c->clause[i], view, group) &&
		    mutant_is_about(m, c->clause[i].name))
			return true;
	return false;
}

static void add_clause(struct value *tally, const struct mutants *mutants, const char *clause)
{
	bool mutated = false, excused = false;
	size_t i;

	for (i = 0; i < mutants->count; i++) {
		if (!mutant_is_about(&mutants->item[i], clause))
			continue;
		mutated = mutated || mutants->item[i].name;
		excused = true;
	}
	value_get(tally, "mutated")->i += mutated;
	value_get(tally, "excused")->i += excused && !mutated;
}

/* Of the area @group; NULL: of all areas that @view shows. */
static struct value *tally_of(const struct coverage *c, const struct cover_view *view, const char *group)
{
	struct value *tally = value_map();
	size_t i;

	value_set_int(tally, "mutated", 0);
	value_set_int(tally, "excused", 0);
	value_set_int(tally, "mutants", 0);
	for (i = 0; i < c->clause_count; i++)
		if (is_counted(&c->clause[i], view, group))
			add_clause(tally, c->mutants, c->clause[i].name);
	for (i = 0; i < c->mutants->count; i++)
		if (c->mutants->item[i].name && is_about_any(&c->mutants->item[i], c, view, group))
			value_get(tally, "mutants")->i++;
	return tally;
}

/*
 * The table of mutants, compared with the clauses of an area: "areas" has for each "mutated" (clauses with a mutant), "excused"
 * (those without one, with a reason) and "mutants" (of these clauses), "total" the same of all. NULL: there is no such table.
 */
static struct value *cover_mutants(const struct coverage *c, const struct cover_view *view)
{
	struct value *areas, *all;
	const char *area;
	size_t i;

	if (!c->mutants->text)
		return NULL;
	areas = value_map();
	all = value_map();
	for (i = 0; i < c->clause_count; i++) {
		area = c->clause[i].group;
		if (cover_sees(view, area) && !value_get(areas, area))
			value_set(areas, area, tally_of(c, view, area));
	}
	value_set(all, "areas", areas);
	value_set(all, "total", tally_of(c, view, NULL));
	return all;
}

/* Of each area, or group of @codes, how many rows have each kind of cover. */
static struct value *cover_totals(const struct cover_row *row, size_t count, bool codes, const struct cover_view *view)
{
	struct value *all = value_map(), *m;
	size_t i;
	int k;

	for (i = 0; i < count; i++) {
		if (!cover_sees(view, row[i].group))
			continue;
		m = value_get(all, row[i].group);
		if (!m) {
			m = value_map();
			for (k = 0; k < COVER_COUNT; k++)
				if (k != COVER_ONE_OF || codes)
					value_set_int(m, cover_name((enum cover)k), 0);
			value_set(all, row[i].group, m);
		}
		value_get(m, cover_name(row[i].cover))->i++;
	}
	return all;
}

static void print_members(FILE *f, const struct value *counts)
{
	const struct value_member *m;
	size_t i;

	for (i = 0; counts && i < counts->map.count; i++) {
		m = &counts->map.member[i];
		fprintf(f, " %*" PRId64, (int)strlen(m->key), m->value->i);
	}
}

static void print_keys(FILE *f, const struct value *counts)
{
	size_t i;

	for (i = 0; counts && i < counts->map.count; i++)
		fprintf(f, " %s", counts->map.member[i].key);
}

static void print_counts(FILE *f, const char *name, int width, const struct value *counts, const struct value *mutants)
{
	int64_t total = 0;
	size_t i;

	for (i = 0; i < counts->map.count; i++)
		total += counts->map.member[i].value->i;
	fprintf(f, "%-16s %*" PRId64, name, width, total);
	print_members(f, counts);
	print_members(f, mutants);
	fputc('\n', f);
}

/* Prints a table of such totals, with their sums; @mutants may be NULL. */
static void cover_print_totals(FILE *f, const char *title, const char *unit, const struct value *groups, const struct value *mutants)
{
	const struct value *of_areas = value_get(mutants, "areas"), *of_all = value_get(mutants, "total");
	auto_value struct value *sums = value_map();
	int width = strlen(unit) > 7 ? (int)strlen(unit) : 7;
	const struct value_member *m, *n;
	size_t i, k;

	if (!groups->map.count)
		return;
	fprintf(f, "\n%-16s %*s", title, width, unit);
	print_keys(f, groups->map.member[0].value);
	print_keys(f, of_all);
	fputc('\n', f);
	for (i = 0; i < groups->map.count; i++) {
		m = &groups->map.member[i];
		print_counts(f, m->key, width, m->value, value_get(of_areas, m->key));
		for (k = 0; k < m->value->map.count; k++) {
			n = &m->value->map.member[k];
			value_set_int(sums, n->key, value_get_int(sums, n->key, 0) + n->value->i);
		}
	}
	print_counts(f, "total", width, sums, of_all);
}

/* Of each chapter, how many statements have each status. */
static struct value *statement_totals(const struct statements *st)
{
	struct value *all = value_map(), *m;
	size_t i;
	int k;

	for (i = 0; i < st->count; i++) {
		auto_free char *chapter = statement_group(&st->item[i]);

		m = value_get(all, chapter);
		if (!m) {
			m = value_map();
			for (k = 0; k < STATEMENT_STATUSES; k++)
				value_set_int(m, statement_status_name((enum statement_status)k), 0);
			value_set(all, chapter, m);
		}
		value_get(m, statement_status_name(st->item[i].status))->i++;
	}
	return all;
}

static void cover_statements_text(FILE *f, const struct statements *st, const struct cover_view *view)
{
	auto_value struct value *chapters = NULL;
	size_t i, missing = 0;

	if (!st->text || !cover_sees(view, COVER_STATEMENTS))
		return;
	chapters = statement_totals(st);
	cover_print_totals(f, "chapter", COVER_STATEMENTS, chapters, NULL);
	for (i = 0; i < st->count; i++)
		if (st->item[i].status == STATEMENT_MISSING)
			fprintf(f, "%s  %-12s %s\n", missing++ ? "" : "\n" COVER_STATEMENTS ": missing\n", st->item[i].number,
				st->item[i].why);
}

size_t cover_statements_missing(const struct statements *st)
{
	size_t i, n = 0;

	for (i = 0; i < st->count; i++)
		n += st->item[i].status == STATEMENT_MISSING;
	return n;
}

static struct value *statement_json(const struct survey *s, const struct statement *st)
{
	struct string_list clauses auto_string_list = {0};
	struct value *m = value_map(), *list = value_list();
	auto_free char *chapter = statement_group(st);
	size_t i;

	statement_clauses(&clauses, &s->clauses, st->number);
	for (i = 0; i < clauses.count; i++)
		value_append(list, value_string(clauses.item[i]));
	value_set_string(m, "name", st->number);
	value_set_string(m, "chapter", chapter);
	value_set_string(m, "edition", st->edition);
	value_set_string(m, "cover", statement_status_name(st->status));
	value_set(m, "clauses", list);
	value_set_string(m, "named_by", st->named_by);
	value_set_string(m, "why", st->why);
	return m;
}

static struct value *cover_statements_json(const struct survey *s, const struct cover_view *view)
{
	struct value *list = value_list();
	size_t i;

	for (i = 0; i < s->statements.count; i++)
		if (cover_sees(view, COVER_STATEMENTS) &&
		    (!view->missing || s->statements.item[i].status == STATEMENT_MISSING))
			value_append(list, statement_json(s, &s->statements.item[i]));
	return list;
}

/* One of the two tables, clauses or codes. */
struct part {
	const char *unit;
	const struct cover_row *row;
	size_t count;
};

static char *row_name(const struct cover_row *row)
{
	return row->call ? xasprintf("%s: %s", row->call, row->name) : xstrdup(row->name);
}

static bool has_detail(const struct cover_row *row)
{
	return row->scenario_count || row->note || row->text;
}

static void print_row(FILE *f, const struct cover_row *row)
{
	auto_free char *name = row_name(row);
	size_t i;

	fprintf(f, "  %-*s%s", has_detail(row) ? 35 : 0, name, has_detail(row) ? " " : "");
	for (i = 0; i < row->scenario_count; i++)
		fprintf(f, "%s%s", i ? ", " : "", row->scenario[i]);
	if (row->note && row->note->kind != NOTE_UNREACHABLE)
		fprintf(f, "%s: %s", row->note->where, row->note->why);
	else if (row->note)
		fputs(row->note->why, f);
	else if (!row->scenario_count && row->text)
		fputs(row->text, f);
	fputc('\n', f);
}

static void print_list(FILE *f, const struct part *p, const struct cover_view *view,
		       enum cover cover)
{
	const struct cover_row *last = NULL;
	size_t i;

	for (i = 0; i < p->count; i++) {
		if (p->row[i].cover != cover || !cover_sees(view, p->row[i].group))
			continue;
		if (!last)
			fprintf(f, "\n%s: %s\n", p->unit, cover_name(cover));
		print_row(f, &p->row[i]);
		last = &p->row[i];
	}
}

/* The rows that need the same as the row @at, and are shown, in one line. */
static void print_lacking(FILE *f, const struct part *p, const struct cover_view *view, size_t at)
{
	const char *need = p->row[at].lacks;
	auto_free char *remedy = NULL;
	size_t i;

	for (i = 0; i < at; i++)
		if (p->row[i].lacks && !strcmp(p->row[i].lacks, need) &&
		    cover_sees(view, p->row[i].group))
			return;
	remedy = coverage_lacking_remedy(need);
	fprintf(f, "\n%s: %s:", p->unit, remedy);
	for (i = at; i < p->count; i++) {
		auto_free char *name = row_name(&p->row[i]);

		if (p->row[i].lacks && !strcmp(p->row[i].lacks, need) &&
		    cover_sees(view, p->row[i].group))
			fprintf(f, "%s %s", i == at ? "" : ",", name);
	}
	fputc('\n', f);
}

void cover_text(FILE *f, const struct coverage *c, const struct cover_view *view)
{
	const struct part part[] = {
		{"clauses", c->clause, c->clause_count}, {"codes", c->code, c->code_count},
	};
	auto_value struct value *areas = cover_totals(c->clause, c->clause_count, false, view);
	auto_value struct value *groups = cover_totals(c->code, c->code_count, true, view);
	auto_value struct value *mutants = cover_mutants(c, view);
	size_t i, row;
	int k;

	fprintf(f, "%zu scenarios count", c->scenario_count);
	if (view->target)
		fprintf(f, " for the target %s", view->target);
	if (view->device)
		fprintf(f, " for devices of %s", view->device);
	if (view->from)
		fprintf(f, ", by the verdicts in %s", view->from);
	fputc('\n', f);
	cover_print_totals(f, "area", "clauses", areas, mutants);
	cover_print_totals(f, "group", "codes", groups, NULL);
	cover_statements_text(f, c->statements, view);
	for (i = 0; i < ARRAY_SIZE(part); i++)
		for (row = 0; row < part[i].count; row++)
			if (part[i].row[row].lacks && cover_sees(view, part[i].row[row].group))
				print_lacking(f, &part[i], view, row);
	for (i = 0; i < ARRAY_SIZE(part); i++)
		for (k = view->missing ? COVER_MISSING : COVER_SHOWN; k < COVER_COUNT; k++)
			print_list(f, &part[i], view, (enum cover)k);
}

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
	value_set(m, "needs", row->lacks ? value_string_take(coverage_lacking_remedy(row->lacks)) : value_null());
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
