/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_FABRIC_POOL_H
#define VBM_JOB_FABRIC_POOL_H

#include "event/emit.h"
#include "names/device-words.h"
#include "names/host.h"

struct fabric;

/*
 * Keeps the fabric of the last scenario for the next one, if that needs the same number
 * of hosts and the fabric is clean. To build a fabric takes longer than anything else in
 * a scenario.
 */
struct fabric_pool {
	struct emitter *emit;
	struct device_words devices;	/* of hosts, unless a wish has others */
	enum layout layout;	/* LAYOUT_AUTO: chosen for each fabric */
	struct fabric *fabric;	/* owned, or NULL */
	const struct value *cable;	/* borrowed: lines "cable" of the job, or NULL */
	bool programs;		/* the next user needs hosts for programs */
	bool had_programs;	/* the fabric has hosts for programs, which may have left files there */
	bool dirty;		/* the last user left things in it */
	bool unused;		/* the fabric has had no user yet */
	/* Ends the processes that the last users left on the hosts; called before the hosts go, or when they are not clean. */
	void (*leave)(void *arg);
	void *leave_arg;
};

/*
 * The variable that names the root folder of programs, if it is not the runner's own.
 * Init sets it.
 */
#define PROGRAM_ROOT_VARIABLE "VERBATIM_PROGRAM_ROOT"

struct job;
struct value;

/* Makes a pool with the layout of the job, and takes the job's trial fabric. */
struct fabric_pool fabric_pool_for(struct job *job, bool programs);

/* The members are as in struct fabric_options. */
struct fabric_wish {
	int hosts;
	bool routed;
	uint64_t scripted;
	const struct device_words *devices;	/* NULL: those of the pool */
};

int fabric_pool_get(struct fabric_pool *pool, const struct fabric_wish *wish, struct fabric **out,
		    struct vbm_error *err);

/*
 * The scenario is over: checks whether the fabric can be used again. @disturbed: the
 * scenario changed links, addresses or devices. Even if it restored them, routes, GIDs
 * and neighbours may have changed. Each thing that the scenario left behind, although all its
 * processes have ended, is added to the list @left as a text; NULL: nobody wants them. Fails only if a machine
 * could not be restored after the scenario.
 */
int fabric_pool_put(struct fabric_pool *pool, bool disturbed, struct value *left, struct vbm_error *err);
void fabric_pool_fini(struct fabric_pool *pool);

#endif
