/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COVERAGE_STATEMENTS_H
#define VBM_COVERAGE_STATEMENTS_H

#include <stddef.h>

#include <verbatim/error.h>

#include "base/strlist.h"

struct clauses;
struct survey;
struct text;

/* How the suite stands to a compliance statement. */
enum statement_status {
	STATEMENT_COVERED,	/* a clause names it, and a scenario shows the clause */
	STATEMENT_NOT_ROCE,	/* it is not about RoCE */
	STATEMENT_UNREACHABLE,	/* needs something that is not available here */
	STATEMENT_MISSING,
	STATEMENT_STATUSES
};

/* A line of scenarios/statements.tsv: a number that public sources name (catalogue/source.h). */
struct statement {
	const char *number;	/* all texts are borrowed from the table */
	const char *edition;	/* the release of the specification that the source names; "-": it names none */
	enum statement_status status;
	const char *named_by;	/* the public sources, with commas between them */
	const char *why;	/* "-" if it is covered and there is nothing to add */
	int line;
};

struct statements {
	char *text;		/* owned; NULL: there is no table */
	struct statement *item;	/* owned; in the order of the file */
	size_t count;
};

const char *statement_status_name(enum statement_status status);

/* Reads "DIR/statements.tsv". A missing file is an empty table, and @out begins empty. */
int statements_load(struct statements *out, const char *dir, struct vbm_error *err);
int statements_parse(struct statements *out, char *text, struct vbm_error *err); /* takes ownership of @text */
void statements_fini(struct statements *statements);

const struct statement *statement_find(const struct statements *statements, const char *number);

/* The chapter or annex of a line's number: "9", "A19". The caller frees it. */
char *statement_group(const struct statement *s);

/* Adds the ids of the clauses that name @number. */
void statement_clauses(struct string_list *out, const struct clauses *clauses, const char *number);

/*
 * Compares the table of the suite with its clauses, and returns the number of errors, with a line in @problems for
 * each: a clause that names a statement without a line, a covered statement that no clause with a scenario
 * names, and another one that a clause names. A suite without a table has none.
 */
int statements_check(const struct survey *s, struct text *problems);

#endif
