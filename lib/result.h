/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_RESULT_H
#define VBM_LIB_RESULT_H

#include "addr.h"
#include "hints.h"

/*
 * Entries of a result. One is a single block of malloc's, with its addresses
 * and name in it; what is put in later is a block of its own, which the entry
 * frees, whoever put it there. vbm_result_free() takes the system library's lists
 * too. A length is 0 exactly when its pointer is NULL.
 *
 * Returns NULL when out of memory. Addresses that are not set, or NULL, stay
 * absent; @canon of @len bytes, if not NULL, names the destination, or the
 * source where there is no destination.
 */
struct rdma_addrinfo *vbm_result_new(const struct gai_query *q, const union addr *src,
				     const union addr *dst, const char *canon, size_t len);

/* Give @entry, which has none, a source. 0 or -ENOMEM. */
int vbm_result_set_src(struct rdma_addrinfo *entry, const union addr *a);

void vbm_result_free(struct rdma_addrinfo *list);

#endif
