/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUN_CLAUSE_FILTER_H
#define VBM_RUN_CLAUSE_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "catalogue/clauses.h"
#include "plan/plan.h"

/*
 * The globs of --clause. A glob means clauses by their ids, or by the numbers of the compliance statements that the
 * catalogue of a suite says they name ("C9-88").
 */
struct clause_filter {
	char *const *glob;	/* borrowed */
	size_t count;
	bool *met;		/* owned; by glob: whether a variant matched it */
	char *root;		/* owned; the suite of @clauses, or NULL */
	struct clauses clauses;
};

void clause_filter_init(struct clause_filter *f, char *const *glob, size_t count);
void clause_filter_fini(struct clause_filter *f);

/* Whether @v proves such a clause; true without globs. @root is the suite of @v, or NULL: then only ids match. */
bool clause_filter_matches(struct clause_filter *f, const char *root, const struct variant *v);

/* The first glob that no variant matched, or NULL. */
const char *clause_filter_unmet(const struct clause_filter *f);

#endif
