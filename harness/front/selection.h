/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FRONT_SELECTION_H
#define VBM_FRONT_SELECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "front/run.h"
#include "compile/scenario.h"

struct tracker;

/* The scenarios that a run is about: read, checked and filtered. */
struct selected {
	char *text;		/* owned; of the file */
	char *root;		/* owned; of the file's suite, as files.h says */
	struct scenario *scenario;	/* owned */
	struct variants variants;
};

struct selection {
	struct selected *item;
	size_t count;
};

/*
 * Read what the options name, say on stderr what is wrong with it, and tell
 * the tracker what to expect. Returns an exit status (cmd.h): a selection that
 * selects nothing is an error.
 */
int selection_make(struct selection *sel, const struct campaign_options *opts,
		   struct tracker *tracker);
void selection_fini(struct selection *sel);

/* The job's "scenarios": files with those variants that have no verdict yet. */
struct value *selection_remaining(const struct selection *sel, const struct tracker *tracker);

/* Whether one of them wants a name server. */
bool selection_wants_dns(const struct selection *sel);

/* The longest that any one step may take, in unscaled milliseconds. */
int selection_longest_ms(const struct selection *sel);

#endif
