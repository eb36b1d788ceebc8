/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "coverage/show.h"

/* The numbers of one chapter; of all with @chapter NULL. Returns how many there are. */
static size_t count(const struct statements *st, const char *chapter, size_t n[STATEMENT_STATUSES])
{
	size_t i, total = 0;

	memset(n, 0, STATEMENT_STATUSES * sizeof(*n));
	for (i = 0; i < st->count; i++) {
		auto_free char *group = statement_group(&st->item[i]);

		if (chapter && strcmp(group, chapter) != 0)
			continue;
		n[st->item[i].status]++;
		total++;
	}
	return total;
}

static void print_counts(FILE *f, const struct statements *st, const char *name, const char *chapter)
{
	size_t n[STATEMENT_STATUSES], total = count(st, chapter, n);
	int i;

	fprintf(f, "%-16s %10zu", name, total);
	for (i = 0; i < STATEMENT_STATUSES; i++)
		fprintf(f, " %*zu", (int)strlen(statement_status_name((enum statement_status)i)), n[i]);
	fputc('\n', f);
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
	struct string_list chapters auto_string_list = {0};
	size_t i;

	if (!st->text || !cover_sees(view, COVER_STATEMENTS))
		return;
	for (i = 0; i < st->count; i++) {
		auto_free char *group = statement_group(&st->item[i]);

		string_list_add(&chapters, group);
	}
	fputs("\nchapter          " COVER_STATEMENTS, f);
	for (i = 0; i < STATEMENT_STATUSES; i++)
		fprintf(f, " %s", statement_status_name((enum statement_status)i));
	fputc('\n', f);
	for (i = 0; i < chapters.count; i++)
		print_counts(f, st, chapters.item[i], chapters.item[i]);
	print_counts(f, st, "total", NULL);
	if (cover_statements_missing(st)) {
		fputs("\n" COVER_STATEMENTS ": missing\n", f);
		print_missing(f, st);
	}
}

size_t cover_statements_missing(const struct statements *st)
{
	size_t n[STATEMENT_STATUSES];

	count(st, NULL, n);
	return n[STATEMENT_MISSING];
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
