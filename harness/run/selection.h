/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUN_SELECTION_H
#define VBM_RUN_SELECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "plan/plan.h"
#include "run/run.h"

/* The variants that a run is about: compiled, filtered and numbered. */
struct selection {
	struct plan plan;
	const char **root_of;	/* owned; each one's suite, of @root, or NULL */
	char **root;		/* owned; the folders of the suites, each once */
	size_t root_count;
	bool *met;		/* owned; by filter: whether a scenario matched it */
};

/*
 * Read what the options name, files of scenarios or plans, and say on stderr
 * what is wrong with it. Returns an exit status (cmd.h): a selection that
 * selects nothing is an error, and so is a filter that does.
 */
int selection_make(struct selection *sel, const struct run_options *opts);
void selection_fini(struct selection *sel);

/* Whether one of them starts programs of the machine. */
bool selection_wants_programs(const struct selection *sel);

/* Whether one of them wants a name server. */
bool selection_wants_dns(const struct selection *sel);

/* The longest that any one step may take, in unscaled milliseconds. */
int selection_longest_ms(const struct selection *sel);

#endif
