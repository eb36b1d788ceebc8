/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_RESULT_H
#define VBM_LIB_RESULT_H

#include "lib/base/addr.h"
#include "lib/resolve/hints.h"

/*
 * Entries of a result, in the shape of librdmacm's own: the entry and each part
 * of it are blocks of malloc(3), so that rdma_freeaddrinfo(3) releases our lists
 * and vbm_result_free() releases those of librdmacm. A length is 0 exactly when
 * its pointer is NULL.
 *
 * Returns NULL when out of memory. Addresses that are not set, or NULL, stay
 * absent; @canon, if not NULL, names the destination, or the source where there
 * is no destination.
 */
struct rdma_addrinfo *vbm_result_new(const struct gai_query *q, const union addr *src,
				     const union addr *dst, const char *canon);

/* Give @entry, which has none, a source. 0 or -ENOMEM. */
int vbm_result_set_src(struct rdma_addrinfo *entry, const union addr *a);

void vbm_result_free(struct rdma_addrinfo *list);

#endif
