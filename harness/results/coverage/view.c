/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <string.h>

#include "base/value.h"
#include "coverage/show.h"

bool cover_sees(const struct cover_view *view, const char *group)
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

struct value *cover_mutants(const struct coverage *c, const struct cover_view *view)
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

struct value *cover_totals(const struct cover_row *row, size_t count, bool codes, const struct cover_view *view)
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

void cover_print_totals(FILE *f, const char *title, const char *unit, const struct value *groups, const struct value *mutants)
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
