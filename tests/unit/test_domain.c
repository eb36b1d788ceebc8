/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/qp/domain.c lib/qp/device.c */
/* A domain refuses these without a device. tests/guest/domain-program.c has the rest. */
#include "cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "lib/qp/device.h"
#include "lib/qp/qp.h"

TEST(test_domain__bad_arguments)
{
	struct sockaddr other = {.sa_family = AF_UNIX};
	struct ibv_context one = {.cmd_fd = -1}, two = {.cmd_fd = -1};
	struct ibv_pd pd = {.context = &one};
	struct vbm_domain_options o;
	struct vbm_domain *d = (struct vbm_domain *)&o;
	struct vbm_error error;

	vbm_domain_options_init(NULL);
	vbm_domain_options_init(&o);
	assert_int_equal(vbm_create_domain(NULL, NULL, NULL, &error), EINVAL);
	assert_string_equal(error.msg, "the pointer to the new domain is NULL");
	assert_int_equal(vbm_create_domain(&d, &other, &o, &error), EAFNOSUPPORT);
	assert_null(d);
	o.pd = &pd;
	o.context = &two;
	assert_int_equal(vbm_create_domain(&d, NULL, &o, &error), EINVAL);
	assert_non_null(strstr(error.msg, "another context"));
	o.context = NULL;
	o.for_rdma_cm = 1;
	assert_int_equal(vbm_create_domain(&d, NULL, &o, &error), EINVAL);
	assert_non_null(strstr(error.msg, "for_rdma_cm"));
	o.size = 0;
	assert_int_equal(vbm_create_domain(&d, NULL, &o, &error), EINVAL);
	assert_non_null(strstr(error.msg, "vbm_domain_options_init()"));
	assert_int_equal(vbm_destroy_domain(NULL), 0);
}

TEST(test_device__none_is_open)
{
	struct ibv_context foreign = {.cmd_fd = -1};

	assert_null(vbm_device_take_open(NULL));
	assert_null(vbm_device_take_open(&foreign));
	assert_int_equal(vbm_device_release(&foreign), 0);
	vbm_device_is_stale(&foreign);
	assert_null(vbm_device_take_open(NULL));
}
