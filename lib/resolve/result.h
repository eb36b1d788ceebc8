/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_RESOLVE_RESULT_H
#define VBM_LIB_RESOLVE_RESULT_H

#include "lib/base/addr.h"
#include "lib/resolve/hints.h"

/*
 * Entries of a result, laid out as librdmacm does it: the entry and each part of it are
 * blocks of malloc(3). So rdma_freeaddrinfo(3) releases lists of this library, and
 * vbm_result_free() releases lists of librdmacm. A length is 0 exactly when its pointer is
 * NULL.
 *
 * Returns NULL when out of memory. Addresses that are not set, or NULL, are left out.
 * @canon, if not NULL, names the destination, or the source if there is no destination.
 */
struct rdma_addrinfo *vbm_result_new(const struct gai_query *q, const union addr *src,
				     const union addr *dst, const char *canon);

/* Add a source to @entry, which must not have one. 0 or -ENOMEM. */
int vbm_result_set_src(struct rdma_addrinfo *entry, const union addr *a);

void vbm_result_free(struct rdma_addrinfo *list);

#endif
