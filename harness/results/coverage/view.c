/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

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

static void add_clause(struct mutant_tally *t, const struct mutants *mutants, const char *clause)
{
	bool mutated = false, excused = false;
	size_t i;

	for (i = 0; i < mutants->count; i++) {
		if (!mutant_is_about(&mutants->item[i], clause))
			continue;
		mutated = mutated || mutants->item[i].name;
		excused = true;
	}
	t->mutated += mutated;
	t->excused += excused && !mutated;
}

struct mutant_tally cover_mutants(const struct coverage *c, const struct cover_view *view,
				  const char *group)
{
	struct mutant_tally t = {0};
	size_t i;

	for (i = 0; i < c->clause_count; i++)
		if (is_counted(&c->clause[i], view, group))
			add_clause(&t, c->mutants, c->clause[i].name);
	for (i = 0; i < c->mutants->count; i++)
		if (c->mutants->item[i].name &&
		    is_about_any(&c->mutants->item[i], c, view, group))
			t.mutants++;
	return t;
}
