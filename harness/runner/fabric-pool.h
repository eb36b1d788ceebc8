/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUNNER_FABRIC_POOL_H
#define VBM_RUNNER_FABRIC_POOL_H

#include "fabric/fabric.h"
#include "event/emit.h"

/*
 * The fabric of the last scenario, kept for the next one that asks for as many
 * hosts and finds it clean. Building is the dearest thing a scenario can ask.
 */
struct fabric_pool {
	struct emitter *emit;
	enum layout layout;
	bool any_layout;	/* nobody asked for this one: it may be changed */
	struct fabric *fabric;	/* owned, or NULL */
	bool dirty;		/* the last user left things in it */
};

int fabric_pool_get(struct fabric_pool *pool, int hosts, struct fabric **out,
		    struct vbm_error *err);

/* The scenario is over: look whether the fabric can serve again. */
void fabric_pool_put(struct fabric_pool *pool);
void fabric_pool_fini(struct fabric_pool *pool);

#endif
