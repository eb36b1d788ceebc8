/* SPDX-License-Identifier: BSD-2-Clause */
#include "route-hints.h"

#include <endian.h>
#include <string.h>

void vbm_route_hint(const struct gai_query *q, size_t i, struct ibv_path_record *path)
{
	const char *at = (const char *)q->route + i * q->route_stride;

	if (q->route_stride == sizeof(struct ibv_path_data))
		at += offsetof(struct ibv_path_data, path);
	memcpy(path, at, sizeof(*path));
}

static bool end_of_path(union addr *a, const union ibv_gid *gid, bool ib)
{
	static const union ibv_gid none;

	memset(a, 0, sizeof(*a));
	if (!memcmp(gid, &none, sizeof(none)))
		return false;
	vbm_addr_from_gid(a, gid->raw, ib);
	return true;
}

/* Ids of the IP port spaces carry the port in their last two bytes. */
static uint16_t port_of(uint64_t service_id)
{
	uint64_t space = service_id & RDMA_IB_IP_PS_MASK;

	return space == RDMA_IB_IP_PS_TCP || space == RDMA_IB_IP_PS_UDP ||
	       space == RDMA_IB_PS_IB ? (uint16_t)service_id : 0;
}

void vbm_route_hint_addresses(const struct gai_query *q, size_t i,
			      union addr *src, union addr *dst)
{
	bool ib = q->family == AF_IB;
	struct ibv_path_record path;
	union addr *used;

	vbm_route_hint(q, i, &path);
	end_of_path(src, &path.sgid, ib);
	used = end_of_path(dst, &path.dgid, ib) && !gai_passive(q) ? dst : src;
	vbm_addr_set_service(used, port_of(be64toh(path.service_id)), q->port_space);
}
