/* SPDX-License-Identifier: BSD-2-Clause */
/* The rest of what libverbatim does itself, so that the object offers all of it. */
#include "tests/mutants/mutant.h"

int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context,
		   enum rdma_port_space ps)
{
	return NEXT(rdma_create_id)(channel, id, context, ps);
}

int rdma_destroy_id(struct rdma_cm_id *id)
{
	return NEXT(rdma_destroy_id)(id);
}

int rdma_migrate_id(struct rdma_cm_id *id, struct rdma_event_channel *channel)
{
	return NEXT(rdma_migrate_id)(id, channel);
}

int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event)
{
	return NEXT(rdma_get_cm_event)(channel, event);
}

int rdma_ack_cm_event(struct rdma_cm_event *event)
{
	return NEXT(rdma_ack_cm_event)(event);
}

int rdma_resolve_addrinfo(struct rdma_cm_id *id, const char *node, const char *service,
			  const struct rdma_addrinfo *hints)
{
	if (mutant_on("resolve-addrinfo-waits"))
		mutant_late(4000);
	return NEXT(rdma_resolve_addrinfo)(id, node, service, hints);
}

int rdma_query_addrinfo(struct rdma_cm_id *id, struct rdma_addrinfo **info)
{
	return NEXT(rdma_query_addrinfo)(id, info);
}
