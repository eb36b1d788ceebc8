/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_RDMA_CORE_H
#define VBM_BASE_RDMA_CORE_H

#include <stddef.h>

/*
 * The version of the rdma-core that this process runs with, "44.0". No call of
 * the library tells it, so it is taken from the name of the library's file
 * (libibverbs.so.1.14.44.0). "unknown" when that name has another form.
 */
const char *rdma_core_version(void);

/* Pure: the version in a file name; false when it holds none. */
int rdma_core_parse(const char *file, char *version, size_t size);

#endif
