/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CATALOGUE_CLAUSES_H
#define VBM_CATALOGUE_CLAUSES_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "compile/scenario.h"

/* One line of a catalogue, clauses.tsv: what has to hold. */
struct clause {
	const char *id;			/* all borrowed from the catalogue */
	const char *area;
	const char *source;
	const char *statement;
	const char *observe;
	const char *reachability;	/* static, rxe, fault, ib-only */
	const char *decision;
	int line;			/* of the catalogue, from 1 */
};

struct clauses {
	char *text, *shipped_text;	/* owned */
	struct clause *item;		/* owned; in the order of the files */
	size_t count;
	size_t own;		/* the first ones are the suite's; the others are borrowed, see below */
	bool required;		/* every scenario of the suite has to name one */
};

/*
 * What scenarios of the suite @root may name: the clauses of its own
 * clauses.tsv, and behind them those that come with the program and that it
 * does not have itself. A suite without a clauses.tsv takes the program's for
 * its own. Only the program's own suite requires a clause of each scenario.
 * -EINVAL names the line that is not of its form.
 */
int clauses_load(struct clauses *out, const char *root, struct vbm_error *err);
int clauses_parse(struct clauses *out, char *text, struct vbm_error *err); /* takes @text */
void clauses_fini(struct clauses *clauses);

const struct clause *clause_find(const struct clauses *clauses, const char *id);

/* A diagnostic at @pos when there is no clause @id. */
void clauses_check_one(const struct clauses *clauses, const char *id, struct pos pos,
		       struct diagnostics *diag);

/* A diagnostic for each of its own clauses whose source is not of the form of sources. */
void clauses_check_sources(const struct clauses *clauses, struct diagnostics *diag);

/* A diagnostic for each clause of @s that is not there, and where one is required. */
void clauses_check(const struct clauses *clauses, const struct scenario *s,
		   struct diagnostics *diag);

#endif
