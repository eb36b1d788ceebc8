/* SPDX-License-Identifier: BSD-2-Clause */
#include "execute/beyond.h"

#include <stdlib.h>

#include "base/value.h"
#include "base/xalloc.h"
#include "fabric/far.h"
#include "fabric/fabric.h"
#include "plan/plan.h"

/* The words for hosts that are machines of one's own, and for those with kernels of their own. */
static const struct stays {
	const char *stay, *option, *has;
	bool ours;	/* nobody else uses them, so a step may have an effect beyond its own process */
} words[] = {
	{"machines of one's own stay as they are", "--hosts", "the hosts file has", false},
	{"hosts with kernels of their own stay as they are", "a run with a kernel for each host", "the wire between kernels has", true},
};

/* @script: the step is of a machine that is there to send packets. */
static char *for_step(const struct step_kind *kind, bool script, const struct stays *w)
{
	if (kind->disturbs)
		return xasprintf("the step %s changes links, addresses, routes or devices, and %s", kind->name, w->stay);
	if (!w->ours && !(script && kind->sends_packets) && (kind->machine_wide || kind->makes == OBJECT_RULE))
		return xasprintf("the step %s has an effect beyond its own process, and %s", kind->name, w->stay);
	if (kind->other_devices)
		return xasprintf("the step %s shows the devices of other hosts, and these are on other machines", kind->name);
	if (kind->starts_program)
		return xasprintf("the step %s starts programs, which %s cannot do yet", kind->name, w->option);
	return NULL;
}

/* Whether each host has a device, or none, as the scenario wants. */
static char *for_script(const struct fabric *machines, const struct variant *v, const struct stays *w)
{
	uint64_t has = fabric_scripted(machines);
	int i;

	for (i = 0; i < v->hosts; i++) {
		if ((v->scripted >> i & 1) && w->ours)
			return xasprintf("needs a host without an RDMA device, and %s", w->stay);
		if ((v->scripted & ~has) >> i & 1)
			return xasprintf("needs host %s without an RDMA device: a machine with 'script: yes' in the hosts file",
					 fabric_host(machines, i)->name);
		if ((has & ~v->scripted) >> i & 1)
			return xasprintf("needs an RDMA device on host %s, whose machine has 'script: yes'", fabric_host(machines, i)->name);
	}
	return NULL;
}

/* The wire has no host. */
static bool is_script(const struct fabric *machines, const struct variant *v, size_t item)
{
	int host = v->actors[v->items[item].actor].host;

	return host >= 0 && host < FABRIC_HOSTS_MAX && fabric_scripted(machines) >> host & 1;
}

char *beyond_machines(const struct fabric *machines, const struct variant *v)
{
	const struct stays *w = &words[fabric_has_kernels(machines)];
	char *why = NULL;
	size_t i;

	if (v->hosts > fabric_machines(machines))
		return xasprintf("needs %d hosts, and %s %d", v->hosts, w->has, fabric_machines(machines));
	if (v->routed)
		return xasprintf("needs a router between its hosts, and %s", w->stay);
	why = for_script(machines, v, w);
	if (why)
		return why;
	if (v->services && v->services->type == VALUE_MAP && v->services->map.count)
		return xasprintf("needs files or services on its hosts (%s:), which %s does not give them",
				 v->services->map.member[0].key, w->option);
	for (i = 0; !why && i < v->item_count; i++)
		why = for_step(v->items[i].kind, is_script(machines, v, i), w);
	return why;
}
