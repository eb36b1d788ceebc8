/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_ROUTE_HINTS_H
#define VBM_LIB_ROUTE_HINTS_H

#include <infiniband/sa.h>

#include "addr.h"
#include "hints.h"

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
