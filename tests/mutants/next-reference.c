/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include <verbatim/resolve.h>

#include "lib/verbs/verbs.h"
#include "tests/mutants/mutant.h"

/* The calls that libverbatim carries out. It leaves the rest to the system's libraries. */
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
	OWN("ibv_get_device_list", vbm_get_device_list),
	OWN("ibv_free_device_list", vbm_free_device_list),
	OWN("ibv_open_device", vbm_open_device),
	OWN("ibv_close_device", vbm_close_device),
	OWN("ibv_query_device", vbm_query_device),
	OWN("ibv_query_gid", vbm_query_gid),
	OWN("ibv_alloc_pd", vbm_alloc_pd),
	OWN("ibv_dealloc_pd", vbm_dealloc_pd),
	OWN("ibv_create_cq", vbm_create_cq),
	OWN("ibv_destroy_cq", vbm_destroy_cq),
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
