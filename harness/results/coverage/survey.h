/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COVERAGE_SURVEY_H
#define VBM_COVERAGE_SURVEY_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "base/strlist.h"
#include "catalogue/clauses.h"
#include "catalogue/finding.h"
#include "compile/scenario.h"

struct device_type;
struct survey;
struct text;

/* A table of a suite: lines of cells with tabs between them, below a header. */
#define TABLE_CELLS_MAX 8

struct table_format {
	const char *file;			/* "coverage.tsv" */
	const char *column[TABLE_CELLS_MAX];	/* ends with NULL, or is full */
	/* Takes the cells of line @number. They are borrowed from the text. */
	int (*take)(void *out, char *const *cell, int number, struct vbm_error *err);
};

/*
 * Splits @text in place, and gives each line below the header to @format->take with @out.
 * 0; -EINVAL with @err for a wrong header or number of cells; or what take() returns.
 */
int table_parse(const struct table_format *format, char *text, void *out, struct vbm_error *err);

/* Reads the table in the folder @dir; *@text, which @out owns, gets its text. Without such a file @out stays empty. */
int table_load(const struct table_format *format, const char *dir, char **text, void *out, struct vbm_error *err);

/* Of struct coverage_notes, mutants, other_calls and statements below, each with its fini() also after an error. */
extern const struct table_format coverage_note_format, mutant_format, coverage_call_format, statement_format;

/* -EINVAL with @err: the line @number does not have as many cells as the header. */
int table_refuse(const struct table_format *format, int number, struct vbm_error *err);

/*
 * The lines of scenarios/mutants.tsv. Each breaks one promise of the stack, and a
 * scenario must fail for it (scripts/check-mutants); or it says why no mutant can.
 */
struct mutant {
	const char *name;	/* borrowed from the table; NULL: the line is a reason */
	char **clause;		/* owned array; the ids are borrowed from the table */
	size_t clause_count;
};

struct mutants {
	char *text;		/* owned; NULL: there is no table */
	struct mutant *item;	/* owned; in the order of the file */
	size_t count;
};

void mutants_fini(struct mutants *mutants);

bool mutant_is_about(const struct mutant *m, const char *clause);

/*
 * The lines of scenarios/coverage.tsv. Each is about a clause, or about a code by
 * its full name ("IBV_WC_INV_EECN_ERR"), that scenarios cannot show, and says why.
 */
enum note_kind {
	NOTE_FORCED,		/* a test shows it by making a fault */
	NOTE_STATIC,		/* a test shows it when it is compiled */
	NOTE_UNREACHABLE,	/* needs something that is not available here */
	NOTE_KINDS
};

struct coverage_note {
	const char *subject;	/* all texts are borrowed from the table */
	enum note_kind kind;
	const char *target;	/* "any", or the only target that the note is about */
	const char *where;	/* FILE or FILE:WORD; "-" if unreachable */
	const char *why;
	int line;
};

struct coverage_notes {
	char *text;			/* owned */
	struct coverage_note *item;	/* owned; in the order of the file */
	size_t count;
};

int coverage_notes_parse(struct coverage_notes *out, char *text, struct vbm_error *err); /* takes ownership of @text */
void coverage_notes_fini(struct coverage_notes *notes);

/* The note about @subject for @target (NULL: for any target), or NULL. */
const struct coverage_note *coverage_note_find(const struct coverage_notes *notes, const char *subject,
				      const char *target);

/*
 * The lines of other-calls.tsv. Each says that another call than the one whose
 * manual page a clause cites shows the clause, and why.
 */
struct other_call {
	const char *clause;	/* all texts are borrowed from the table */
	const char *call;	/* "ibv_post_send(3)" */
	const char *why;
	int line;
};

struct other_calls {
	char *text;		/* owned */
	struct other_call *item;	/* owned; in the order of the file */
	size_t count;
};

void other_calls_fini(struct other_calls *calls);

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

struct surveyed {
	struct scenario *scenario;	/* owned */
	char *root;			/* owned; as in struct scenario_file */
};

/* Everything in a suite. */
struct survey {
	char *dir;			/* owned; the suite's folder */
	struct clauses clauses;
	struct coverage_notes notes;
	struct mutants mutants;
	struct other_calls other_calls;
	struct statements statements;
	struct findings findings;
	struct surveyed *item;		/* owned; sorted by id */
	size_t count;
	bool borrows;			/* the scenarios are another survey's */
};

/*
 * Reads the scenarios below @dir, as a run on devices of this type (NULL: the default) does, and the clauses, coverage.tsv, mutants.tsv,
 * other-calls.tsv, statements.tsv and findings of their suite. @dir NULL is the default suite. -EINVAL when a scenario is not
 * valid, with its diagnostics in @problems, and when the files belong to more
 * than one suite.
 */
int survey_load(struct survey *out, const char *dir, const struct device_type *device,
		struct text *problems, struct vbm_error *err);
void survey_fini(struct survey *s);

/*
 * The scenarios @ids of @s, a survey for the default devices, for devices of this type. They are compiled again if
 * fragments have other steps for these. -EINVAL and so on as survey_load(). @out borrows all else from @s; end with survey_part_fini().
 */
int survey_part(struct survey *out, const struct survey *s, const struct device_type *device,
		const char *const *ids, size_t count, struct text *problems, struct vbm_error *err);
void survey_part_fini(struct survey *part);

/*
 * Compares coverage.tsv with the suite. -EINVAL, with a line in @problems for
 * each entry whose clause or code does not exist, that a scenario shows by now,
 * or whose test does not exist. Looks for tests only inside the source tree. Does
 * the same with the lines of uncalled_check() and statements_check().
 */
int survey_check(const struct survey *s, struct text *problems, struct vbm_error *err);

bool survey_scenario_names_clause(const struct scenario *s, const char *clause);
bool survey_variant_names_clause(const struct variant *v, const char *clause);

/* Whether the needs of @v allow a run against @target. */
bool survey_variant_fits_target(const struct variant *v, const char *target);

/* Whether the needs of any variant of @s allow a run against @target. */
bool survey_scenario_fits_target(const struct scenario *s, const char *target);

/*
 * The most serious finding that @variant shows whenever it runs against
 * @target; so none that depends on kernel, layout or lane. With @target NULL,
 * such findings count, too.
 */
const struct finding *survey_finding(const struct survey *s, const char *variant,
				     const char *target);

/*
 * The most serious finding that the variant shows on devices of this type, or on those that it gives its hosts itself, with the
 * newest versions that the suite names, in layout netns of lane uml. @target NULL: "system".
 */
const struct finding *survey_finding_of_devices(const struct survey *s, const struct variant *v, const char *target,
						const struct device_type *device);

/* Whether these newest versions have the finding. */
bool survey_finding_holds(const struct survey *s, const struct finding *d, const char *target,
			  const struct device_type *device);

/* Whether a finding can be true of @target. Always true when @target is NULL. */
bool survey_finding_fits_target(const struct finding *d, const char *target);

#endif
