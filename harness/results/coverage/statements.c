/* SPDX-License-Identifier: BSD-2-Clause */
#include "coverage/survey.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/choice.h"
#include "base/cleanup.h"
#include "base/xalloc.h"
#include "catalogue/clauses.h"
#include "catalogue/source.h"
#include "lib/base/fail.h"

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

static int take_line(void *arg, char *const *cell, int number, struct vbm_error *err)
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

static const struct table_format format = {
	"statements.tsv", {"statement", "edition", "status", "named-by", "why"}, take_line,
};

int statements_parse(struct statements *out, char *text, struct vbm_error *err)
{
	*out = (struct statements){.text = text};
	return table_parse(&format, text, out, err);
}

int statements_load(struct statements *out, const char *dir, struct vbm_error *err)
{
	return table_load(&format, dir, &out->text, out, err);
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
