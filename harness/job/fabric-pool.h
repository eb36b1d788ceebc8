/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_FABRIC_POOL_H
#define VBM_JOB_FABRIC_POOL_H

#include "event/emit.h"
#include "fabric/fabric.h"

/*
 * The fabric of the last scenario, kept for the next one that asks for as many
 * hosts and finds it clean. Building is the dearest thing a scenario can ask.
 */
struct fabric_pool {
	struct emitter *emit;
	enum layout layout;	/* LAYOUT_AUTO: each fabric has the one that suits it */
	struct fabric *fabric;	/* owned, or NULL */
	bool programs;		/* the next user's hosts are those of programs */
	bool had_programs;	/* those of the fabric are: what programs left goes with them */
	bool dirty;		/* the last user left things in it */
	bool unused;		/* the fabric was made and had no user yet */
};

/*
 * The member of the environment that names the folder where programs have their
 * root, where that is not the runner's own: init sets it.
 */
#define PROGRAM_ROOT_VARIABLE "VERBATIM_PROGRAM_ROOT"

struct job;

/* A pool with the layout that the job asks for. It takes the job's trial fabric. */
struct fabric_pool fabric_pool_for(struct job *job, bool programs);

int fabric_pool_get(struct fabric_pool *pool, int hosts, struct fabric **out,
		    struct vbm_error *err);

/*
 * The scenario is over: look whether the fabric can serve again. @disturbed: it
 * changed links, addresses or devices, and what hangs on them (routes, GIDs,
 * neighbours) need not be what it was even where it set them back.
 */
void fabric_pool_put(struct fabric_pool *pool, bool disturbed);
void fabric_pool_fini(struct fabric_pool *pool);

#endif
