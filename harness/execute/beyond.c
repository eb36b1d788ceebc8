/* SPDX-License-Identifier: BSD-2-Clause */
#include "execute/beyond.h"

#include <stdlib.h>

#include "base/value.h"
#include "base/xalloc.h"
#include "fabric/far.h"
#include "fabric/fabric.h"
#include "plan/plan.h"

static char *for_step(const struct step_kind *kind)
{
	if (kind->disturbs)
		return xasprintf("the step %s changes links, addresses, routes or devices, and machines of one's own stay "
				 "as they are", kind->name);
	if (kind->machine_wide || kind->makes == OBJECT_RULE)
		return xasprintf("the step %s has an effect beyond its own process, and machines of one's own stay as they "
				 "are", kind->name);
	if (kind->starts_program)
		return xasprintf("the step %s starts programs, which --hosts cannot do yet", kind->name);
	return NULL;
}

char *beyond_machines(const struct fabric *machines, const struct variant *v)
{
	char *why = NULL;
	size_t i;

	if (v->hosts > fabric_machines(machines))
		return xasprintf("needs %d hosts, and the hosts file has %d", v->hosts, fabric_machines(machines));
	if (v->routed)
		return xstrdup("needs a router between its hosts, and the path between machines of one's own stays as it is");
	if (v->scripted)
		return xstrdup("needs a host without an RDMA device, and each machine of the hosts file has one");
	if (v->services && v->services->type == VALUE_MAP && v->services->map.count)
		return xasprintf("needs files or services on its hosts (%s:), which --hosts does not give them",
				 v->services->map.member[0].key);
	for (i = 0; !why && i < v->item_count; i++)
		why = for_step(v->items[i].kind);
	return why;
}
