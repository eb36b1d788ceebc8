/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "base/strlist.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "catalogue/files.h"
#include "catalogue/source.h"
#include "coverage/codes.h"
#include "coverage/survey.h"
#include "lib/base/fail.h"

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

/*
 * A scenario that does not make a call shows no clause about it. Adds a line to
 * @problems for each scenario that names a clause, whose clause cites the manual
 * pages of calls, and that has no step which makes one of them; and for each line
 * of other-calls.tsv that no scenario needs. A variant that starts a program of the
 * machine can make any call. Returns how many lines it added.
 */
static int uncalled_check(const struct survey *s, struct text *problems)
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

struct checker {
	const struct survey *survey;
	struct text *problems;
	const struct codes *codes;
	char *top;	/* owned; the top of the source tree; NULL outside one */
	int count;
};

static __attribute__((format(printf, 3, 4)))
void problem(struct checker *c, const struct coverage_note *n, const char *fmt, ...)
{
	auto_free char *msg = NULL;
	va_list ap;

	va_start(ap, fmt);
	msg = xvasprintf(fmt, ap);
	va_end(ap);
	text_addf(c->problems, "%s/coverage.tsv:%d: error: %s\n", c->survey->dir, n->line, msg);
	c->count++;
}

static const struct code *find_code(const struct codes *codes, const char *name)
{
	size_t i;

	for (i = 0; i < codes->count; i++)
		if (!codes->item[i].call && !strcmp(codes->item[i].name, name))
			return &codes->item[i];
	return NULL;
}

static void report_unknown_subject(struct checker *c, const struct coverage_note *n)
{
	const struct survey *s = c->survey;
	struct suggestion best;
	auto_free char *hint = NULL;
	size_t i;

	suggest_init(&best, n->subject);
	for (i = 0; i < s->clauses.count; i++)
		suggest_offer(&best, s->clauses.item[i].id);
	for (i = 0; i < c->codes->count; i++)
		suggest_offer(&best, c->codes->item[i].name);
	hint = suggest_ending(suggest_best(&best));
	problem(c, n, "there is no clause or code '%s'%s", n->subject, hint);
}

/* A note about target "any" is out of date only if both targets can run the scenario. */
static bool fits_note(const struct scenario *s, const struct coverage_note *n)
{
	if (strcmp(n->target, "any") != 0)
		return survey_scenario_fits_target(s, n->target);
	return survey_scenario_fits_target(s, "system") && survey_scenario_fits_target(s, "reference");
}

/* For each note: its code, or NULL for a clause, and the first scenario that shows it. */
struct sighting {
	const struct code *code;
	const struct scenario *by;
};

struct search {
	const struct survey *survey;
	const struct scenario *scenario;	/* the one that is searched */
	struct sighting *seen;
};

static void search_use(void *arg, const struct code_use *use)
{
	const struct search *s = arg;
	struct sighting *at;
	size_t i;

	for (i = 0; !use->alternative && i < s->survey->notes.count; i++) {
		at = &s->seen[i];
		if (at->code && !at->by && code_is(at->code, use) && fits_note(s->scenario, &s->survey->notes.item[i]))
			at->by = s->scenario;
	}
}

/* Each scenario is walked once, whatever the number of notes. */
static void find_sightings(struct search *s)
{
	const struct coverage_note *n;
	size_t i, k;

	for (i = 0; i < s->survey->count; i++) {
		s->scenario = s->survey->item[i].scenario;
		for (k = 0; k < s->scenario->plan.count; k++)
			uses_collect(&s->scenario->plan.item[k], search_use, s);
		for (k = 0; k < s->survey->notes.count; k++) {
			n = &s->survey->notes.item[k];
			if (!s->seen[k].code && !s->seen[k].by && survey_scenario_names_clause(s->scenario, n->subject) &&
			    fits_note(s->scenario, n))
				s->seen[k].by = s->scenario;
		}
	}
}

static void check_where(struct checker *c, const struct coverage_note *n)
{
	const char *colon = strchr(n->where, ':');
	auto_free char *file = NULL, *path = NULL, *text = NULL;
	struct vbm_error err;
	size_t len;

	if (!c->top || n->kind == NOTE_UNREACHABLE)
		return;
	file = colon ? xstrndup(n->where, (size_t)(colon - n->where)) : xstrdup(n->where);
	path = xasprintf("%s/%s", c->top, file);
	if (scenario_file_read(path, &text, &len, &err) < 0)
		problem(c, n, "there is no test %s", file);
	else if (colon && !memmem(text, len, colon + 1, strlen(colon + 1)))
		problem(c, n, "%s does not contain '%s'", file, colon + 1);
}

static char *source_top(const char *dir)
{
	auto_free char *tests = xasprintf("%s/../tests/unit", dir);

	return access(tests, X_OK) == 0 ? xasprintf("%s/..", dir) : NULL;
}

int survey_check(const struct survey *s, struct text *problems, struct vbm_error *err)
{
	struct codes codes;
	struct checker c = {.survey = s, .problems = problems, .codes = &codes};
	const struct coverage_note *n;
	auto_free struct sighting *seen = xcalloc(s->notes.count + 1, sizeof(*seen));
	size_t i;

	codes_make(&codes);
	for (i = 0; i < s->notes.count; i++)
		seen[i].code = find_code(&codes, s->notes.item[i].subject);
	find_sightings(&(struct search){.survey = s, .seen = seen});
	c.top = source_top(s->dir);
	for (i = 0; i < s->notes.count; i++) {
		n = &s->notes.item[i];
		if (!seen[i].code && !clause_find(&s->clauses, n->subject)) {
			report_unknown_subject(&c, n);
			continue;
		}
		if (seen[i].by)
			problem(&c, n, "the scenario %s shows %s: remove this line", seen[i].by->id, n->subject);
		check_where(&c, n);
	}
	free(c.top);
	codes_fini(&codes);
	if (c.count)
		return vbm_fail(err, EINVAL, "coverage.tsv is out of date or wrong");
	if (uncalled_check(s, problems))
		return vbm_fail(err, EINVAL, "a clause is about a call that its scenario does not make, or other-calls.tsv is out of date");
	if (statements_check(s, problems))
		return vbm_fail(err, EINVAL, "statements.tsv and the clauses do not agree");
	return 0;
}
