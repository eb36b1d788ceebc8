/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/qp/limits.h"

#include <string.h>

#include "lib/qp/values.h"

/* Check the numbers that the device limits. */
static void check_numbers(struct vbm_qp_report *r, const struct vbm_qp_limits *l,
			  const struct ibv_qp_attr *a, int mask)
{
	const struct {
		int bit;
		const char *member;
		int value, max;
	} number[] = {
		{IBV_QP_PORT, "port_num", a->port_num, l->device.phys_port_cnt},
		{IBV_QP_AV, "ah_attr.port_num", a->ah_attr.port_num, l->device.phys_port_cnt},
		{IBV_QP_MAX_QP_RD_ATOMIC, "max_rd_atomic", a->max_rd_atomic,
		 l->device.max_qp_init_rd_atom},
		{IBV_QP_MAX_DEST_RD_ATOMIC, "max_dest_rd_atomic", a->max_dest_rd_atomic,
		 l->device.max_qp_rd_atom},
	};
	size_t i;

	for (i = 0; i < sizeof(number) / sizeof(number[0]); i++) {
		if (!(mask & number[i].bit) || number[i].value <= number[i].max)
			continue;
		r->out_of_range |= number[i].bit;
		vbm_qp_item(r, "%s is %d, and the device has %d", number[i].member,
			    number[i].value, number[i].max);
	}
}

static void check_port(struct vbm_qp_report *r, const struct ibv_port_attr *port,
		       const struct ibv_qp_attr *a, int mask)
{
	int bytes;

	if (mask & IBV_QP_PKEY_INDEX && a->pkey_index >= port->pkey_tbl_len) {
		r->out_of_range |= IBV_QP_PKEY_INDEX;
		vbm_qp_item(r, "pkey_index is %u, and the P_Key table has %u", a->pkey_index,
			    port->pkey_tbl_len);
	}
	if (!(mask & IBV_QP_PATH_MTU) || r->out_of_range & IBV_QP_PATH_MTU)
		return;
	bytes = 128 << (int)a->path_mtu;
	if (a->path_mtu > port->max_mtu) {
		r->out_of_range |= IBV_QP_PATH_MTU;
		vbm_qp_item(r, "path_mtu is %d bytes, and the port has at most %d", bytes,
			    128 << (int)port->max_mtu);
	} else if (a->path_mtu > port->active_mtu) {
		r->doubtful |= IBV_QP_PATH_MTU;
		vbm_qp_item(r, "path_mtu is %d bytes, and the port has %d now", bytes,
			    128 << (int)port->active_mtu);
	}
}

static bool is_zero(const union ibv_gid *gid)
{
	static const union ibv_gid zero;

	return memcmp(gid, &zero, sizeof(zero)) == 0;
}

static bool is_ipv4(const union ibv_gid *gid)
{
	static const uint8_t prefix[12] = {[10] = 0xff, [11] = 0xff};

	return memcmp(gid->raw, prefix, sizeof(prefix)) == 0;
}

static void check_address(struct vbm_qp_report *r, const struct vbm_qp_limits *l,
			  const struct ibv_ah_attr *ah)
{
	const struct ibv_global_route *grh = &ah->grh;
	int begun = r->out_of_range & IBV_QP_AV;

	if (!ah->is_global && !begun && l->port_known &&
	    l->port.link_layer == IBV_LINK_LAYER_ETHERNET) {
		r->out_of_range |= IBV_QP_AV;
		vbm_qp_item(r, "ah_attr.is_global is 0, and a RoCE port needs a GRH "
			    "(is_global 1, grh.dgid, grh.sgid_index)");
	}
	if (!ah->is_global || !l->port_known)
		return;
	if (grh->sgid_index >= l->port.gid_tbl_len) {
		r->out_of_range |= IBV_QP_AV;
		vbm_qp_item(r, "ah_attr.grh.sgid_index is %u, and the GID table has %d",
			    grh->sgid_index, l->port.gid_tbl_len);
	} else if (l->own_known && is_zero(&l->own)) {
		r->out_of_range |= IBV_QP_AV;
		vbm_qp_item(r, "ah_attr.grh.sgid_index is %u, and that entry of the GID table is empty: see "
			    "vbm_find_gid(3)", grh->sgid_index);
	} else if (l->own_known && !is_zero(&grh->dgid) && is_ipv4(&l->own) != is_ipv4(&grh->dgid)) {
		r->out_of_range |= IBV_QP_AV;
		vbm_qp_item(r, "ah_attr.grh.dgid is an %s address, and the device's GID at sgid_index "
			    "%u is not: see vbm_find_gid(3)",
			    is_ipv4(&grh->dgid) ? "IPv4" : "IPv6", grh->sgid_index);
	}
}

void vbm_qp_check_limits(struct vbm_qp_report *r, const struct vbm_qp_limits *limits,
			 const struct ibv_qp_attr *a, int mask)
{
	check_numbers(r, limits, a, mask);
	if (limits->port_known)
		check_port(r, &limits->port, a, mask);
	if (mask & IBV_QP_AV)
		check_address(r, limits, &a->ah_attr);
}
