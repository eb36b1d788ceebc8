/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_RESOLVE_GETADDRINFO_H
#define VBM_LIB_RESOLVE_GETADDRINFO_H

#include <verbatim/addrinfo.h>

struct gai_config;

/* vbm_getaddrinfo() with the files and services of @cfg. */
int vbm_gai_translate(const struct gai_config *cfg, const char *node,
		      const char *service, const struct rdma_addrinfo *hints,
		      struct rdma_addrinfo **res);

#endif
