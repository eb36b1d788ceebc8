/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_QP_DOMAIN_H
#define VBM_LIB_QP_DOMAIN_H

#include <verbatim/domain.h>

/* For queue pairs: the domain has one user more, or one less. */
void vbm_domain_join(struct vbm_domain *domain);
void vbm_domain_leave(struct vbm_domain *domain);

/* The limits of its device, which the domain has asked for once. */
const struct ibv_device_attr *vbm_domain_limits(const struct vbm_domain *domain);

struct qp_wish;

/* The place of @address (NULL: of the domain's own) and @wish on the domain's device. 0 or an errno value. */
int vbm_domain_find(const struct vbm_domain *domain, const struct sockaddr *address,
		    const struct qp_wish *wish, struct vbm_gid_place *place, struct vbm_error *error);

#endif
