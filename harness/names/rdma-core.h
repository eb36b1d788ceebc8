/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_NAMES_RDMA_CORE_H
#define VBM_NAMES_RDMA_CORE_H

#include <stddef.h>

/*
 * The version of the rdma-core that this process runs with, "44.0". No call of
 * the library tells it, so it is taken from the name of the library's file
 * (libibverbs.so.1.14.44.0). "unknown" when that name has another form.
 */
const char *rdma_core_version(void);

/* The librdmacm that this process runs with: its real path, or "unknown". */
const char *rdma_core_file(void);

/* The variable that tells agents where this librdmacm looks for the path service. */
#define RDMA_CORE_ENV_SERVICES "VERBATIM_SERVICES"

/* Pure: the version in a file name; -EINVAL when it holds none. */
int rdma_core_parse(const char *file, char *version, size_t size);

/*
 * Pure: the version in a text that rdma-core's build has it in, its CMakeLists.txt
 * or the config.h made of that; -EINVAL when it holds none.
 */
int rdma_core_parse_build(const char *text, char *version, size_t size);

/*
 * Pure: how the names of the providers end that a libibverbs loads,
 * "-rdmav34.so", out of the library's own bytes; -ENOENT when it has none.
 */
int rdma_core_provider_suffix(const char *library, size_t len, char *suffix, size_t size);

/*
 * Pure: the folder where a librdmacm looks for the path service, "/run", out of
 * its own bytes, or NULL. The caller frees it.
 */
char *rdma_core_service_folder(const char *library, size_t len);

#endif
