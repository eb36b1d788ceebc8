/* SPDX-License-Identifier: BSD-2-Clause */
#include "coverage/lacking.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
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

const char *lacking_remedy(const char *need)
{
	size_t i = rank(need);

	return i < ARRAY_SIZE(remedies) ? remedies[i].remedy : "needs a target that has the call";
}

static bool is_lacking(const char *need, const struct facts *facts)
{
	auto_free char *why = NULL;
	struct require r;

	return require_parse(&r, need, NULL) == 0 && !strcmp(r.capability->name, "call") &&
	       !require_holds(&r, facts, &why);
}

const char *lacking_variant(const struct variant *v, const char *calls)
{
	const struct facts facts = {.call = calls};
	const char *found = NULL, *need;
	size_t i;

	for (i = 0; i < v->needs->list.count; i++) {
		need = v->needs->list.item[i]->s;
		if (is_lacking(need, &facts) && (!found || rank(need) < rank(found)))
			found = need;
	}
	return found;
}
