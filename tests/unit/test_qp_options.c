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

#define REFUSED(check, text)                                                  \
	do {                                                                  \
		assert_int_equal(check, -EINVAL);                             \
		assert_int_equal(error.code, EINVAL);                         \
		assert_string_equal(error.msg, text);                         \
		start(NULL);                                                  \
	} while (0)

/* A program learns the member and the limit, and the limit itself is allowed. */
static void test_options__beyond_the_device(void **state)
{
#define FIT vbm_qp_options_fit(&o, &device, "rxe0", &error)
	(void)state;
	o.max_send_wr = 1001;
	REFUSED(FIT, "max_send_wr: 1001 is more than the device rxe0 allows, 1000");
	o.max_recv_wr = 100000;
	REFUSED(FIT, "max_recv_wr: 100000 is more than the device rxe0 allows, 1000");
	o.max_send_sge = 9;
	REFUSED(FIT, "max_send_sge: 9 is more than the device rxe0 allows, 8");
	o.max_recv_sge = 9;
	REFUSED(FIT, "max_recv_sge: 9 is more than the device rxe0 allows, 8");
	o.max_send_wr = 1000;
	o.max_recv_wr = 501;
	REFUSED(FIT, "max_send_wr and max_recv_wr together, in one completion queue: 1501 is more than the device "
		"rxe0 allows, 1500");
	o.max_send_wr = 1000;
	o.max_recv_wr = 500;
	o.max_send_sge = o.max_recv_sge = 8;
	assert_int_equal(FIT, 0);
}

/* What the queue pair does not make is not its to check. */
static void test_options__of_the_program(void **state)
{
	struct ibv_srq srq;
	struct ibv_cq cq;

	(void)state;
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

static void test_options__reads_and_atomics(void **state)
{
	(void)state;
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

static void test_options__on_every_device(void **state)
{
#define CHECK vbm_qp_options_check(&o, &error)
	(void)state;
	assert_int_equal(CHECK, 0);
	o.psn = 0x1000000;
	REFUSED(CHECK, "psn: 16777216 is more than InfiniBand allows, 16777215");
	o.timeout = 32;
	REFUSED(CHECK, "timeout: 32 is more than InfiniBand allows, 31");
	o.retry_cnt = 8;
	REFUSED(CHECK, "retry_cnt: 8 is more than InfiniBand allows, 7");
	o.rnr_retry = 8;
	REFUSED(CHECK, "rnr_retry: 8 is more than InfiniBand allows, 7");
	o.service_level = 16;
	REFUSED(CHECK, "service_level: 16 is more than InfiniBand allows, 15");
	o.flow_label = 0x100000;
	REFUSED(CHECK, "flow_label: 1048576 is more than InfiniBand allows, 1048575");
	o.min_rnr_timer = 32;
	REFUSED(CHECK, "min_rnr_timer: 32 is more than InfiniBand allows, 31");
	o.mtu = 1500;
	REFUSED(CHECK, "mtu: the path MTU 1500 is not 256, 512, 1024, 2048 or 4096");
	o.qp_type = IBV_QPT_RAW_PACKET;
	REFUSED(CHECK, "qp_type: queue pairs of type 8 are not supported");
	o.psn = 0xffffff;
	o.timeout = o.min_rnr_timer = 31;
	o.retry_cnt = o.rnr_retry = 7;
	o.mtu = 4096;
	assert_int_equal(CHECK, 0);
}

static void test_options__of_the_port(void **state)
{
	struct ibv_port_attr port = {.pkey_tbl_len = 4};

	(void)state;
	o.pkey_index = 4;
	REFUSED(vbm_qp_options_fit_port(&o, &port, "mlx5_0", &error),
		"pkey_index: 4 is more than the port of the device mlx5_0 allows, 3");
	o.pkey_index = 3;
	assert_int_equal(vbm_qp_options_fit_port(&o, &port, "mlx5_0", &error), 0);
}

/* What the kernel chooses cannot be asked for. */
static void test_options__of_rdma_cm(void **state)
{
#define CM vbm_qp_options_for_rdma_cm(&o, &error)
#define IS_THE_KERNELS(name)                                                  \
	do {                                                                  \
		assert_int_equal(CM, -EOPNOTSUPP);                            \
		assert_string_equal(error.msg, name ": with rdma_cm the kernel chooses it"); \
		start(NULL);                                                  \
	} while (0)
	(void)state;
	assert_int_equal(CM, 0);
	o.device = "rxe0";
	IS_THE_KERNELS("device");
	o.port_num = 1;
	IS_THE_KERNELS("port_num");
	o.service_level = 1;
	IS_THE_KERNELS("service_level");
	o.pkey_index = 1;
	IS_THE_KERNELS("pkey_index");
	o.gid_index = 0;
	IS_THE_KERNELS("gid_index");
	o.flow_label = 1;
	IS_THE_KERNELS("flow_label");
}

#define TEST(name) cmocka_unit_test_setup(name, start)
VBM_TESTS(TEST(test_options__beyond_the_device),
	  TEST(test_options__of_the_program),
	  TEST(test_options__reads_and_atomics),
	  TEST(test_options__on_every_device),
	  TEST(test_options__of_the_port),
	  TEST(test_options__of_rdma_cm));
