/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FRONT_DEVIATIONS_H
#define VBM_FRONT_DEVIATIONS_H

#include "front/selection.h"
#include "catalogue/deviation.h"

/* The deviations of one suite; those of others do not concern its scenarios. */
struct suite_deviations {
	char *root;		/* owned */
	struct deviations list;
};

struct seen_failure {
	char *field, *got;	/* owned */
	int64_t step;		/* the index of its item */
};

/*
 * Known deviations, put to use: the events of a run pass through here, and
 * verdicts become XFAIL and XPASS where entries say so.
 */
struct deviations_filter {
	struct suite_deviations *suite;	/* owned */
	size_t suite_count;
	const struct selection *selection;	/* says which suite a scenario is of */
	struct facts facts;	/* strings borrowed, but for the layout */
	char *layout;		/* owned */
	const struct deviations *list;	/* of the scenario that runs; NULL: none */
	struct seen_failure *failure;	/* owned; what was told of it so far */
	size_t failure_count;
};

/*
 * Read the deviations of the suites that the selected files belong to. An
 * entry that names no scenario of its suite is an error: it watches over
 * nothing. The selection has to stay until deviations_filter_fini().
 */
int deviations_filter_load(struct deviations_filter *k, const struct selection *sel, struct vbm_error *err);
void deviations_filter_fini(struct deviations_filter *k);

/* Look at @event and change it where it is a verdict that was foreseen. */
void deviations_filter_event(struct deviations_filter *k, struct value *event);

#endif
