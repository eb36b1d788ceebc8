/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUNNER_NAMING_H
#define VBM_RUNNER_NAMING_H

#include "agent/agent.h"
#include "dns/server.h"
#include "fabric/fabric.h"
#include "plan/env.h"

/*
 * What a scenario says of names, made true for one variant: its name server on
 * the last host, and the files each host sees.
 */
struct naming;

/* @said: head key -> value. *@out is NULL when it is empty. The server answers on return. */
int naming_new(struct naming **out, const struct value *said, const struct env *env,
	       const struct fabric *fabric, struct dns_pool *pool, struct vbm_error *err);
void naming_free(struct naming *n);	/* NULL is fine */

/* Borrowed, for the agent of @host; NULL for a NULL @n. */
const struct agent_names *naming_of(const struct naming *n, int host);

#endif
