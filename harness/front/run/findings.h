/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUN_FINDINGS_H
#define VBM_RUN_FINDINGS_H

#include "catalogue/finding.h"
#include "run/machines-choice.h"
#include "run/selection.h"

/* The findings of one suite; they are about scenarios of that suite only. */
struct suite_findings {
	char *root;		/* owned */
	struct findings list;
};

struct seen_failure {
	char *call, *field, *got, *round;	/* owned; call: "a.getaddrinfo" */
	int64_t step;		/* the index of its item */
};

/*
 * Compares a run with the known findings: the events of a run pass through here, and
 * verdicts become XFAIL and XPASS if entries say so.
 */
struct findings_filter {
	struct suite_findings *suite;	/* owned */
	size_t suite_count;
	const struct selection *selection;	/* gives the suite of a scenario */
	struct facts facts;	/* strings borrowed, except the following */
	const struct device_words *devices;	/* borrowed; of the run's hosts; NULL: @facts has their only type */
	char *layout;		/* owned */
	bool spares_kernel;	/* variants that crash the kernel are not run */
	bool any_kernel;	/* the kernels below the hosts may be others than that of the facts */
	struct machines_facts machines;	/* none unless the hosts are machines */
	const struct findings *list;	/* those of the current scenario's suite; NULL: none */
	size_t variant;			/* the current variant */
	size_t steps;			/* how many of its items were tried */
	struct seen_failure *failure;	/* owned; its failures so far */
	size_t failure_count;
};

/*
 * Reads the findings of the suites of the selected files. An entry that matches no
 * scenario of its suite is an error. The selection has to stay until
 * findings_filter_fini().
 */
int findings_filter_load(struct findings_filter *k, const struct selection *sel,
			 struct vbm_error *err);
void findings_filter_fini(struct findings_filter *k);

/*
 * Adds to the line of a variant of the selection: its known failures, after which its runner goes
 * on, and the finding because of which it is not run (docs/plan.md: "known" and "crashes").
 */
void findings_filter_describe(const struct findings_filter *k, size_t variant, struct value *line);

/* Looks at @event, and changes it if it is a verdict or a complaint that findings describe. */
void findings_filter_event(struct findings_filter *k, struct value *event);

#endif
