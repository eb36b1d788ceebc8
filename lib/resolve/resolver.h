/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_RESOLVE_RESOLVER_H
#define VBM_LIB_RESOLVE_RESOLVER_H

#include <verbatim/resolve.h>

struct gai_config;

/* vbm_create_resolver() with the files and services of @cfg, which must outlive the resolver. */
int vbm_resolver_new(const struct gai_config *cfg, struct vbm_resolver **resolver);

#endif
