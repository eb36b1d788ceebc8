/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_QP_OPTIONS_H
#define VBM_LIB_QP_OPTIONS_H

#include <verbatim/qp.h>

/* Copy the members of @from over the defaults in @to. 0, or EINVAL with a message. */
int vbm_qp_options_take(struct vbm_qp_options *to, const struct vbm_qp_options *from,
			struct vbm_error *error);

/* Check what can be wrong on every device. Pure; 0, or -EINVAL with the member and its limit. */
int vbm_qp_options_check(const struct vbm_qp_options *o, struct vbm_error *error);

/*
 * Check against the limits of the device with this name, and take for more reads and atomics
 * than it can have as many as it can. Pure; 0, or -EINVAL with the member and the limit.
 */
int vbm_qp_options_fit(struct vbm_qp_options *o, const struct ibv_device_attr *limits, const char *device,
		       struct vbm_error *error);

/* Check against the tables of the port. Pure; likewise. */
int vbm_qp_options_fit_port(const struct vbm_qp_options *o, const struct ibv_port_attr *port, const char *device,
			    struct vbm_error *error);

/* What rdma_cm chooses by itself has to have its default. Pure; 0, or -EOPNOTSUPP with the member. */
int vbm_qp_options_for_rdma_cm(const struct vbm_qp_options *o, struct vbm_error *error);

#endif
