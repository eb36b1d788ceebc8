/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_QP_CHECK_H
#define VBM_LIB_QP_CHECK_H

#include <stdbool.h>

#include <verbatim/qp.h>

/* The limits of a device that a call of ibv_modify_qp(3) has to keep. */
struct vbm_qp_limits {
	struct ibv_device_attr device;
	bool port_known;
	struct ibv_port_attr port;	/* the port that the call is about */
	bool own_known;
	union ibv_gid own;		/* the GID at the address vector's sgid_index; zero: empty */
};

/* vbm_qp_check(), and also a check against @limits (NULL: the device was not asked). Pure. */
int vbm_qp_check_call(enum ibv_qp_type qp_type, enum ibv_qp_state from,
		      const struct ibv_qp_attr *attr, int attr_mask,
		      const struct vbm_qp_limits *limits, struct vbm_qp_report *report);

#endif
