/* SPDX-License-Identifier: BSD-2-Clause */
#include "job/fabric-pool.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "event/read.h"
#include "event/sent.h"
#include "fabric/fabric.h"
#include "machines/machine-fabric.h"
#include "fabric/host-ns.h"
#include "job/job.h"
#include "lib/base/fail.h"
#include "names/cable-fault.h"

/* The faults of each host's cable that has any. */
static struct value *cable_text(const struct fabric *fabric)
{
	struct value *map = value_map();
	int i;

	for (i = 0; i < fabric_host_count(fabric); i++)
		if (*fabric_faults(fabric, i))
			value_set_string(map, fabric_host(fabric, i)->name, fabric_faults(fabric, i));
	return map;
}

static void report_fabric(struct fabric_pool *pool, bool reused)
{
	struct value *event = emit_new(pool->emit, "fabric");

	value_set_int(event, "hosts", fabric_host_count(pool->fabric));
	value_set_string(event, "layout", layout_name(fabric_layout(pool->fabric)));
	value_set_int(event, "build_ms", reused ? 0 : fabric_build_ms(pool->fabric));
	value_set_bool(event, "reused", reused);
	if (fabric_is_routed(pool->fabric))
		value_set_bool(event, "routed", true);
	if (pool->cable)
		value_set(event, "cable", cable_text(pool->fabric));
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
		.cable = job->cable,
		.devices = job->devices,
		.layout = job->any_layout ? LAYOUT_AUTO : job->layout,
	};
}

/* Hosts that a scenario does not have are left out. */
static int set_faults(struct fabric_pool *pool, struct vbm_error *err)
{
	struct cable_faults faults;
	const struct value *row;
	const char *host;
	size_t k;
	int i, fault, rc = 0;

	for (i = 0; rc == 0 && pool->cable && i < fabric_host_count(pool->fabric); i++) {
		faults = (struct cable_faults){0};
		for (k = 0; rc == 0 && k < pool->cable->list.count; k++) {
			row = pool->cable->list.item[k];
			rc = sent_check_as(row, "cable", err);
			if (rc < 0)
				break;
			fault = cable_fault_called(event_string(row, "fault"));
			host = event_string_or(row, "host", NULL);
			if (fault >= 0 && (!host || host_number(host) == i))
				faults.value[fault] = event_integer(row, "value");
		}
		if (rc == 0)
			rc = fabric_set_faults(pool->fabric, i, &faults, err);
	}
	return rc;
}

static const struct device_words *wished_devices(const struct fabric_pool *pool, const struct fabric_wish *wish)
{
	return wish->devices ? wish->devices : &pool->devices;
}

static bool is_wished(const struct fabric_pool *pool, const struct fabric_wish *wish)
{
	const struct fabric *fabric = pool->fabric;

	return fabric_host_count(fabric) == wish->hosts && fabric_is_routed(fabric) == wish->routed &&
	       fabric_scripted(fabric) == wish->scripted && fabric_has_devices(fabric, wished_devices(pool, wish));
}

/* Machines stay connected until the run ends. */
static int get_machines(struct fabric_pool *pool, int hosts, struct fabric **out, struct vbm_error *err)
{
	const char *broken = machines_broken(pool->fabric);

	if (broken)
		return vbm_fail(err, ECONNRESET, "%s", broken);
	if (hosts > machines_count(pool->fabric))
		return vbm_fail(err, EPROTO, "a job for %d hosts, and there are %d machines", hosts, machines_count(pool->fabric));
	machines_use(pool->fabric, hosts);
	report_fabric(pool, !pool->unused);
	pool->unused = false;
	*out = pool->fabric;
	return 0;
}

int fabric_pool_get(struct fabric_pool *pool, const struct fabric_wish *wish, struct fabric **out,
		    struct vbm_error *err)
{
	struct fabric_options opts = {
		.layout = pool->layout, .devices = *wished_devices(pool, wish), .hosts = wish->hosts, .routed = wish->routed,
		.scripted = wish->scripted,
	};
	bool reused = pool->fabric && !pool->dirty && is_wished(pool, wish);
	int rc;

	if (pool->fabric && fabric_is_elsewhere(pool->fabric))
		return get_machines(pool, wish->hosts, out, err);
	if (!reused)
		fabric_pool_fini(pool);
	rc = reused ? 0 : fabric_new(&pool->fabric, &opts, err);
	if (rc < 0)
		return rc;
	if (!reused || pool->unused)
		rc = set_faults(pool, err);
	if (rc < 0)
		return rc;
	reused &= !pool->unused;
	pool->unused = false;
	if (pool->programs || pool->had_programs) {
		if (pool->leave)
			pool->leave(pool->leave_arg);
		fabric_drop_namespaces(pool->fabric);
	}
	pool->had_programs = pool->programs;
	rc = fabric_make_namespaces(pool->fabric, &(struct host_use){
		.programs = pool->programs,
		.root = pool->programs ? getenv(PROGRAM_ROOT_VARIABLE) : NULL,
	}, err);
	if (rc < 0)
		return rc;
	report_fabric(pool, reused);
	*out = pool->fabric;
	return 0;
}

/*
 * Steps of scenarios change interfaces only in variants that say so. A program may do anything
 * in its host's namespace.
 */
int fabric_pool_put(struct fabric_pool *pool, bool disturbed, struct value *left, struct vbm_error *err)
{
	unsigned parts = FABRIC_OBJECTS;
	bool again = disturbed && pool->fabric && fabric_is_elsewhere(pool->fabric);
	int rc = again ? machines_put_back(pool->fabric, err) : 0;

	if (rc < 0)
		return rc;
	/* Objects that are left may be those of a process that waits for the next variant. */
	if (pool->leave && pool->fabric && !disturbed && fabric_is_clean(pool->fabric, FABRIC_OBJECTS | FABRIC_NOW, NULL))
		parts &= ~(unsigned)FABRIC_OBJECTS;
	else if (pool->leave)
		pool->leave(pool->leave_arg);
	if (!disturbed || again)
		parts |= FABRIC_INTERFACES | (pool->had_programs ? FABRIC_NAMESPACES : 0);
	if (pool->fabric)
		pool->dirty = !fabric_is_clean(pool->fabric, parts, left) || disturbed;
	return 0;
}

void fabric_pool_fini(struct fabric_pool *pool)
{
	if (pool->leave)
		pool->leave(pool->leave_arg);
	fabric_free(pool->fabric);
	pool->fabric = NULL;
	pool->dirty = false;
}
