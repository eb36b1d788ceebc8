/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "coverage/show.h"

/* Of each chapter, how many statements have each status. */
static struct value *totals(const struct statements *st)
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

static void print_missing(FILE *f, const struct statements *st)
{
	size_t i;

	for (i = 0; i < st->count; i++)
		if (st->item[i].status == STATEMENT_MISSING)
			fprintf(f, "  %-12s %s\n", st->item[i].number, st->item[i].why);
}

void cover_statements_text(FILE *f, const struct statements *st, const struct cover_view *view)
{
	auto_value struct value *chapters = NULL;

	if (!st->text || !cover_sees(view, COVER_STATEMENTS))
		return;
	chapters = totals(st);
	cover_print_totals(f, "chapter", COVER_STATEMENTS, chapters, NULL);
	if (cover_statements_missing(st)) {
		fputs("\n" COVER_STATEMENTS ": missing\n", f);
		print_missing(f, st);
	}
}

size_t cover_statements_missing(const struct statements *st)
{
	size_t i, n = 0;

	for (i = 0; i < st->count; i++)
		n += st->item[i].status == STATEMENT_MISSING;
	return n;
}

static struct value *row(const struct survey *s, const struct statement *st)
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

struct value *cover_statements_json(const struct survey *s, const struct cover_view *view)
{
	struct value *list = value_list();
	size_t i;

	for (i = 0; i < s->statements.count; i++)
		if (cover_sees(view, COVER_STATEMENTS) &&
		    (!view->missing || s->statements.item[i].status == STATEMENT_MISSING))
			value_append(list, row(s, &s->statements.item[i]));
	return list;
}
