/* SPDX-License-Identifier: BSD-2-Clause */
#include "coverage/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "catalogue/source.h"
#include "coverage/survey.h"

static int take_line(void *arg, char *const *cell, int number, struct vbm_error *err);

static const struct table_format format = {
	"other-calls.tsv", {"clause", "call", "why"}, take_line,
};

static int take_line(void *arg, char *const *cell, int number, struct vbm_error *err)
{
	struct other_calls *out = arg;

	if (!*cell[2])
		return table_refuse(&format, number, err);
	GROW(out->item, out->count);
	out->item[out->count++] = (struct other_call){cell[0], cell[1], cell[2], number};
	return 0;
}

int other_calls_load(struct other_calls *out, const char *dir, struct vbm_error *err)
{
	return table_load(&format, dir, &out->text, out, err);
}

void other_calls_fini(struct other_calls *calls)
{
	free(calls->item);
	free(calls->text);
	*calls = (struct other_calls){0};
}

/* The page of a call that has no page of its own name. */
static const char *page_of(const char *call)
{
	return strcmp(call, "ibv_wr_complete(3)") ? call : "ibv_wr_post(3)";
}

static bool is_page_of(const struct step_kind *kind, const char *page)
{
	return kind->call && !strcmp(page_of(kind->call), page);
}

static bool any_step_has(const char *page)
{
	const struct step_family *const *f;
	const struct step_kind *k;

	for (f = step_families; *f; f++)
		for (k = (*f)->steps; k->name; k++)
			if (is_page_of(k, page))
				return true;
	return false;
}

static bool makes(const struct variant *v, const char *page)
{
	size_t i;

	for (i = 0; i < v->item_count; i++)
		if (is_page_of(v->items[i].kind, page))
			return true;
	return false;
}

/* Whether a variant that names @clause makes the call of @page. */
static bool scenario_makes(const struct scenario *s, const char *clause, const char *page)
{
	size_t i;

	for (i = 0; i < s->plan.count; i++)
		if (survey_variant_names_clause(&s->plan.item[i], clause) && makes(&s->plan.item[i], page))
			return true;
	return false;
}

static bool starts_programs(const struct scenario *s)
{
	size_t i;

	for (i = 0; i < s->plan.count; i++)
		if (variant_wants_programs(&s->plan.item[i]))
			return true;
	return false;
}

/* The pages of calls that @clause cites and @s does not call; "" if it makes one or there is none. */
static void pages_uncalled(struct text *out, const struct scenario *s, const struct clause *clause)
{
	struct sources sources auto_sources = {0};
	struct text pages auto_text = {0};
	size_t i, column;

	/* The column of another suite is free text. */
	if (sources_parse(&sources, clause->source, &column, NULL) < 0)
		return;
	for (i = 0; i < sources.count; i++) {
		const struct source *at = &sources.item[i];
		auto_free char *page = NULL;

		if (at->kind != SOURCE_PAGE)
			continue;
		page = xasprintf("%s(%d)", at->page, at->section);
		if (!any_step_has(page) || (pages.s && strstr(pages.s, page)))
			continue;
		if (scenario_makes(s, clause->id, page))
			return;
		text_addf(&pages, "%s%s", pages.s ? " or " : "", page);
	}
	if (pages.s)
		text_add(out, pages.s);
}

/* Marks the line of other-calls.tsv that explains it, if there is one, in @used. */
static bool is_explained(const struct survey *s, const struct scenario *scenario,
			 const char *clause, bool *used)
{
	size_t i;

	for (i = 0; i < s->other_calls.count; i++) {
		const struct other_call *o = &s->other_calls.item[i];

		if (strcmp(o->clause, clause) != 0 || !scenario_makes(scenario, clause, o->call))
			continue;
		used[i] = true;
		return true;
	}
	return false;
}

static int check_scenario(const struct survey *s, const struct scenario *scenario, bool *used,
			  struct text *problems)
{
	const struct clause *clause;
	int count = 0;
	size_t i;

	for (i = 0; i < scenario->clause_count && !starts_programs(scenario); i++) {
		struct text pages auto_text = {0};

		clause = clause_find(&s->clauses, scenario->clauses[i]);
		if (clause)
			pages_uncalled(&pages, scenario, clause);
		if (!pages.s || is_explained(s, scenario, clause->id, used))
			continue;
		text_addf(problems, "%s: error: it names %s but has no step that calls %s\n",
			  scenario->path, clause->id, pages.s);
		count++;
	}
	return count;
}

int uncalled_check(const struct survey *s, struct text *problems)
{
	auto_free bool *used = xcalloc(s->other_calls.count + 1, sizeof(*used));
	int count = 0;
	size_t i;

	for (i = 0; i < s->count; i++)
		count += check_scenario(s, s->item[i].scenario, used, problems);
	for (i = 0; i < s->other_calls.count; i++) {
		if (used[i])
			continue;
		text_addf(problems, "%s/other-calls.tsv:%d: error: no scenario needs this line "
			  "about %s\n", s->dir, s->other_calls.item[i].line,
			  s->other_calls.item[i].clause);
		count++;
	}
	return count;
}
