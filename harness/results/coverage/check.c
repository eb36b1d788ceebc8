/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "coverage/codes.h"
#include "coverage/survey.h"
#include "lib/base/fail.h"
#include "catalogue/files.h"

struct checker {
	const struct survey *survey;
	struct text *problems;
	const struct codes *codes;
	char *top;	/* owned; the top of the source tree; NULL outside one */
	int count;
};

static void problem(struct checker *c, const struct coverage_note *n, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void problem(struct checker *c, const struct coverage_note *n, const char *fmt, ...)
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

struct search {
	const struct code *code;
	bool found;
};

static void search_use(void *arg, const struct code_use *use)
{
	struct search *s = arg;

	s->found = s->found || (!use->alternative && code_is(s->code, use));
}

static bool shows_code(const struct surveyed *item, const struct code *code)
{
	struct search s = {.code = code};
	size_t i;

	for (i = 0; i < item->scenario->plan.count && !s.found; i++)
		uses_collect(&item->scenario->plan.item[i], search_use, &s);
	return s.found;
}

/* A note about target "any" is out of date only if both targets can run the scenario. */
static bool fits_note(const struct scenario *s, const struct coverage_note *n)
{
	if (strcmp(n->target, "any") != 0)
		return survey_scenario_fits_target(s, n->target);
	return survey_scenario_fits_target(s, "system") && survey_scenario_fits_target(s, "reference");
}

static void check_shown(struct checker *c, const struct coverage_note *n, const struct code *code)
{
	const struct surveyed *item;
	size_t i;

	for (i = 0; i < c->survey->count; i++) {
		item = &c->survey->item[i];
		if (!fits_note(item->scenario, n))
			continue;
		if (code ? shows_code(item, code) : survey_scenario_names_clause(item->scenario, n->subject)) {
			problem(c, n, "the scenario %s shows %s: remove this line",
				item->scenario->id, n->subject);
			return;
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
	const struct code *code;
	size_t i;

	codes_make(&codes);
	c.top = source_top(s->dir);
	for (i = 0; i < s->notes.count; i++) {
		n = &s->notes.item[i];
		code = find_code(&codes, n->subject);
		if (!code && !clause_find(&s->clauses, n->subject)) {
			report_unknown_subject(&c, n);
			continue;
		}
		check_shown(&c, n, code);
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
