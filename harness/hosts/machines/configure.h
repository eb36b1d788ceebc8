/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MACHINES_CONFIGURE_H
#define VBM_MACHINES_CONFIGURE_H

#include <verbatim/error.h>

struct fabric;
struct value;

struct configure_options {
	const struct value *wanted;	/* as of found_fabric(); "make" is the type of a device to make if there is none */
	int host;			/* its number, from which its addresses follow */
	void (*tell)(const char *line, void *arg);	/* only says each thing that would be done; NULL: does it */
	void *arg;
};

/*
 * Gives the interface @netdev of this machine what a run needs and it lacks: it is up, has a sufficient MTU, an address of each
 * family and a device. All that is undone with the fabric, or by a sweep.
 */
int configure_machine(struct fabric *fabric, const char *netdev, const struct configure_options *opts,
		      struct vbm_error *err);

/* Makes the undo journal of this machine, if there is none yet. */
int configure_journal(struct fabric *fabric, struct vbm_error *err);

#endif
