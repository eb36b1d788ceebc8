/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUN_SELECTION_H
#define VBM_RUN_SELECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "catalogue/clauses.h"
#include "plan/plan.h"
#include "run/run.h"

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

/* The variants of a run: compiled, filtered and numbered. */
struct selection {
	struct plan plan;
	const char **root_of;	/* owned; by variant: its suite, one of @root, or NULL */
	char **root;		/* owned; the folders of the suites, each once */
	size_t root_count;
	bool *met;		/* owned; by filter: whether a scenario matched it */
	struct clause_filter clauses;
};

/*
 * Reads the files of scenarios and plans that the options name, and prints errors on
 * stderr. Returns an exit status (cmd.h). It is an error if nothing is selected, or if a
 * filter matches nothing.
 */
int selection_make(struct selection *sel, const struct run_options *opts);
/* How fragments connect queue pairs: CONNECTS_*. */
const char *selection_connects(const struct run_options *opts);
void selection_fini(struct selection *sel);

/* Removes the variants that @keep does not want, and numbers the others anew. Returns how many it removed. */
size_t selection_keep(struct selection *sel, bool (*keep)(const struct variant *v, const void *arg), const void *arg);

/* Whether one of the variants starts programs of the machine. */
bool selection_wants_programs(const struct selection *sel);

/* The hosts of the variant that has most; 0: there is no variant. */
int selection_hosts(const struct selection *sel);

/* Whether one of the variants needs a name server. */
bool selection_wants_dns(const struct selection *sel);

#endif
