/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COVERAGE_COVERAGE_H
#define VBM_COVERAGE_COVERAGE_H

#include "coverage/codes.h"
#include "coverage/survey.h"
#include "coverage/verdicts.h"

/* How a clause or a code is covered, the best first. */
enum cover {
	COVER_SHOWN,		/* a scenario shows it */
	COVER_DIFFERS,		/* the target does otherwise; no page forbids it, or another project does it */
	COVER_DEVIATES,		/* scenarios show that the target does otherwise */
	COVER_FORCED,
	COVER_STATIC,
	COVER_UNREACHABLE,
	COVER_MISSING,
	COVER_COUNT
};

const char *cover_name(enum cover cover);	/* "covered", "deviates", ... */

struct cover_row {
	const char *name;		/* all borrowed from the survey and the codes */
	const char *group;		/* the clause's area, or the code's group */
	const char *call;		/* of an errno, or NULL */
	const char *text;		/* a clause's statement, or NULL */
	enum cover cover;
	const char **scenario;		/* owned array of ids: those that show it */
	size_t scenario_count;
	const struct coverage_note *note;	/* when no scenario does, or NULL */
};

struct coverage {
	struct cover_row *clause;	/* owned; in the order of the catalogue */
	size_t clause_count;
	struct cover_row *code;		/* owned */
	size_t code_count;
	struct codes codes;
	size_t scenario_count;		/* how many counted */
};

/*
 * Pure. With @target, only variants it can run count, and those that it is
 * known to fail count as deviating. With @from, those that ended there in PASS
 * or, as deviating, in XFAIL; but none for a clause that another variant of the
 * scenario names, too, and that ended in anything else but SKIP.
 */
void coverage_make(struct coverage *out, const struct survey *s, const char *target,
		   const struct verdicts *from);
void coverage_fini(struct coverage *c);

/* The row of a clause, or NULL when it has none. */
const struct cover_row *coverage_clause(const struct coverage *c, const char *id);

/* How many rows of @group (NULL: of all) are covered that way. */
size_t cover_tally(const struct cover_row *row, size_t count, const char *group,
		   enum cover cover);

#endif
