/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/qp/check.c lib/qp/diagnose.c */
/* The reports of vbm_qp_diagnose() with the device's answers. */
#include "cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "lib/qp/check.h"

#define RTR_MASK 0x129181
#define RTS_MASK 0x12e01
#define IPV4 {.raw = {[10] = 0xff, [11] = 0xff, 192, 0, 2, 1}}
#define LINK_LOCAL {.raw = {0xfe, 0x80, [15] = 1}}

static const struct vbm_qp_limits rxe = {
	.device = {.phys_port_cnt = 1, .max_qp_rd_atom = 128, .max_qp_init_rd_atom = 64},
	.port_known = true,
	.port = {.max_mtu = IBV_MTU_4096, .active_mtu = IBV_MTU_1024, .gid_tbl_len = 128,
		 .pkey_tbl_len = 1, .link_layer = IBV_LINK_LAYER_ETHERNET},
	.own_known = true,
	.own = IPV4,
};

static struct ibv_qp_attr good(enum ibv_qp_state to)
{
	return (struct ibv_qp_attr){
		.qp_state = to, .path_mtu = IBV_MTU_1024, .port_num = 1,
		.max_rd_atomic = 64, .max_dest_rd_atomic = 128,
		.ah_attr = {.port_num = 1, .is_global = 1,
			    .grh = {.dgid = IPV4, .sgid_index = 1, .hop_limit = 64}},
	};
}

static const char *said(const struct ibv_qp_attr *a, int mask, enum ibv_qp_state from,
			const struct vbm_qp_limits *l, int ret)
{
	static struct vbm_qp_report r;

	assert_int_equal(vbm_qp_check_call(IBV_QPT_RC, from, a, mask, l, &r), ret);
	return r.text[0] ? strstr(r.text, ": ") + 2 : "";
}

TEST(test_qp_limits__of_numbers)
{
	struct ibv_qp_attr a = good(IBV_QPS_RTR);

	assert_string_equal(said(&a, RTR_MASK, IBV_QPS_INIT, &rxe, 0), "");
	a.max_dest_rd_atomic = 129;
	assert_string_equal(said(&a, RTR_MASK, IBV_QPS_INIT, &rxe, EINVAL),
			    "max_dest_rd_atomic is 129, and the device has 128");
	a = good(IBV_QPS_RTS);
	a.max_rd_atomic = 65;
	assert_string_equal(said(&a, RTS_MASK, IBV_QPS_RTR, &rxe, EINVAL),
			    "max_rd_atomic is 65, and the device has 64");
	a = good(IBV_QPS_INIT);
	a.port_num = 2;
	a.pkey_index = 1;
	assert_string_equal(said(&a, 0x39, IBV_QPS_RESET, &rxe, EINVAL),
			    "port_num is 2, and the device has 1; pkey_index is 1, and the P_Key "
			    "table has 1");
}

TEST(test_qp_limits__of_the_mtu)
{
	struct vbm_qp_limits small = rxe;
	struct ibv_qp_attr a = good(IBV_QPS_RTR);

	a.path_mtu = IBV_MTU_4096;
	assert_string_equal(said(&a, RTR_MASK, IBV_QPS_INIT, &rxe, 0),
			    "path_mtu is 4096 bytes, and the port has 1024 now");
	small.port.max_mtu = IBV_MTU_2048;
	assert_string_equal(said(&a, RTR_MASK, IBV_QPS_INIT, &small, EINVAL),
			    "path_mtu is 4096 bytes, and the port has at most 2048");
	a.path_mtu = (enum ibv_mtu)1024;
	assert_string_equal(said(&a, RTR_MASK, IBV_QPS_INIT, &rxe, EINVAL),
			    "path_mtu is 1024, and must be a code: IBV_MTU_1024, which is 3");
}

TEST(test_qp_limits__of_the_address)
{
	struct vbm_qp_limits other = rxe;
	struct ibv_qp_attr a = good(IBV_QPS_RTR);

	a.ah_attr.grh.sgid_index = 128;
	assert_string_equal(said(&a, RTR_MASK, IBV_QPS_INIT, &rxe, EINVAL),
			    "ah_attr.grh.sgid_index is 128, and the GID table has 128");
	a.ah_attr.grh.sgid_index = 0;
	other.own = (union ibv_gid)LINK_LOCAL;
	assert_string_equal(said(&a, RTR_MASK, IBV_QPS_INIT, &other, EINVAL),
			    "ah_attr.grh.dgid is an IPv4 address, and the device's GID at sgid_index 0 "
			    "is not: see vbm_find_gid(3)");
	a.ah_attr.grh.dgid = (union ibv_gid)LINK_LOCAL;
	assert_string_equal(said(&a, RTR_MASK, IBV_QPS_INIT, &other, 0), "");
	assert_string_equal(said(&a, RTR_MASK, IBV_QPS_INIT, &rxe, EINVAL),
			    "ah_attr.grh.dgid is an IPv6 address, and the device's GID at sgid_index 0 "
			    "is not: see vbm_find_gid(3)");
	memset(&other.own, 0, sizeof(other.own));
	assert_string_equal(said(&a, RTR_MASK, IBV_QPS_INIT, &other, EINVAL),
			    "ah_attr.grh.sgid_index is 0, and that entry of the GID table is empty: see "
			    "vbm_find_gid(3)");
}

/* The check guesses this without the device, and knows it with the device. */
TEST(test_qp_limits__without_a_grh)
{
	struct vbm_qp_limits infiniband = rxe;
	struct ibv_qp_attr a = good(IBV_QPS_RTR);

	a.ah_attr = (struct ibv_ah_attr){.port_num = 1, .dlid = 1};
	assert_string_equal(said(&a, RTR_MASK, IBV_QPS_INIT, &rxe, EINVAL),
			    "ah_attr.is_global is 0, and a RoCE port needs a GRH "
			    "(is_global 1, grh.dgid, grh.sgid_index)");
	infiniband.port.link_layer = IBV_LINK_LAYER_INFINIBAND;
	assert_string_equal(said(&a, RTR_MASK, IBV_QPS_INIT, &infiniband, 0), "");
	a.ah_attr.dlid = 0;
	assert_string_equal(said(&a, RTR_MASK, IBV_QPS_INIT, &rxe, EINVAL),
			    "ah_attr.is_global is 0: RoCE needs a GRH (is_global 1, grh.dgid, "
			    "grh.sgid_index), InfiniBand at least a dlid");
	a.ah_attr.port_num = 7;
	infiniband.port_known = false;
	assert_string_equal(said(&a, RTR_MASK, IBV_QPS_INIT, &infiniband, EINVAL),
			    "ah_attr.is_global is 0: RoCE needs a GRH (is_global 1, grh.dgid, "
			    "grh.sgid_index), InfiniBand at least a dlid; ah_attr.port_num is 7, and "
			    "the device has 1");
}

TEST(test_qp_limits__without_a_queue_pair)
{
	struct ibv_qp_attr a = good(IBV_QPS_RTR);

	assert_int_equal(vbm_qp_diagnose(NULL, IBV_QPS_INIT, &a, RTR_MASK, NULL), EINVAL);
}
