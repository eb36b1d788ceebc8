/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdbool.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "catalogue/source.h"
#include "coverage/survey.h"

static bool has_scenario(const struct survey *s, const struct string_list *clauses)
{
	size_t i, k;

	for (i = 0; i < clauses->count; i++)
		for (k = 0; k < s->count; k++)
			if (survey_scenario_names_clause(s->item[k].scenario, clauses->item[i]))
				return true;
	return false;
}

/* The fault of a line; NULL: it has none. */
static char *fault_of(const struct survey *s, const struct statement *st)
{
	struct string_list clauses auto_string_list = {0};

	statement_clauses(&clauses, &s->clauses, st->number);
	if (st->status == STATEMENT_COVERED && !clauses.count)
		return xasprintf("no clause names %s, so it is not covered", st->number);
	if (st->status == STATEMENT_COVERED && !has_scenario(s, &clauses))
		return xasprintf("no scenario shows %s, which names %s", clauses.item[0], st->number);
	if (st->status != STATEMENT_COVERED && clauses.count)
		return xasprintf("%s names %s, so it is covered", clauses.item[0], st->number);
	return NULL;
}

/* Statements that clauses of the suite name, and the table does not have. */
static int check_clauses(const struct survey *s, struct text *problems)
{
	const struct clause *c;
	int wrong = 0;
	size_t i, k;

	for (i = 0; i < s->clauses.own; i++) {
		struct string_list all auto_string_list = {0};

		c = &s->clauses.item[i];
		sources_statements(&all, c->source);
		for (k = 0; k < all.count; k++) {
			if (statement_find(&s->statements, all.item[k]))
				continue;
			text_addf(problems, "%s/clauses.tsv:%d: error: statements.tsv has no line about %s, which %s names\n",
				  s->dir, c->line, all.item[k], c->id);
			wrong++;
		}
	}
	return wrong;
}

int statements_check(const struct survey *s, struct text *problems)
{
	int wrong = 0;
	size_t i;

	if (!s->statements.text)
		return 0;
	for (i = 0; i < s->statements.count; i++) {
		auto_free char *fault = fault_of(s, &s->statements.item[i]);

		if (!fault)
			continue;
		text_addf(problems, "%s/statements.tsv:%d: error: %s\n", s->dir, s->statements.item[i].line, fault);
		wrong++;
	}
	return wrong + check_clauses(s, problems);
}
