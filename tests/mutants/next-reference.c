/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include <verbatim/resolve.h>

#include "tests/mutants/mutant.h"

/* What libverbatim does itself. It leaves the rest to the system's libraries. */
static const struct {
	const char *symbol;
	void (*own)(void);
} owns[] = {
#define OWN(symbol, own) {symbol, (void (*)(void))(own)}
	OWN("rdma_getaddrinfo", vbm_getaddrinfo),
	OWN("rdma_freeaddrinfo", vbm_freeaddrinfo),
	OWN("gai_strerror", vbm_gai_strerror),
	OWN("rdma_create_id", vbm_create_id),
	OWN("rdma_destroy_id", vbm_destroy_id),
	OWN("rdma_migrate_id", vbm_migrate_id),
	OWN("rdma_get_cm_event", vbm_get_cm_event),
	OWN("rdma_ack_cm_event", vbm_ack_cm_event),
	OWN("rdma_resolve_addrinfo", vbm_resolve_addrinfo),
	OWN("rdma_query_addrinfo", vbm_query_addrinfo),
#undef OWN
};

void *mutant_own(const char *symbol)
{
	void *next = NULL;
	size_t i;

	for (i = 0; i < sizeof(owns) / sizeof(owns[0]); i++)
		if (strcmp(owns[i].symbol, symbol) == 0)
			memcpy(&next, &owns[i].own, sizeof(next));
	return next;
}
