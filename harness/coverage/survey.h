/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COVERAGE_SURVEY_H
#define VBM_COVERAGE_SURVEY_H

#include "coverage/mutants.h"
#include "coverage/note.h"
#include "coverage/statements.h"
#include "coverage/uncalled.h"
#include "catalogue/clauses.h"
#include "catalogue/finding.h"
#include "compile/scenario.h"

struct text;

struct surveyed {
	struct scenario *scenario;	/* owned */
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
};

/*
 * Reads the scenarios below @dir, and the clauses, coverage.tsv, mutants.tsv,
 * other-calls.tsv, statements.tsv and findings of their suite. @dir NULL is the default suite. -EINVAL when a scenario is not
 * valid, with its diagnostics in @problems, and when the files belong to more
 * than one suite.
 */
int survey_load(struct survey *out, const char *dir, struct text *problems,
		struct vbm_error *err);
void survey_fini(struct survey *s);

/*
 * Compares coverage.tsv with the suite. -EINVAL, with a line in @problems for
 * each entry whose clause or code does not exist, that a scenario shows by now,
 * or whose test does not exist. Looks for tests only inside the source tree. Does
 * the same with the lines of uncalled_check() and statements_check().
 */
int survey_check(const struct survey *s, struct text *problems, struct vbm_error *err);

bool survey_scenario_names_clause(const struct scenario *s, const char *clause);

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

/* Whether a finding can be true of @target. Always true when @target is NULL. */
bool survey_finding_fits_target(const struct finding *d, const char *target);

#endif
