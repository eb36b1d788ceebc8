/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CATALOGUE_CLAUSES_H
#define VBM_CATALOGUE_CLAUSES_H

#include <stddef.h>

#include <verbatim/error.h>

#include "compile/scenario.h"

/* The catalogue of what has to hold: scenarios/clauses.tsv. */
struct clause {
	const char *id;			/* all borrowed from the catalogue */
	const char *area;
	const char *source;
	const char *statement;
	const char *observe;
	const char *reachability;	/* static, rxe, fault, ib-only */
	const char *decision;
};

struct clauses {
	char *text;			/* owned */
	struct clause *item;		/* owned; in the order of the file */
	size_t count;
};

/* From "DIR/clauses.tsv". -EINVAL names the line that is not of its form. */
int clauses_load(struct clauses *out, const char *dir, struct vbm_error *err);
int clauses_parse(struct clauses *out, char *text, struct vbm_error *err); /* takes @text */
void clauses_fini(struct clauses *clauses);

const struct clause *clause_find(const struct clauses *clauses, const char *id);

/* A diagnostic at @pos when the catalogue does not have @id. */
void clauses_check_one(const struct clauses *clauses, const char *id, struct pos pos,
		       struct diagnostics *diag);

/* A diagnostic for each clause of @s that the catalogue does not have. */
void clauses_check(const struct clauses *clauses, const struct scenario *s,
		   struct diagnostics *diag);

#endif
