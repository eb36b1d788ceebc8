/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/resolve/hints.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include <infiniband/sa.h>


#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* The first line that agrees with the given members fills in the others. */
static const struct {
	int qp_type, port_space;
} kinds[] = {
	{IBV_QPT_RC, RDMA_PS_TCP},
	{IBV_QPT_UD, RDMA_PS_UDP},
	{IBV_QPT_RC, RDMA_PS_IB},
	{IBV_QPT_UD, RDMA_PS_IB},
};

static bool family_known(int family)
{
	return family == AF_UNSPEC || family == AF_INET || family == AF_INET6 || family == AF_IB;
}

/*
 * An address is a mistake of the caller when its length has no address, or is too short
 * for the family or longer than any address. A buffer longer than the family needs is
 * allowed.
 */
static bool take_address(union addr *out, const struct sockaddr *sa, socklen_t len)
{
	sa_family_t family;

	if (!len)
		return true;
	if (!sa || len < sizeof(family) || len > sizeof(struct sockaddr_storage))
		return false;
	memcpy(&family, sa, sizeof(family));
	if (len < vbm_addr_family_len(family))
		return false;
	memset(out, 0, sizeof(*out));
	out->sa.sa_family = family;
	memcpy(out, sa, vbm_addr_family_len(family));
	return true;
}

/*
 * Nothing in the bytes tells the two layouts apart. The layout that this library writes is
 * tried first.
 */
static bool take_route(struct gai_query *q, const void *route, size_t len)
{
	if (!len)
		return true;
	if (!route)
		return false;
	if (len % sizeof(struct ibv_path_data) == 0)
		q->route_stride = sizeof(struct ibv_path_data);
	else if (len % sizeof(struct ibv_path_record) == 0)
		q->route_stride = sizeof(struct ibv_path_record);
	else
		return false;
	q->route = route;
	q->route_count = len / q->route_stride;
	return true;
}

static bool fill_kind(struct gai_query *q)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (q->qp_type && q->qp_type != kinds[i].qp_type)
			continue;
		if (q->port_space && q->port_space != kinds[i].port_space)
			continue;
		q->qp_type = kinds[i].qp_type;
		q->port_space = kinds[i].port_space;
		return true;
	}
	return false;
}

static bool usable(const union addr *a)
{
	return !addr_is_set(a) || addr_len(a);
}

enum gai_fault vbm_hints_check(struct gai_query *q, const struct rdma_addrinfo *hints)
{
	/* Clearing all of it would cost as much as the checks. */
	q->flags = q->family = q->qp_type = q->port_space = 0;
	q->src.sa.sa_family = q->dst.sa.sa_family = AF_UNSPEC;
	q->route = NULL;
	q->route_count = q->route_stride = 0;
	if (hints) {
		q->flags = hints->ai_flags;
		q->family = hints->ai_family;
		q->qp_type = hints->ai_qp_type;
		q->port_space = hints->ai_port_space;
		if (!take_address(&q->src, hints->ai_src_addr, hints->ai_src_len) ||
		    !take_address(&q->dst, hints->ai_dst_addr, hints->ai_dst_len) ||
		    !take_route(q, hints->ai_route, hints->ai_route_len) ||
		    (hints->ai_connect_len && !hints->ai_connect))
			return GAI_FAULT_POINTER;
	}
	if (q->flags & ~GAI_FLAGS)
		return GAI_FAULT_FLAGS;
	if (q->flags & RAI_DNS && q->flags & RAI_SA)
		return GAI_FAULT_BOTH;
	if (!family_known(q->family) || !usable(&q->src) || !usable(&q->dst))
		return GAI_FAULT_FAMILY;
	if (!fill_kind(q))
		return GAI_FAULT_QPTYPE;
	return GAI_FAULT_NONE;
}

static const struct {
	int code, sync_errno, async_errno;
} faults[] = {
	[GAI_FAULT_NONE] = {0, 0, 0},
	[GAI_FAULT_POINTER] = {GAI_ERRNO, EINVAL, EINVAL},
	[GAI_FAULT_FLAGS] = {EAI_BADFLAGS, EINVAL, EINVAL},
	[GAI_FAULT_BOTH] = {EAI_BADFLAGS, EINVAL, ENOTSUP},
	[GAI_FAULT_FAMILY] = {EAI_FAMILY, 0, EAFNOSUPPORT},
	[GAI_FAULT_QPTYPE] = {EAI_QPTYPE, 0, EPROTOTYPE},
};

int vbm_gai_fault_code(enum gai_fault fault)
{
	if (faults[fault].sync_errno)
		errno = faults[fault].sync_errno;
	return faults[fault].code;
}

int vbm_gai_fault_errno(enum gai_fault fault)
{
	return faults[fault].async_errno;
}

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

/* A service id of the IP port spaces has the port in its last two bytes. */
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
