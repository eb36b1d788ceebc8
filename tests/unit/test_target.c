/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: call/target.c */
#include "cmocka_all.h"

#include <errno.h>
#include <string.h>

#include <verbatim/addrinfo.h>

#include "call/target.h"

TEST(test_target__reference__resolves_by_libverbatim)
{
	struct rdma_addrinfo h = {.ai_qp_type = IBV_QPT_UD, .ai_port_space = RDMA_PS_TCP}, *res;
	struct target *t;

	assert_int_equal(target_open(&t, "reference", NULL), 0);
	assert_int_equal(t->getaddrinfo("192.0.2.1", "7471", &h, &res), EAI_QPTYPE);
	h.ai_port_space = 0;
	assert_int_equal(t->getaddrinfo("192.0.2.1", "7471", &h, &res), 0);
	assert_string_equal(res->ai_dst_canonname, "192.0.2.1");
	t->freeaddrinfo(res);
	assert_string_equal(t->gai_strerror(EAI_QPTYPE), vbm_gai_strerror(EAI_QPTYPE));
	target_close(t);
}

TEST(test_target__what_is_none)
{
	struct vbm_error err;
	struct target *t;

	assert_int_equal(target_open(&t, "nonesuch", &err), -EINVAL);
	assert_int_equal(target_open(&t, "/nonesuch", &err), -ELIBACC);
}

/* A kernel file that answers EINVAL to an unknown command, one that does not, and no file. */
TEST(test_target__ucma__only_a_refusal_counts)
{
	assert_false(target_ucma_takes_events("/proc/self/oom_score_adj"));
	assert_true(target_ucma_takes_events("/dev/null"));
	assert_true(target_ucma_takes_events("/nonesuch"));
}
