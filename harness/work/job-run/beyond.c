/* SPDX-License-Identifier: BSD-2-Clause */
#include "job-run/beyond.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "machines/machine-fabric.h"
#include "fabric/fabric.h"
#include "plan/plan.h"

/* The words for hosts that are machines, and for hosts with their own kernels. */
static const struct stays {
	const char *stay, *option, *has;
	bool ours;	/* nobody else uses them, so a step may have an effect beyond its own process */
} words[] = {
	{"Verbatim does not change your machines", "--hosts", "the hosts file has", false},
	{"Verbatim does not change hosts with their own kernels", "a run with a kernel for each host", "the wire between kernels has", true},
};

/* Why the machine must stay as it is, for a step that does @what; NULL: the step may do it. */
static char *because(const struct fabric *machines, int host, enum machine_part part, const struct step_kind *kind,
		     const char *what)
{
	auto_free char *stays = machines_stays(machines, host, part);

	return stays ? xasprintf("the step %s %s, and %s", kind->name, what, stays) : NULL;
}

static char *for_changes(const struct fabric *machines, int host, const struct step_kind *kind, const struct stays *w)
{
	if (w->ours)
		return xasprintf("the step %s changes links, addresses, routes or devices, and %s", kind->name, w->stay);
	if (kind->disturbs == DISTURBS_INTERFACE)
		return xasprintf("the step %s removes an interface, and Verbatim could not restore it", kind->name);
	if (kind->disturbs == DISTURBS_DEVICE)
		return because(machines, host, MACHINE_DEVICE, kind, "changes the RDMA device");
	return because(machines, host, MACHINE_SETTINGS, kind, "changes links, addresses or routes");
}

static char *for_step(const struct fabric *machines, int host, const struct step_kind *kind, const struct stays *w)
{
	bool script = fabric_is_scripted(machines, host);
	char *why = NULL;

	if (kind->disturbs)
		return for_changes(machines, host, kind, w);
	if (!w->ours && !(script && kind->sends_packets) && (kind->machine_wide || kind->makes == OBJECT_RULE))
		why = because(machines, host, MACHINE_PACKETS, kind, "has an effect beyond its own process");
	if (!why && kind->other_devices)
		return xasprintf("the step %s shows the devices of other hosts, and these are on other machines", kind->name);
	if (!why && kind->starts_program)
		return xasprintf("the step %s starts programs, which %s cannot do yet", kind->name, w->option);
	return why;
}

/* The wire has no host; its steps are done by the runner, which sees no packet of these machines. */
static int host_of(const struct variant *v, size_t item)
{
	int host = v->actors[v->items[item].actor].host;

	return host == ACTOR_WIRE ? 0 : host;
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

char *beyond_machines(const struct fabric *machines, const struct variant *v)
{
	const struct stays *w = &words[machines_have_kernels(machines)];
	auto_free char *devices = NULL;
	char *why = NULL;
	size_t i;

	if (v->hosts > machines_count(machines))
		return xasprintf("needs %d hosts, and %s %d", v->hosts, w->has, machines_count(machines));
	if (v->routed)
		return xasprintf("needs a router between its hosts, and %s", w->stay);
	devices = v->devices ? device_words_text(v->devices, v->hosts) : NULL;
	if (devices)
		return xasprintf("needs hosts with devices of certain types (%s), and %s", devices, w->stay);
	why = for_script(machines, v, w);
	if (why)
		return why;
	if (v->services && v->services->type == VALUE_MAP && v->services->map.count)
		return xasprintf("needs files or services on its hosts (%s:), which %s does not give them",
				 v->services->map.member[0].key, w->option);
	for (i = 0; !why && i < v->item_count; i++)
		why = for_step(machines, host_of(v, i), v->items[i].kind, w);
	return why;
}
