/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COVERAGE_MUTANTS_H
#define VBM_COVERAGE_MUTANTS_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

/*
 * The lines of scenarios/mutants.tsv. Each breaks one promise of the stack, and a
 * scenario must fail for it (scripts/check-mutants); or it says why no mutant can.
 */
struct mutant {
	const char *name;	/* borrowed from the table; NULL: the line is a reason */
	char **clause;		/* owned array; the ids are borrowed from the table */
	size_t clause_count;
};

struct mutants {
	char *text;		/* owned; NULL: there is no table */
	struct mutant *item;	/* owned; in the order of the file */
	size_t count;
};

/* Reads "DIR/mutants.tsv". A missing file is an empty table. */
int mutants_load(struct mutants *out, const char *dir, struct vbm_error *err);
void mutants_fini(struct mutants *mutants);

bool mutant_is_about(const struct mutant *m, const char *clause);

#endif
