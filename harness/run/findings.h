/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUN_FINDINGS_H
#define VBM_RUN_FINDINGS_H

#include "catalogue/finding.h"
#include "run/selection.h"

/* The findings of one suite; those of others do not concern its scenarios. */
struct suite_findings {
	char *root;		/* owned */
	struct findings list;
};

struct seen_failure {
	char *call, *field, *got, *round;	/* owned; call: "a.getaddrinfo" */
	int64_t step;		/* the index of its item */
};

/*
 * Known findings, put to use: the events of a run pass through here, and
 * verdicts become XFAIL and XPASS where entries say so.
 */
struct findings_filter {
	struct suite_findings *suite;	/* owned */
	size_t suite_count;
	const struct selection *selection;	/* says which suite a scenario is of */
	struct facts facts;	/* strings borrowed, but for the layout */
	char *layout;		/* owned */
	const struct findings *list;	/* of the scenario that runs; NULL: none */
	size_t variant;			/* that runs; @list is of its suite */
	size_t steps;			/* of its items, how many were tried */
	struct seen_failure *failure;	/* owned; what was told of it so far */
	size_t failure_count;
};

/*
 * Read the findings of the suites that the selected files belong to. An
 * entry that names no scenario of its suite is an error: it watches over
 * nothing. The selection has to stay until findings_filter_fini().
 */
int findings_filter_load(struct findings_filter *k, const struct selection *sel,
			 struct vbm_error *err);
void findings_filter_fini(struct findings_filter *k);

/*
 * How a variant of the selection is known to fail here: the failures after
 * which its runner goes on. A list of maps with field, got and step, as
 * plan.md says, or NULL. For the caller to free.
 */
struct value *findings_filter_known(const struct findings_filter *k, size_t variant);

/* Look at @event and change it where it is a verdict that was foreseen. */
void findings_filter_event(struct findings_filter *k, struct value *event);

#endif
