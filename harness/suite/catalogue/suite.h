/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CATALOGUE_SUITE_H
#define VBM_CATALOGUE_SUITE_H

/*
 * Runs in: the front end, in its main thread.
 * Owns:    the files that it has read, until suite_fini().
 * Ends:    with the call.
 * Tests:   unit/test_suite, test_finding; tests/cli/check.test.
 */

#include <stdbool.h>

#include <verbatim/error.h>

/*
 * A suite is a folder with all scenarios below it, and the files about them:
 * clauses.tsv, coverage.tsv and the folder findings. A folder is a suite if it
 * contains one of these three or an (empty) file verbatim-suite, or if its name
 * is "scenarios". A file belongs to the nearest suite above it.
 */
#define SUITE_NAME "scenarios"
#define SUITE_MARKER "verbatim-suite"
#define SUITE_CLAUSES "clauses.tsv"
#define SUITE_COVERAGE "coverage.tsv"
#define SUITE_FINDINGS "findings"

/*
 * The nearest suite: @dir or a folder above it. @dir is a path from realpath(3).
 * NULL when there is none. The caller frees it.
 */
char *suite_of(const char *dir);

/* The suite that comes with this program: near the executable, or installed. */
int suite_shipped(char **out, struct vbm_error *err);

/* The folder "scenarios" here if it is marked as a suite, otherwise the shipped suite. */
int suite_default(char **out, struct vbm_error *err);

/* Whether both paths lead to the same file or folder. */
bool suite_same_file(const char *a, const char *b);

#endif
