/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/qp/state.c lib/qp/find-gid.c */
/*
 * The attributes that go to ibv_modify_qp(3), member by member, for RoCE v2 and for
 * InfiniBand, which no machine of this project has; and which entry of a GID table is taken.
 */
#include "cmocka_all.h"

#include <arpa/inet.h>
#include <string.h>

#include "lib/qp/qp.h"

#define RTR_MASK (IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | \
		  IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define INIT_MASK (IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)

static struct vbm_qp q;
static struct ibv_qp_attr attr;

static int start(void **state)
{
	(void)state;
	memset(&q, 0, sizeof(q));
	vbm_qp_options_init(&q.options);
	q.options.service_level = 5;
	q.options.pkey_index = 3;
	q.options.flow_label = 0x12345;
	q.options.traffic_class = 0x68;
	q.options.hop_limit = 17;
	q.place.port_num = 2;
	q.place.gid_index = 9;
	q.local.gid.raw[0] = q.peer.gid.raw[0] = 0xfe;
	q.local.gid.raw[15] = 1;
	q.peer.gid.raw[15] = 2;
	q.peer.qp_num = 0x123456;
	q.peer.lid = 77;
	q.terms = (struct vbm_qp_terms){.mtu = 2048, .sq_psn = 11, .rq_psn = 12, .max_rd_atomic = 3, .max_dest_rd_atomic = 4};
	return 0;
}

UNIT(.each = {start});

TEST(test_fill__init)
{
	assert_int_equal(vbm_qp_fill_attr(&q, IBV_QPS_RESET, IBV_QPS_INIT, &attr), INIT_MASK);
	assert_int_equal(attr.qp_state, IBV_QPS_INIT);
	assert_int_equal(attr.pkey_index, 3);
	assert_int_equal(attr.port_num, 2);
	assert_int_equal(attr.qp_access_flags, q.options.access);
	assert_int_equal(vbm_qp_fill_attr(&q, IBV_QPS_RESET, IBV_QPS_RTS, &attr), 0);
}

static void assert_global(void)
{
	assert_int_equal(attr.ah_attr.is_global, 1);
	assert_memory_equal(&attr.ah_attr.grh.dgid, &q.peer.gid, 16);
	assert_int_equal(attr.ah_attr.grh.sgid_index, 9);
	assert_int_equal(attr.ah_attr.grh.flow_label, 0x12345);
	assert_int_equal(attr.ah_attr.grh.traffic_class, 0x68);
	assert_int_equal(attr.ah_attr.grh.hop_limit, 17);
}

static void assert_local(void)
{
	static const struct ibv_global_route none;

	assert_int_equal(attr.ah_attr.is_global, 0);
	assert_memory_equal(&attr.ah_attr.grh, &none, sizeof(none));
}

static void to_rtr(void)
{
	assert_int_equal(vbm_qp_fill_attr(&q, IBV_QPS_INIT, IBV_QPS_RTR, &attr), RTR_MASK);
	assert_int_equal(attr.ah_attr.dlid, q.peer.lid);
	assert_int_equal(attr.ah_attr.sl, 5);
	assert_int_equal(attr.ah_attr.port_num, 2);
	assert_int_equal(attr.ah_attr.src_path_bits, 0);
	assert_int_equal(attr.ah_attr.static_rate, 0);
	assert_int_equal(attr.dest_qp_num, 0x123456);
	assert_int_equal(attr.path_mtu, IBV_MTU_2048);
	assert_int_equal(attr.rq_psn, 12);
	assert_int_equal(attr.max_dest_rd_atomic, 4);
	assert_int_equal(attr.min_rnr_timer, 12);
}

TEST(test_fill__roce)
{
	q.needs_grh = 1;
	q.peer.lid = 0;
	to_rtr();
	assert_global();
}

/* Within the subnet a LID is enough. Another subnet, or a port that wants it, needs the GIDs. */
TEST(test_fill__infiniband)
{
	to_rtr();
	assert_local();
	memset(&q.peer.gid, 0, sizeof(q.peer.gid));
	to_rtr();
	assert_local();
	start(NULL);
	q.peer.gid.raw[7] = 1;
	to_rtr();
	assert_global();
	start(NULL);
	q.needs_grh = 1;
	to_rtr();
	assert_global();
}

static const struct sockaddr_in in = {.sin_family = AF_INET};
static const struct sockaddr *address = (const void *)&in;

static struct ibv_gid_entry entry_of(uint32_t type, uint32_t port, uint32_t index)
{
	struct ibv_gid_entry e = {.gid_type = type, .port_num = port, .gid_index = index};

	e.gid.raw[10] = e.gid.raw[11] = 0xff;	/* 0.0.0.0, which @in has */
	return e;
}

TEST(test_gid_fits)
{
	const struct qp_wish none = {.gid_index = -1}, named = {.device = "mlx5_0", .gid_index = -1},
		port2 = {.port_num = 2, .gid_index = -1}, third = {.gid_index = 3},
		all = {.device = "mlx5_0", .port_num = 2, .gid_index = 3};
	struct ibv_gid_entry v2 = entry_of(IBV_GID_TYPE_ROCE_V2, 1, 1), v1 = entry_of(IBV_GID_TYPE_ROCE_V1, 2, 3),
		ib = entry_of(IBV_GID_TYPE_IB, 2, 3), far = entry_of(IBV_GID_TYPE_ROCE_V2, 1, 256);

	assert_true(vbm_gid_fits(&v2, &none, address));
	assert_true(vbm_gid_fits(&v2, &named, NULL));
	assert_false(vbm_gid_fits(&v2, &port2, address));
	assert_false(vbm_gid_fits(&v2, &third, address));
	assert_false(vbm_gid_fits(&far, &none, address));
	/* RoCE v1 only by its index, InfiniBand only by its device, there without an address. */
	assert_false(vbm_gid_fits(&v1, &none, address));
	assert_true(vbm_gid_fits(&v1, &third, address));
	assert_false(vbm_gid_fits(&ib, &none, NULL));
	assert_false(vbm_gid_fits(&ib, &third, NULL));
	assert_true(vbm_gid_fits(&ib, &named, address));
	assert_true(vbm_gid_fits(&ib, &all, address));
	v1.gid.raw[15] = 1;
	ib.gid.raw[15] = 1;
	assert_false(vbm_gid_fits(&v1, &all, address));
	assert_true(vbm_gid_fits(&v1, &all, NULL));
	assert_true(vbm_gid_fits(&ib, &all, address));
}
