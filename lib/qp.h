/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_QP_H
#define VBM_LIB_QP_H

#include <verbatim/qp.h>

/* vbm_find_gid(), but that NULL is any address of this host. */
int vbm_gid_search(const struct sockaddr *address, struct vbm_gid_place *place,
		   struct vbm_error *error);

/* What the options say about what both ends have to agree on. */
void vbm_qp_own_terms(const struct vbm_qp *qp, struct vbm_qp_terms *terms);

/* vbm_modify_qp_to_rts() with the terms of a handshake. */
int vbm_qp_agreed_to_rts(struct vbm_qp *qp, const struct vbm_qp_terms *terms);

#endif
