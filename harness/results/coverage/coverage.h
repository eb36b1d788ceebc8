/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COVERAGE_COVERAGE_H
#define VBM_COVERAGE_COVERAGE_H

/*
 * Runs in: the front end, in its main thread.
 * Owns:    the survey of a suite.
 * Ends:    with the command.
 * Tests:   unit/test_coverage, test_edges, test_crossings, test_statements; tests/cli/coverage.test.
 */

#include "coverage/codes.h"
#include "coverage/survey.h"
#include "plan/plan.h"
#include "runs/stored.h"

struct facts;

/* How a clause or a code is covered, the best first. */
enum cover {
	COVER_SHOWN,		/* a scenario shows it */
	COVER_DIFFERS,		/* the target does something else, which no page forbids or another project causes */
	COVER_DEVIATES,		/* scenarios show that the target breaks the promise */
	COVER_ONE_OF,		/* only codes: the scenarios accept this code or others */
	COVER_FORCED,
	COVER_STATIC,
	COVER_UNREACHABLE,
	COVER_MISSING,
	COVER_COUNT
};

const char *cover_name(enum cover cover);	/* "covered", "deviates", ... */

struct cover_row {
	const char *name;		/* all texts are borrowed from the survey and the codes */
	const char *group;		/* the clause's area, or the code's group */
	const char *call;		/* the call of an errno, or NULL */
	const char *text;		/* a clause's statement, or NULL */
	enum cover cover;
	const char **scenario;		/* owned array; the ids of the scenarios that show it */
	size_t scenario_count;
	const struct coverage_note *note;	/* if no scenario shows it; or NULL */
	const char *lacks;	/* missing, because the target or the devices lack it: "call=vbm_cancel", "can=ud"; or NULL */
};

struct coverage {
	struct cover_row *clause;	/* owned; in the order of the catalogue */
	size_t clause_count;
	struct cover_row *code;		/* owned */
	size_t code_count;
	struct codes codes;
	const struct mutants *mutants;	/* borrowed from the survey */
	const struct statements *statements;	/* the same */
	size_t scenario_count;		/* how many scenarios were counted */
};

/* The filter of variants that count, and as what each counts. */
struct cover_filter {
	const char *target;	/* only those that can run against it; those with a known failure count as deviating */
	const char *calls;	/* the calls of the target that requires: can name; NULL: it has all */
	const struct device_type *device;	/* the same for devices of this type, as target; NULL: any */
	const struct stored_run *from;	/* only those of that run: PASS as shown, XFAIL as deviating; NULL: none */
};

/*
 * Reads no file except the evidence of a run. @filter NULL: all variants count. With a type of devices the
 * survey must be one for it, and the newest versions that the suite knows decide about findings. A scenario does not
 * show a clause if a variant that names the clause had another verdict than PASS, XFAIL or SKIP. A code that is only an
 * alternative (codes.h) counts as one of several, unless it is in the answers that the evidence of the run has.
 */
void coverage_make(struct coverage *out, const struct survey *s, const struct cover_filter *filter);
void coverage_fini(struct coverage *c);

/* The row of a clause, or NULL. */
const struct cover_row *coverage_clause(const struct coverage *c, const char *id);

/* The number of rows of @group (NULL: of all groups) that are covered in that way. */
size_t cover_tally(const struct cover_row *row, size_t count, const char *group,
		   enum cover cover);

/*
 * The condition of @v about a call or about devices that @facts do not meet, or NULL. Only facts that are
 * set count. Borrowed. If there are several, the one that is hardest to meet.
 */
const char *coverage_lacking_variant(const struct variant *v, const struct facts *facts);

/*
 * A remedy for the condition: "needs a newer rdma-core (60 has rdma_resolve_addrinfo)"; "needs UD queue pairs".
 * The caller frees it.
 */
char *coverage_lacking_remedy(const char *need);

#endif
