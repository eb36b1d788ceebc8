/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: scenarios/coverage.tsv */
/*
 * On a kernel without RDMA the list cannot be made. No lane has such a kernel, but the
 * machine that builds this often has.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <unistd.h>
#include <infiniband/verbs.h>

TEST(test_device_list__kernel_without_rdma)
{
	struct ibv_device **list;
	int num = -1;

	if (access("/sys/class/infiniband_verbs", F_OK) == 0)
		skip();
	errno = 0;
	list = ibv_get_device_list(&num);
	assert_null(list);
	assert_int_equal(errno, ENOSYS);
	assert_int_equal(num, 0);
	errno = 0;
	assert_null(ibv_get_device_list(NULL));
	assert_int_equal(errno, ENOSYS);
}
