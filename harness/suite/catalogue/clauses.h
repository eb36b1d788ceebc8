/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CATALOGUE_CLAUSES_H
#define VBM_CATALOGUE_CLAUSES_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "compile/scenario.h"

/* One line of the catalogue clauses.tsv: a statement that must hold. */
struct clause {
	const char *id;			/* all texts are borrowed from the catalogue */
	const char *area;
	const char *source;
	const char *statement;
	const char *observe;
	const char *reachability;	/* static, rxe, fault, ib-only */
	const char *decision;
	int line;			/* line in the catalogue, from 1 */
};

struct clauses {
	char *text, *shipped_text;	/* owned */
	struct clause *item;		/* owned; in the order of the files */
	size_t count;
	size_t own;		/* this many are the suite's; those after them are shipped, see below */
	bool required;		/* every scenario of the suite must name one */
};

/*
 * The clauses that scenarios of the suite @root may name: those of its own
 * clauses.tsv, then those of the shipped catalogue that it lacks. A suite
 * without a clauses.tsv has the shipped catalogue as its own. Only the shipped
 * suite requires a clause of each scenario. -EINVAL names a line that has not
 * the right form.
 */
int clauses_load(struct clauses *out, const char *root, struct vbm_error *err);
int clauses_parse(struct clauses *out, char *text, struct vbm_error *err); /* takes ownership of @text */
void clauses_fini(struct clauses *clauses);

const struct clause *clause_find(const struct clauses *clauses, const char *id);

/* Adds a diagnostic at @pos when there is no clause @id. */
void clauses_check_one(const struct clauses *clauses, const char *id, struct pos pos,
		       struct diagnostics *diag);

/* Adds a diagnostic for each clause of the suite whose source has a wrong form. */
void clauses_check_sources(const struct clauses *clauses, struct diagnostics *diag);

/* Adds a diagnostic for each unknown clause of @s, and if a required one is missing. */
void clauses_check(const struct clauses *clauses, const struct scenario *s,
		   struct diagnostics *diag);

#endif
