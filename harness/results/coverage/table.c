/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/choice.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "catalogue/clauses.h"
#include "catalogue/source.h"
#include "coverage/survey.h"
#include "lib/base/fail.h"
#include "names/targets.h"

static size_t columns(const struct table_format *format)
{
	size_t n = 0;

	while (n < TABLE_CELLS_MAX && format->column[n])
		n++;
	return n;
}

/* False when the number of cells is wrong. */
static bool split_row(const struct table_format *format, char *line, char **cell)
{
	size_t i, n = columns(format);

	for (i = 0; i < n; i++) {
		cell[i] = strsep(&line, "\t");
		if (!cell[i])
			return false;
	}
	return !line;
}

static int check_header(const struct table_format *format, char *line, struct vbm_error *err)
{
	auto_text struct text names = {0};
	char *cell[TABLE_CELLS_MAX];
	size_t i, n = columns(format);
	bool same = split_row(format, line, cell);

	for (i = 0; i < n; i++) {
		same = same && strcmp(cell[i], format->column[i]) == 0;
		text_addf(&names, "%s%s", i ? ", " : "", format->column[i]);
	}
	return same ? 0 : vbm_fail(err, EINVAL, "%s:1: not the header: %s", format->file, names.s);
}

int table_refuse(const struct table_format *format, int number, struct vbm_error *err)
{
	return vbm_fail(err, EINVAL, "%s:%d: the line does not have %zu cells", format->file, number,
			columns(format));
}

int table_parse(const struct table_format *format, char *text, void *out, struct vbm_error *err)
{
	char *rest = text, *line, *cell[TABLE_CELLS_MAX];
	int number = 0, rc = 0;

	while (rc == 0 && (line = strsep(&rest, "\n"))) {
		number++;
		if (number == 1)
			rc = check_header(format, line, err);
		else if (*line && !split_row(format, line, cell))
			rc = table_refuse(format, number, err);
		else if (*line)
			rc = format->take(out, cell, number, err);
	}
	return rc;
}

int table_load(const struct table_format *format, const char *dir, char **text, void *out, struct vbm_error *err)
{
	auto_free char *path = xasprintf("%s/%s", dir, format->file);
	struct vbm_error why;

	*text = text_of_file(path, &why);
	if (*text)
		return table_parse(format, *text, out, err);
	return why.code == ENOENT ? 0 : vbm_fail(err, why.code, "%s", why.msg);
}

static void take_clauses(struct mutant *m, char *list)
{
	char *id;

	while ((id = strsep(&list, ","))) {
		GROW(m->clause, m->clause_count);
		m->clause[m->clause_count++] = id;
	}
}

static int take_mutant(void *arg, char *const *cell, int number, struct vbm_error *err)
{
	struct mutants *out = arg;
	struct mutant m = {.name = strcmp(cell[0], "-") != 0 ? cell[0] : NULL};

	(void)number;
	(void)err;
	take_clauses(&m, cell[1]);
	GROW(out->item, out->count);
	out->item[out->count++] = m;
	return 0;
}

const struct table_format mutant_format = {
	"mutants.tsv", {"mutant", "clauses", "target", "scenario", "field", "how", "broken"}, take_mutant,
};

void mutants_fini(struct mutants *mutants)
{
	size_t i;

	for (i = 0; i < mutants->count; i++)
		free(mutants->item[i].clause);
	free(mutants->item);
	free(mutants->text);
	*mutants = (struct mutants){0};
}

bool mutant_is_about(const struct mutant *m, const char *clause)
{
	size_t i;

	for (i = 0; i < m->clause_count; i++)
		if (!strcmp(m->clause[i], clause))
			return true;
	return false;
}

static const char *const kinds[NOTE_KINDS] = {
	[NOTE_FORCED] = "forced",
	[NOTE_STATIC] = "static",
	[NOTE_UNREACHABLE] = "unreachable",
};

static const char *kind_name(size_t i)
{
	return i < NOTE_KINDS ? kinds[i] : NULL;
}

static const char *wanted_target(size_t i)
{
	return i == 0 ? "any" : target_name(i - 1);
}

static const struct coverage_note *find_same_note(const struct coverage_notes *notes,
						  const struct coverage_note *n)
{
	size_t i;

	for (i = 0; i < notes->count; i++)
		if (!strcmp(notes->item[i].subject, n->subject) &&
		    (!strcmp(notes->item[i].target, n->target) ||
		     !strcmp(notes->item[i].target, "any") || !strcmp(n->target, "any")))
			return &notes->item[i];
	return NULL;
}

static int check_note(const struct coverage_notes *notes, const struct coverage_note *n,
		      const char *kind, struct vbm_error *err)
{
	bool none = !strcmp(n->where, "-");
	const struct coverage_note *earlier;
	auto_free char *names = NULL;

	if (n->kind == NOTE_KINDS) {
		names = choice_text(kind_name, "");
		return vbm_fail(err, EINVAL, "coverage.tsv:%d: '%s' is not a kind: %s", n->line,
				kind, names);
	}
	if (!choice_has(wanted_target, n->target)) {
		names = choice_text(wanted_target, "");
		return vbm_fail(err, EINVAL, "coverage.tsv:%d: '%s' is not a target: %s", n->line,
				n->target, names);
	}
	if (n->kind == NOTE_UNREACHABLE && !none)
		return vbm_fail(err, EINVAL, "coverage.tsv:%d: nothing shows an unreachable "
				"subject: 'where' must be '-'", n->line);
	if (n->kind != NOTE_UNREACHABLE && (none || !*n->where))
		return vbm_fail(err, EINVAL, "coverage.tsv:%d: a test shows a subject that is %s: "
				"'where' must be a file", n->line, kind);
	if (!*n->subject || !*n->why)
		return vbm_fail(err, EINVAL, "coverage.tsv:%d: '%s' is empty", n->line,
				*n->subject ? "why" : "subject");
	earlier = find_same_note(notes, n);
	if (earlier)
		return vbm_fail(err, EINVAL, "coverage.tsv:%d: line %d is already about %s",
				n->line, earlier->line, n->subject);
	return 0;
}

static int take_note(void *arg, char *const *cell, int number, struct vbm_error *err)
{
	struct coverage_notes *out = arg;
	struct coverage_note n = {
		.subject = cell[0], .kind = (enum note_kind)choice_find(kind_name, cell[1]), .target = cell[2], .where = cell[3],
		.why = cell[4], .line = number,
	};
	int rc = check_note(out, &n, cell[1], err);

	if (rc < 0)
		return rc;
	GROW(out->item, out->count);
	out->item[out->count++] = n;
	return 0;
}

const struct table_format coverage_note_format = {
	"coverage.tsv", {"subject", "kind", "target", "where", "why"}, take_note,
};

int coverage_notes_parse(struct coverage_notes *out, char *text, struct vbm_error *err)
{
	*out = (struct coverage_notes){.text = text};
	return table_parse(&coverage_note_format, text, out, err);
}

void coverage_notes_fini(struct coverage_notes *notes)
{
	free(notes->item);
	free(notes->text);
	*notes = (struct coverage_notes){0};
}

const struct coverage_note *coverage_note_find(const struct coverage_notes *notes, const char *subject,
				      const char *target)
{
	const struct coverage_note *n;
	size_t i;

	for (i = 0; i < notes->count; i++) {
		n = &notes->item[i];
		if (!strcmp(n->subject, subject) &&
		    (!target || !strcmp(n->target, "any") || !strcmp(n->target, target)))
			return n;
	}
	return NULL;
}

static int take_call(void *arg, char *const *cell, int number, struct vbm_error *err);

const struct table_format coverage_call_format = {
	"other-calls.tsv", {"clause", "call", "why"}, take_call,
};

static int take_call(void *arg, char *const *cell, int number, struct vbm_error *err)
{
	struct other_calls *out = arg;

	if (!*cell[2])
		return table_refuse(&coverage_call_format, number, err);
	GROW(out->item, out->count);
	out->item[out->count++] = (struct other_call){cell[0], cell[1], cell[2], number};
	return 0;
}

void other_calls_fini(struct other_calls *calls)
{
	free(calls->item);
	free(calls->text);
	*calls = (struct other_calls){0};
}

/* ---- statements ---- */

static const char *const statuses[STATEMENT_STATUSES] = {
	[STATEMENT_COVERED] = "covered",
	[STATEMENT_NOT_ROCE] = "not-roce",
	[STATEMENT_UNREACHABLE] = "unreachable",
	[STATEMENT_MISSING] = "missing",
};

const char *statement_status_name(enum statement_status status)
{
	return statuses[status];
}

static const char *status_name(size_t i)
{
	return i < STATEMENT_STATUSES ? statuses[i] : NULL;
}

static int check_statement(const struct statements *statements, const struct statement *s, const char *status,
			   struct vbm_error *err)
{
	const struct statement *earlier = statement_find(statements, s->number);
	auto_free char *names = NULL;

	if (!source_chapter(s->number, strlen(s->number)))
		return vbm_fail(err, EINVAL, "statements.tsv:%d: '%s' is not the number of a statement", s->line, s->number);
	if (earlier)
		return vbm_fail(err, EINVAL, "statements.tsv:%d: line %d is already about %s", s->line, earlier->line,
				s->number);
	if (s->status == STATEMENT_STATUSES) {
		names = choice_text(status_name, "");
		return vbm_fail(err, EINVAL, "statements.tsv:%d: '%s' is not a status: %s", s->line, status, names);
	}
	if (!*s->edition || !*s->named_by || !*s->why)
		return vbm_fail(err, EINVAL, "statements.tsv:%d: '%s' is empty", s->line,
				!*s->edition ? "edition" : !*s->named_by ? "named-by" : "why");
	if (s->status != STATEMENT_COVERED && !strcmp(s->why, "-"))
		return vbm_fail(err, EINVAL, "statements.tsv:%d: 'why' must say why %s is %s", s->line, s->number, status);
	return 0;
}

static int take_statement(void *arg, char *const *cell, int number, struct vbm_error *err)
{
	struct statements *out = arg;
	struct statement s = {
		.number = cell[0], .edition = cell[1], .named_by = cell[3], .why = cell[4],
		.line = number, .status = (enum statement_status)choice_find(status_name, cell[2]),
	};
	int rc = check_statement(out, &s, cell[2], err);

	if (rc < 0)
		return rc;
	GROW(out->item, out->count);
	out->item[out->count++] = s;
	return 0;
}

const struct table_format statement_format = {
	"statements.tsv", {"statement", "edition", "status", "named-by", "why"}, take_statement,
};

int statements_parse(struct statements *out, char *text, struct vbm_error *err)
{
	*out = (struct statements){.text = text};
	return table_parse(&statement_format, text, out, err);
}

void statements_fini(struct statements *statements)
{
	free(statements->item);
	free(statements->text);
	*statements = (struct statements){0};
}

const struct statement *statement_find(const struct statements *statements, const char *number)
{
	size_t i;

	for (i = 0; i < statements->count; i++)
		if (!strcmp(statements->item[i].number, number))
			return &statements->item[i];
	return NULL;
}

char *statement_group(const struct statement *s)
{
	return xstrndup(s->number + 1, source_chapter(s->number, strlen(s->number)));
}

static bool names_statement(const struct clause *clause, const char *number)
{
	struct string_list all auto_string_list = {0};
	size_t i;

	if (!strstr(clause->source, number))
		return false;
	sources_statements(&all, clause->source);
	for (i = 0; i < all.count; i++)
		if (!strcmp(all.item[i], number))
			return true;
	return false;
}

void statement_clauses(struct string_list *out, const struct clauses *clauses, const char *number)
{
	size_t i;

	for (i = 0; i < clauses->count; i++)
		if (names_statement(&clauses->item[i], number))
			string_list_add(out, clauses->item[i].id);
}
