/* SPDX-License-Identifier: BSD-2-Clause */
#include "job/fabric-pool.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "fabric/host-ns.h"
#include "job/job.h"

static void report(struct fabric_pool *pool, bool reused)
{
	struct value *event = emit_new(pool->emit, "fabric");

	value_set_int(event, "hosts", fabric_host_count(pool->fabric));
	value_set_string(event, "layout", layout_name(fabric_layout(pool->fabric)));
	value_set_int(event, "build_ms", reused ? 0 : fabric_build_ms(pool->fabric));
	value_set_bool(event, "reused", reused);
	emit_take(pool->emit, event);
}

struct fabric_pool fabric_pool_for(struct job *job, bool programs)
{
	struct fabric *trial = steal(&job->trial);

	return (struct fabric_pool){
		.fabric = trial,
		.unused = trial,
		.emit = job->emit,
		.programs = programs,
		.layout = job->any_layout ? LAYOUT_AUTO : job->layout,
	};
}

int fabric_pool_get(struct fabric_pool *pool, int hosts, struct fabric **out,
		    struct vbm_error *err)
{
	struct fabric_options opts = {.layout = pool->layout, .hosts = hosts};
	bool reused = pool->fabric && !pool->dirty &&
		      fabric_host_count(pool->fabric) == hosts;
	int rc;

	if (!reused)
		fabric_pool_fini(pool);
	rc = reused ? 0 : fabric_new(&pool->fabric, &opts, err);
	if (rc < 0)
		return rc;
	reused &= !pool->unused;
	pool->unused = false;
	if (pool->programs || pool->had_programs)
		fabric_drop_namespaces(pool->fabric);
	pool->had_programs = pool->programs;
	rc = fabric_make_namespaces(pool->fabric, &(struct host_use){
		.programs = pool->programs,
		.root = pool->programs ? getenv(PROGRAM_ROOT_VARIABLE) : NULL,
	}, err);
	if (rc < 0)
		return rc;
	report(pool, reused);
	*out = pool->fabric;
	return 0;
}

/*
 * Steps of scenarios change interfaces only in variants that say so. A program may do anything
 * in its host's namespace.
 */
void fabric_pool_put(struct fabric_pool *pool, bool disturbed, struct value *left)
{
	unsigned parts = FABRIC_OBJECTS;

	if (!disturbed)
		parts |= FABRIC_INTERFACES | (pool->had_programs ? FABRIC_NAMESPACES : 0);
	if (pool->fabric)
		pool->dirty = !fabric_is_clean(pool->fabric, parts, left) || disturbed;
}

void fabric_pool_fini(struct fabric_pool *pool)
{
	fabric_free(pool->fabric);
	pool->fabric = NULL;
	pool->dirty = false;
}
