/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COVERAGE_SURVEY_H
#define VBM_COVERAGE_SURVEY_H

#include "coverage/table.h"
#include "catalogue/clauses.h"
#include "catalogue/finding.h"
#include "compile/scenario.h"

struct device_type;
struct text;

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
