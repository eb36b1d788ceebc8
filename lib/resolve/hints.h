/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_RESOLVE_HINTS_H
#define VBM_LIB_RESOLVE_HINTS_H

#include <stdbool.h>
#include <stddef.h>

#include <infiniband/sa.h>

#include <verbatim/addrinfo.h>

#include "lib/base/addr.h"

/* -1 with errno: the other way to fail in rdma_getaddrinfo(3). */
#define GAI_ERRNO (-1)

#define GAI_FLAGS (RAI_PASSIVE | RAI_NUMERICHOST | RAI_NOROUTE | RAI_FAMILY | RAI_DNS | RAI_SA)

/* The hints of one call, checked and filled in. Owns nothing. */
struct gai_query {
	int flags;		/* as given */
	int family;		/* AF_UNSPEC: any */
	int qp_type;
	int port_space;
	union addr src, dst;	/* of the hints; not set when the hints have none */
	const void *route;	/* of the hints, borrowed */
	size_t route_count;
	size_t route_stride;	/* sizeof ibv_path_data or ibv_path_record */
};

/* Mistakes in hints. With several mistakes at once the first of this list counts. */
enum gai_fault {
	GAI_FAULT_NONE,
	GAI_FAULT_POINTER,
	GAI_FAULT_FLAGS,
	GAI_FAULT_BOTH,		/* RAI_DNS together with RAI_SA */
	GAI_FAULT_FAMILY,
	GAI_FAULT_QPTYPE,
};

/* Check @hints (NULL: as if all were zero) and fill @q. Pure. */
enum gai_fault vbm_hints_check(struct gai_query *q, const struct rdma_addrinfo *hints);

/* The code that the synchronous call returns for @fault (0: no fault), with errno set. */
int vbm_gai_fault_code(enum gai_fault fault);

/* The errno that the asynchronous call sets for @fault; 0: no fault. */
int vbm_gai_fault_errno(enum gai_fault fault);

static inline bool gai_passive(const struct gai_query *q)
{
	return q->flags & RAI_PASSIVE;
}

/* The @i-th path of the hints, in either of the two layouts. */
void vbm_route_hint(const struct gai_query *q, size_t i, struct ibv_path_record *path);

/*
 * The two ends of that path, read from its GIDs: IPv4 from an IPv4-mapped GID, IPv6 from
 * any other, AF_IB when the hints ask for it. A GID of zeroes is no address. The port
 * comes from a service id of the IP connection manager.
 */
void vbm_route_hint_addresses(const struct gai_query *q, size_t i,
			      union addr *src, union addr *dst);

#endif
