/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FRONT_DEVIATIONS_H
#define VBM_FRONT_DEVIATIONS_H

#include "front/selection.h"
#include "catalogue/deviation.h"

/*
 * Known deviations, put to use: the events of a run pass through here, and
 * verdicts become XFAIL and XPASS where an entry says so.
 */
struct known {
	struct deviations list;
	struct facts facts;	/* strings borrowed, but for the layout */
	char *layout;		/* owned */
	char *field, *got;	/* owned; of the failure that was last told */
};

/*
 * Read scenarios/deviations/ beside the selected files. An entry that names no
 * scenario there is an error: it watches over nothing.
 */
int known_load(struct known *k, const struct selection *sel, struct vbm_error *err);
void known_fini(struct known *k);

/* Look at @event and change it where it is a verdict that was foreseen. */
void known_filter(struct known *k, struct value *event);

#endif
