/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_ORDER_H
#define VBM_LIB_ORDER_H

#include <stdbool.h>

#include "lib/base/addr.h"

struct gai_config;

/*
 * The local address the kernel would send to @dst from, port 0. Asks the
 * routing table through a UDP socket that sends nothing. 1, 0 when there is no
 * route, or a negative errno when memory or descriptors ran out.
 */
int vbm_source_by_route(const union addr *dst, union addr *src);

/* The same, and it is the address of a local RDMA device. */
int vbm_source_discover(const struct gai_config *cfg, const union addr *dst,
			 union addr *src);

/* One destination and what it is judged by. */
struct order_item {
	union addr dst;
	union addr src;		/* not set: cannot be reached */
	int prefix;		/* bits of the source's network */
	bool deprecated, home;	/* the source is */
	size_t given;		/* its place before */
};

/*
 * Negative when @a goes before @b by the rules of RFC 6724 but 7, which is about
 * interfaces and not addresses (9 for IPv4 within one network only, as in the C
 * library), 0 when they are equal. Pure.
 */
int vbm_order_compare(const struct order_item *a, const struct order_item *b);

/* Sort @list, asking the routing table. 0 or a negative errno. */
int vbm_order_addresses(struct addr_list *list);

#endif
