/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COVERAGE_SURVEY_H
#define VBM_COVERAGE_SURVEY_H

#include "coverage/note.h"
#include "catalogue/clauses.h"
#include "catalogue/finding.h"
#include "compile/scenario.h"

struct text;

struct surveyed {
	struct scenario *scenario;	/* owned */
};

/* All that a suite holds. */
struct survey {
	char *dir;			/* owned; the suite's folder */
	struct clauses clauses;
	struct coverage_notes notes;
	struct findings findings;
	struct surveyed *item;		/* owned; sorted by id */
	size_t count;
};

/*
 * Read the scenarios below @dir, and what their suite says of them: clauses,
 * coverage.tsv and findings. @dir NULL is the default suite. Scenarios that
 * are wrong end in -EINVAL, with their diagnostics in @problems; so do those
 * of more than one suite.
 */
int survey_load(struct survey *out, const char *dir, struct text *problems,
		struct vbm_error *err);
void survey_fini(struct survey *s);

/*
 * Whether coverage.tsv is true of the rest: -EINVAL, with a line in @problems
 * for each entry of no clause or code, of one that a scenario shows by now, or
 * that names a test which is not there. Tests are looked for when the folder
 * lies in the source tree.
 */
int survey_check(const struct survey *s, struct text *problems, struct vbm_error *err);

bool scenario_names_clause(const struct scenario *s, const char *clause);

/* Whether @v may run against @target as far as its needs tell. */
bool variant_fits_target(const struct variant *v, const char *target);

/* Whether a variant of @s may. */
bool scenario_fits_target(const struct scenario *s, const char *target);

/*
 * The weightiest finding that @variant shows wherever @target runs: none that
 * depends on kernel, layout or lane. Without a @target: anywhere.
 */
const struct finding *survey_finding(const struct survey *s, const char *variant,
				     const char *target);

/* Whether a finding can be true of @target; of any without one. */
bool finding_fits_target(const struct finding *d, const char *target);

#endif
