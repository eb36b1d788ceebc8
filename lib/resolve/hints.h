/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_HINTS_H
#define VBM_LIB_HINTS_H

#include <stdbool.h>
#include <stddef.h>

#include <infiniband/sa.h>

#include <verbatim/addrinfo.h>

#include "lib/base/addr.h"

/* -1 with errno, the page's other way to fail. */
#define GAI_ERRNO (-1)

#define GAI_FLAGS (RAI_PASSIVE | RAI_NUMERICHOST | RAI_NOROUTE | RAI_FAMILY | RAI_DNS | RAI_SA)

/* The hints of one call, checked and filled in. Owns nothing. */
struct gai_query {
	int flags;		/* as given */
	int family;		/* AF_UNSPEC: any */
	int qp_type;
	int port_space;
	union addr src, dst;	/* of the hints; not set when absent */
	const void *route;	/* of the hints, borrowed */
	size_t route_count;
	size_t route_stride;	/* sizeof ibv_path_data or ibv_path_record */
};

/* The order of checks when several things are wrong at once. */
enum gai_fault {
	GAI_FAULT_NONE,
	GAI_FAULT_POINTER,
	GAI_FAULT_FLAGS,
	GAI_FAULT_BOTH,		/* RAI_DNS with RAI_SA */
	GAI_FAULT_FAMILY,
	GAI_FAULT_QPTYPE,
};

/* Check @hints (NULL: as all zero) and fill @q. Pure. */
enum gai_fault vbm_hints_check(struct gai_query *q, const struct rdma_addrinfo *hints);

/* What the synchronous call returns for it (0 for none), errno set. */
int vbm_gai_fault_code(enum gai_fault fault);

/* What errno the asynchronous call sets for it; 0 for none. */
int vbm_gai_fault_errno(enum gai_fault fault);

static inline bool gai_passive(const struct gai_query *q)
{
	return q->flags & RAI_PASSIVE;
}

/* The @i-th path of the hints, whichever of its two layouts they use. */
void vbm_route_hint(const struct gai_query *q, size_t i, struct ibv_path_record *path);

/*
 * Its ends, read off the GIDs: IPv4 from the IPv4-mapped ones, IPv6 from the
 * others, AF_IB when the hints ask for that. A GID of zeroes is no address.
 * The port comes from a service id of the IP connection manager.
 */
void vbm_route_hint_addresses(const struct gai_query *q, size_t i,
			      union addr *src, union addr *dst);

#endif
