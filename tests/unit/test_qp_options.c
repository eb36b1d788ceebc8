/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/qp/options.c */
/* The checks of the options of a queue pair, by themselves and against the limits of a device. */
#include "cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "lib/qp/qp.h"

static const struct ibv_device_attr device = {
	.max_qp_wr = 1000, .max_sge = 8, .max_cqe = 1500, .max_qp_rd_atom = 16, .max_qp_init_rd_atom = 12,
};

static struct vbm_qp_options o;
static struct vbm_error error;

static int start(void **state)
{
	(void)state;
	vbm_qp_options_init(&o);
	memset(&error, 0, sizeof(error));
	return 0;
}

UNIT(.each = {start});

#define REFUSED(set, check, text)                                             \
	do {                                                                  \
		set;                                                          \
		assert_int_equal(check, -EINVAL);                             \
		assert_int_equal(error.code, EINVAL);                         \
		assert_string_equal(error.msg, text);                         \
		start(NULL);                                                  \
	} while (0)

/* A program learns the member and the limit, and the limit itself is allowed. */
TEST(test_options__beyond_the_device)
{
#define FIT vbm_qp_options_fit(&o, &device, "rxe0", &error)
	REFUSED(o.max_send_wr = 1001, FIT, "max_send_wr: 1001 is more than the device rxe0 allows, 1000");
	REFUSED(o.max_recv_wr = 100000, FIT, "max_recv_wr: 100000 is more than the device rxe0 allows, 1000");
	REFUSED(o.max_send_sge = 9, FIT, "max_send_sge: 9 is more than the device rxe0 allows, 8");
	REFUSED(o.max_recv_sge = 9, FIT, "max_recv_sge: 9 is more than the device rxe0 allows, 8");
	o.max_send_wr = 1000;
	REFUSED(o.max_recv_wr = 501, FIT, "max_send_wr and max_recv_wr together, in one completion queue: "
		"1501 is more than the device rxe0 allows, 1500");
	o.max_send_wr = 1000;
	o.max_recv_wr = 500;
	o.max_send_sge = o.max_recv_sge = 8;
	assert_int_equal(FIT, 0);
}

/* The queue pair does not check objects that it does not make. */
TEST(test_options__of_the_program)
{
	struct ibv_srq srq;
	struct ibv_cq cq;

	o.max_recv_wr = 100000;
	o.max_recv_sge = 100;
	o.srq = &srq;
	assert_int_equal(FIT, 0);
	o.srq = NULL;
	o.max_recv_sge = 1;
	o.max_send_wr = o.max_recv_wr = 1000;
	o.cq = &cq;
	assert_int_equal(FIT, 0);
	o.cq = NULL;
	o.completions = (struct vbm_completions *)&cq;
	assert_int_equal(FIT, 0);
}

TEST(test_options__reads_and_atomics)
{
	assert_int_equal(o.max_rd_atomic, 255);
	assert_int_equal(FIT, 0);
	assert_int_equal(o.max_rd_atomic, 12);
	assert_int_equal(o.max_dest_rd_atomic, 16);
	o.max_rd_atomic = 3;
	o.max_dest_rd_atomic = 0;
	assert_int_equal(FIT, 0);
	assert_int_equal(o.max_rd_atomic, 3);
	assert_int_equal(o.max_dest_rd_atomic, 0);
}

TEST(test_options__on_every_device)
{
#define CHECK vbm_qp_options_check(&o, &error)
	assert_int_equal(CHECK, 0);
	REFUSED(o.psn = 0x1000000, CHECK, "psn: 16777216 is more than InfiniBand allows, 16777215");
	REFUSED(o.timeout = 32, CHECK, "timeout: 32 is more than InfiniBand allows, 31");
	REFUSED(o.retry_cnt = 8, CHECK, "retry_cnt: 8 is more than InfiniBand allows, 7");
	REFUSED(o.rnr_retry = 8, CHECK, "rnr_retry: 8 is more than InfiniBand allows, 7");
	REFUSED(o.service_level = 16, CHECK, "service_level: 16 is more than InfiniBand allows, 15");
	REFUSED(o.flow_label = 0x100000, CHECK, "flow_label: 1048576 is more than InfiniBand allows, 1048575");
	REFUSED(o.min_rnr_timer = 32, CHECK, "min_rnr_timer: 32 is more than InfiniBand allows, 31");
	REFUSED(o.mtu = 1500, CHECK, "mtu: the path MTU 1500 is not 256, 512, 1024, 2048 or 4096");
	REFUSED(o.qp_type = IBV_QPT_RAW_PACKET, CHECK, "qp_type: queue pairs of type 8 are not supported");
	o.psn = 0xffffff;
	o.timeout = o.min_rnr_timer = 31;
	o.retry_cnt = o.rnr_retry = 7;
	o.mtu = 4096;
	assert_int_equal(CHECK, 0);
}

TEST(test_options__of_the_port)
{
	struct ibv_port_attr port = {.pkey_tbl_len = 4};

	REFUSED(o.pkey_index = 4, vbm_qp_options_fit_port(&o, &port, "mlx5_0", &error),
		"pkey_index: 4 is more than the port of the device mlx5_0 allows, 3");
	o.pkey_index = 3;
	assert_int_equal(vbm_qp_options_fit_port(&o, &port, "mlx5_0", &error), 0);
}

/* The program cannot ask for a value that the kernel chooses. */
TEST(test_options__of_rdma_cm)
{
#define CM vbm_qp_options_for_rdma_cm(&o, &error)
#define IS_THE_KERNELS(member, value)                                         \
	do {                                                                  \
		o.member = value;                                             \
		assert_int_equal(CM, -EOPNOTSUPP);                            \
		assert_string_equal(error.msg, #member ": with rdma_cm the kernel chooses it"); \
		start(NULL);                                                  \
	} while (0)
	assert_int_equal(CM, 0);
	IS_THE_KERNELS(device, "rxe0");
	IS_THE_KERNELS(port_num, 1);
	IS_THE_KERNELS(service_level, 1);
	IS_THE_KERNELS(pkey_index, 1);
	IS_THE_KERNELS(gid_index, 0);
	IS_THE_KERNELS(flow_label, 1);
}
