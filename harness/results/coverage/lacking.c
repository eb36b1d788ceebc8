/* SPDX-License-Identifier: BSD-2-Clause */
#include "coverage/lacking.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "names/abilities.h"
#include "plan/require.h"

/* The hardest to meet is first. */
static const struct {
	const char *need, *remedy;
} remedies[] = {
	{"call=vbm_cancel", "needs libverbatim (no rdma-core has vbm_cancel)"},
	{"call=rdma_resolve_addrinfo",
	 "needs a newer rdma-core (60 has rdma_resolve_addrinfo) and a kernel that works with it"},
	{"call=ibv_wr_flush",
	 "needs a build with the headers of a newer rdma-core (46 has ibv_wr_flush)"},
};

static size_t rank(const char *need)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(remedies) && strcmp(remedies[i].need, need) != 0; i++)
		;
	return i;
}

char *lacking_remedy(const char *need)
{
	size_t i = rank(need);
	struct require r;

	if (i < ARRAY_SIZE(remedies))
		return xstrdup(remedies[i].remedy);
	if (require_parse(&r, need, NULL) < 0 || !strcmp(r.capability->name, "call"))
		return xstrdup("needs a target that has the call");
	if (!strcmp(r.capability->name, "can") && r.op == REQUIRE_EQ)
		return xasprintf("needs devices with %.*s", (int)strcspn(ability_what(r.value), ";"), ability_what(r.value));
	return xasprintf("needs %s", need);
}

/* Whether @facts have the fact that the condition is about. */
static bool has_fact(const struct require *r, const struct facts *facts)
{
	const char *name = r->capability->name;

	return (!strcmp(name, "call") && facts->call) || (!strcmp(name, "can") && facts->can) ||
	       (!strcmp(name, "device") && facts->device);
}

static bool is_lacking(const char *need, const struct facts *facts)
{
	auto_free char *why = NULL;
	struct require r;

	return require_parse(&r, need, NULL) == 0 && has_fact(&r, facts) && !require_holds(&r, facts, &why);
}

const char *lacking_variant(const struct variant *v, const struct facts *facts)
{
	const char *found = NULL, *need;
	size_t i;

	for (i = 0; i < v->needs->list.count; i++) {
		need = v->needs->list.item[i]->s;
		if (is_lacking(need, facts) && (!found || rank(need) < rank(found)))
			found = need;
	}
	return found;
}
