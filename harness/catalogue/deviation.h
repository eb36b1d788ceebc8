/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CATALOGUE_DEVIATION_H
#define VBM_CATALOGUE_DEVIATION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/value.h"
#include "plan/require.h"
#include "compile/scenario.h"

/*
 * What an implementation is known to do against its manual: the files of a
 * suite's folder deviations. Where an entry applies, a scenario that fails in
 * the way it says is expected to (XFAIL), and one that passes has an entry
 * that must go (XPASS). A failure of another kind stays a failure.
 */
#define DEVIATION_WHEN_MAX 8

struct deviation {
	char *file;		/* owned */
	struct pos pos, scenario_pos, clause_pos;
	char *scenario;		/* owned; a pattern of names, see match.h */
	char *clause;		/* owned; NULL: none, as outside of the program's suite */
	char *what;		/* owned; one sentence */
	char *seen;		/* owned; where it was measured */
	char *field;		/* owned; the field that differs */
	char *got;		/* owned; what it is then, or NULL for anything */
	struct require when[DEVIATION_WHEN_MAX];
	size_t when_count;
};

struct deviations {
	struct deviation *item;
	size_t count;
};

/* Add the entries of one file. -EINVAL with diagnostics when it is not one. */
int deviations_parse(struct deviations *d, const char *path, const char *text, size_t len,
		     struct diagnostics *diag);

/* Add all files (*.yaml) of a folder, by name; one that is not there holds none. */
int deviations_load(struct deviations *d, const char *dir, struct vbm_error *err);
void deviations_fini(struct deviations *d);

/* The names of scenarios and variants that deviations can speak of. */
struct scenario_names {
	char **item;	/* owned */
	size_t count;
	bool some_invalid;	/* a file did not compile, so its names are not in @item */
};

struct clauses;
struct scenario_files;

void scenario_names_make(struct scenario_names *names, const struct scenario_files *files);
void scenario_names_fini(struct scenario_names *names);
bool deviation_names_any(const struct deviation *d, const struct scenario_names *names);

/* A diagnostic for each clause and each scenario of @d that is not there. */
void deviations_check(const struct deviations *d, const struct clauses *clauses,
		      const struct scenario_names *names, struct diagnostics *diag);

bool deviation_names(const struct deviation *d, const char *scenario);

/* Whether it is about @scenario and about the place that @facts tells of. */
bool deviation_applies(const struct deviation *d, const char *scenario,
		       const struct facts *facts);

/* Whether a failure of @field, which was @got, is the one that is known. */
bool deviation_explains(const struct deviation *d, const char *field, const char *got);

#endif
