/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_QP_H
#define VBM_LIB_QP_H

#include <verbatim/qp.h>

/* vbm_find_gid(), but that NULL is any address of this host. */
int vbm_gid_search(const struct sockaddr *address, struct vbm_gid_place *place,
		   struct vbm_error *error);

#endif
