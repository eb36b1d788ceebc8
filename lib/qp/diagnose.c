/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "lib/qp/check.h"

/* The port in the attributes, or port 1. */
static uint8_t port_of(const struct ibv_qp_attr *a, int mask)
{
	uint8_t port = 0;

	if (mask & IBV_QP_AV)
		port = a->ah_attr.port_num;
	else if (mask & IBV_QP_PORT)
		port = a->port_num;
	return port ? port : 1;
}

int vbm_qp_diagnose(struct ibv_qp *qp, enum ibv_qp_state from, const struct ibv_qp_attr *attr,
		    int attr_mask, struct vbm_qp_report *report)
{
	struct vbm_qp_limits l;
	uint8_t port;

	if (!qp || !attr)
		return EINVAL;
	memset(&l, 0, sizeof(l));
	if (ibv_query_device(qp->context, &l.device))
		return vbm_qp_check(qp->qp_type, from, attr, attr_mask, report);
	port = port_of(attr, attr_mask);
	l.port_known = port <= l.device.phys_port_cnt && !ibv_query_port(qp->context, port, &l.port);
	if (l.port_known && attr_mask & IBV_QP_AV && attr->ah_attr.grh.sgid_index < l.port.gid_tbl_len)
		l.own_known = !ibv_query_gid(qp->context, port, attr->ah_attr.grh.sgid_index, &l.own);
	return vbm_qp_check_call(qp->qp_type, from, attr, attr_mask, &l, report);
}
