/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_SOURCE_H
#define VBM_LIB_SOURCE_H

#include <stdbool.h>

#include "addr.h"

struct gai_config;

/*
 * The local address the kernel would send to @dst from, port 0. Asks the
 * routing table through a UDP socket that sends nothing. False: no route.
 */
bool vbm_source_by_route(const union addr *dst, union addr *src);

/* The same, and it is the address of a local RDMA device. */
bool vbm_source_discover(const struct gai_config *cfg, const union addr *dst,
			 union addr *src);

#endif
