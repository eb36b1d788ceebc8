/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_NAMES_RDMA_CORE_H
#define VBM_NAMES_RDMA_CORE_H

#include <stddef.h>

/*
 * The version of rdma-core in this process, "44.0". No call of the library returns it, so
 * it is taken from the library's file name (libibverbs.so.1.14.44.0). "unknown" when that
 * name has another form.
 */
const char *rdma_core_version(void);

/* The real path of the librdmacm in this process, or "unknown". */
const char *rdma_core_file(void);

/* The environment variable with the folder in which this librdmacm looks for the path service. */
#define RDMA_CORE_ENV_SERVICES "VERBATIM_SERVICES"

/* Pure: the version in a file name; -EINVAL: it has none. */
int rdma_core_parse(const char *file, char *version, size_t size);

/*
 * Pure: the version in a text of rdma-core's build, its CMakeLists.txt or the config.h
 * made from it; -EINVAL: it has none.
 */
int rdma_core_parse_build(const char *text, char *version, size_t size);

/*
 * Pure: the file-name suffix of the provider libraries that a libibverbs loads,
 * "-rdmav34.so", found in the library's bytes; -ENOENT: it has none.
 */
int rdma_core_provider_suffix(const char *library, size_t len, char *suffix, size_t size);

/*
 * Pure: the folder in which a librdmacm looks for the path service, "/run", found in the
 * library's bytes, or NULL. The caller frees it.
 */
char *rdma_core_service_folder(const char *library, size_t len);

#endif
