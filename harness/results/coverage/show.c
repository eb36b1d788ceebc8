/* SPDX-License-Identifier: BSD-2-Clause */
#include "coverage/show.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "coverage/lacking.h"

/* One of the two tables, clauses or codes. */
struct part {
	const char *title, *unit;
	const struct cover_row *row;
	size_t count;
	bool codes;
	const struct coverage *mutants;	/* NULL: no column about mutants */
};

/* No clause is one of several. */
static bool part_has(const struct part *p, enum cover cover)
{
	return cover != COVER_ONE_OF || p->codes;
}

static void print_mutants(FILE *f, const struct coverage *c, const struct cover_view *view,
			  const char *group)
{
	struct mutant_tally t = cover_mutants(c, view, group);

	fprintf(f, " %7zu %7zu %7zu", t.mutated, t.excused, t.mutants);
}

static void print_counts(FILE *f, const char *name, const struct part *p,
			 const struct cover_view *view, const char *group)
{
	size_t n[COVER_COUNT] = {0}, total = 0, i;

	for (i = 0; i < p->count; i++)
		if (cover_sees(view, p->row[i].group) &&
		    (!group || !strcmp(p->row[i].group, group))) {
			n[p->row[i].cover]++;
			total++;
		}
	fprintf(f, "%-16s %7zu", name, total);
	for (i = 0; i < COVER_COUNT; i++)
		if (part_has(p, (enum cover)i))
			fprintf(f, " %*zu", (int)strlen(cover_name((enum cover)i)), n[i]);
	if (p->mutants)
		print_mutants(f, p->mutants, view, group);
	fputc('\n', f);
}

/* Whether the row @at is the first of its group. */
static bool is_first(const struct part *p, size_t at)
{
	size_t i;

	for (i = 0; i < at; i++)
		if (!strcmp(p->row[i].group, p->row[at].group))
			return false;
	return true;
}

static size_t visible(const struct part *p, const struct cover_view *view)
{
	size_t i, n = 0;

	for (i = 0; i < p->count; i++)
		n += cover_sees(view, p->row[i].group);
	return n;
}

static void print_table(FILE *f, const struct part *p, const struct cover_view *view)
{
	size_t i;

	fprintf(f, "\n%-16s %7s", p->title, p->unit);
	for (i = 0; i < COVER_COUNT; i++)
		if (part_has(p, (enum cover)i))
			fprintf(f, " %s", cover_name((enum cover)i));
	if (p->mutants)
		fputs(" mutated excused mutants", f);
	fputc('\n', f);
	for (i = 0; i < p->count; i++)
		if (cover_sees(view, p->row[i].group) && is_first(p, i))
			print_counts(f, p->row[i].group, p, view, p->row[i].group);
	print_counts(f, "total", p, view, NULL);
}

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
		{"area", "clauses", c->clause, c->clause_count, false,
		 c->mutants->text ? c : NULL},
		{"group", "codes", c->code, c->code_count, true, NULL},
	};
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
	for (i = 0; i < ARRAY_SIZE(part); i++)
		if (visible(&part[i], view))
			print_table(f, &part[i], view);
	cover_statements_text(f, c->statements, view);
	for (i = 0; i < ARRAY_SIZE(part); i++)
		for (row = 0; row < part[i].count; row++)
			if (part[i].row[row].lacks && cover_sees(view, part[i].row[row].group))
				print_lacking(f, &part[i], view, row);
	for (i = 0; i < ARRAY_SIZE(part); i++)
		for (k = view->missing ? COVER_MISSING : COVER_SHOWN; k < COVER_COUNT; k++)
			print_list(f, &part[i], view, (enum cover)k);
}
