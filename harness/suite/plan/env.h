/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PLAN_ENV_H
#define VBM_PLAN_ENV_H

#include <verbatim/error.h>

#include "names/host.h"
#include "plan/plan.h"

/*
 * The values of references while a variant runs: the facts of its hosts and, for
 * each actor, the results that "as:" named.
 *   $a.ip               a fact of host a ("ip" and "gid_index" depend on $ip)
 *   $a.qp.qp_num        a field of a named result; $a.1.qp.qp_num of actor a.1
 *   $a.ai.results.0.port  an item of a list
 */
struct env;

struct env *env_new(int ip);
void env_free(struct env *env);
void env_set_host(struct env *env, const struct host_info *host);
void env_set_result(struct env *env, const char *actor, const char *as,
		    const struct value *result);

/* Copies @in with every reference replaced. The caller owns *@out. */
int env_resolve(const struct env *env, const struct value *in, struct value **out,
		struct vbm_error *err);

/*
 * An item ready to run: the references are replaced, and each value has the type
 * of its parameter or field. The caller owns all three; each is NULL if the item
 * has none.
 */
struct bound {
	struct value *args, *expect, *outcomes;
};

int item_bind(const struct item *item, const struct env *env, struct bound *out,
	      struct vbm_error *err);
void bound_fini(struct bound *b);

#endif
