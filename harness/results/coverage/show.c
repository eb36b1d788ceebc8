/* SPDX-License-Identifier: BSD-2-Clause */
#include "coverage/show.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "coverage/lacking.h"

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
	remedy = lacking_remedy(need);
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
