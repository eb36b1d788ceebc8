/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_RESOLVE_ORDER_H
#define VBM_LIB_RESOLVE_ORDER_H

#include <stdbool.h>

#include "lib/base/addr.h"

struct gai_config;

/*
 * The local address from which the kernel would send to @dst, with port 0. The function
 * connects a UDP socket, which asks the routing table and sends nothing. With @cfg (else
 * NULL) only an address of a local RDMA device counts. 1, 0 when there is none, or a
 * negative errno when memory or descriptors ran out.
 */
int vbm_source_discover(const struct gai_config *cfg, const union addr *dst,
			 union addr *src);

/* One destination and its properties that the order depends on. */
struct order_item {
	union addr dst;
	union addr src;		/* not set: the destination cannot be reached */
	int prefix;		/* bits of the source's network */
	bool deprecated, home;	/* properties of the source */
	size_t given;		/* its index before sorting */
};

/*
 * Negative when RFC 6724 puts @a before @b, 0 when they are equal. Rule 7 is left out,
 * because it is about interfaces and not addresses. Rule 9 applies to IPv4 only within one
 * network, as in the C library. Pure.
 */
int vbm_order_compare(const struct order_item *a, const struct order_item *b);

/* Sort @list. Asks the routing table. 0 or a negative errno. */
int vbm_order_addresses(struct addr_list *list);

#endif
