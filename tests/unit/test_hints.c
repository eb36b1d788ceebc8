/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/resolve/hints.c */
#include "cmocka_all.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include <infiniband/sa.h>

#include "lib/resolve/hints.h"

static enum gai_fault check(const struct rdma_addrinfo *h)
{
	struct gai_query q;

	return vbm_hints_check(&q, h);
}

TEST(test_hints__kinds_are_filled_in)
{
	static const struct {
		int qp, ps, want_qp, want_ps;
	} ok[] = {
		{0, 0, IBV_QPT_RC, RDMA_PS_TCP},
		{IBV_QPT_RC, 0, IBV_QPT_RC, RDMA_PS_TCP},
		{IBV_QPT_UD, 0, IBV_QPT_UD, RDMA_PS_UDP},
		{0, RDMA_PS_TCP, IBV_QPT_RC, RDMA_PS_TCP},
		{0, RDMA_PS_UDP, IBV_QPT_UD, RDMA_PS_UDP},
		{0, RDMA_PS_IB, IBV_QPT_RC, RDMA_PS_IB},
		{IBV_QPT_RC, RDMA_PS_TCP, IBV_QPT_RC, RDMA_PS_TCP},
		{IBV_QPT_UD, RDMA_PS_UDP, IBV_QPT_UD, RDMA_PS_UDP},
		{IBV_QPT_RC, RDMA_PS_IB, IBV_QPT_RC, RDMA_PS_IB},
		{IBV_QPT_UD, RDMA_PS_IB, IBV_QPT_UD, RDMA_PS_IB},
	};
	struct gai_query q;

	for (size_t i = 0; i < sizeof(ok) / sizeof(ok[0]); i++) {
		struct rdma_addrinfo h = {.ai_qp_type = ok[i].qp, .ai_port_space = ok[i].ps};

		assert_int_equal(vbm_hints_check(&q, &h), GAI_FAULT_NONE);
		assert_int_equal(q.qp_type, ok[i].want_qp);
		assert_int_equal(q.port_space, ok[i].want_ps);
	}
}

TEST(test_hints__wrong_kinds)
{
	static const int bad[][2] = {
		{IBV_QPT_UD, RDMA_PS_TCP}, {IBV_QPT_RC, RDMA_PS_UDP}, {IBV_QPT_UC, 0},
		{IBV_QPT_UC, RDMA_PS_TCP}, {IBV_QPT_RAW_PACKET, 0}, {IBV_QPT_XRC_SEND, 0},
		{IBV_QPT_XRC_RECV, RDMA_PS_TCP}, {99, 0}, {-1, 0}, {0, RDMA_PS_IPOIB},
		{0, 0x7777}, {IBV_QPT_RC, -1},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct rdma_addrinfo h = {.ai_qp_type = bad[i][0], .ai_port_space = bad[i][1]};

		assert_int_equal(check(&h), GAI_FAULT_QPTYPE);
	}
}

TEST(test_hints__every_other_flag_is_refused)
{
	for (int bit = 0; bit < 32; bit++) {
		struct rdma_addrinfo h = {.ai_flags = (int)(1u << bit)};
		enum gai_fault want = bit < 6 ? GAI_FAULT_NONE : GAI_FAULT_FLAGS;

		assert_int_equal(check(&h), want);
		h.ai_flags |= RAI_PASSIVE;
		assert_int_equal(check(&h), want);
	}
	assert_int_equal(check(&(struct rdma_addrinfo){.ai_flags = RAI_DNS | RAI_SA}), GAI_FAULT_BOTH);
}

TEST(test_hints__families)
{
	static const int good[] = {AF_UNSPEC, AF_INET, AF_INET6, AF_IB};
	static const int bad[] = {AF_UNIX, AF_PACKET, 99, -1, 28};

	for (size_t i = 0; i < 4; i++) {
		struct rdma_addrinfo h = {.ai_family = good[i]};

		assert_int_equal(check(&h), GAI_FAULT_NONE);
	}
	for (size_t i = 0; i < 5; i++) {
		struct rdma_addrinfo h = {.ai_family = bad[i]};

		assert_int_equal(check(&h), GAI_FAULT_FAMILY);
	}
}

TEST(test_hints__address_lengths)
{
	struct sockaddr_storage ss = {.ss_family = AF_INET};
	struct rdma_addrinfo h = {.ai_dst_addr = (struct sockaddr *)&ss};

	for (socklen_t len = 1; len < 16; len++) {
		h.ai_dst_len = len;
		assert_int_equal(check(&h), GAI_FAULT_POINTER);
	}
	for (h.ai_dst_len = 16; h.ai_dst_len <= sizeof(ss); h.ai_dst_len++)
		assert_int_equal(check(&h), GAI_FAULT_NONE);
	assert_int_equal(check(&h), GAI_FAULT_POINTER);
	h.ai_dst_len = (socklen_t)-1;
	assert_int_equal(check(&h), GAI_FAULT_POINTER);
	h.ai_dst_len = 16;
	ss.ss_family = AF_INET6;
	assert_int_equal(check(&h), GAI_FAULT_POINTER);
	ss.ss_family = AF_UNIX;
	assert_int_equal(check(&h), GAI_FAULT_FAMILY);
	h.ai_dst_addr = NULL;
	assert_int_equal(check(&h), GAI_FAULT_POINTER);
	h = (struct rdma_addrinfo){.ai_src_len = 16};
	assert_int_equal(check(&h), GAI_FAULT_POINTER);
	h = (struct rdma_addrinfo){.ai_connect_len = 1};
	assert_int_equal(check(&h), GAI_FAULT_POINTER);
}

TEST(test_hints__route_layouts)
{
	static const struct {
		size_t len, count, stride;
	} ok[] = {{72, 1, 72}, {144, 2, 72}, {64, 1, 64}, {128, 2, 64}, {576, 8, 72}};
	static const size_t bad[] = {1, 63, 65, 71, 73, 100};
	static const char paths[576];
	struct rdma_addrinfo h = {.ai_route = (void *)(uintptr_t)paths};
	struct gai_query q;

	for (size_t i = 0; i < sizeof(ok) / sizeof(ok[0]); i++) {
		h.ai_route_len = ok[i].len;
		assert_int_equal(vbm_hints_check(&q, &h), GAI_FAULT_NONE);
		assert_int_equal(q.route_count, ok[i].count);
		assert_int_equal(q.route_stride, ok[i].stride);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		h.ai_route_len = bad[i];
		assert_int_equal(check(&h), GAI_FAULT_POINTER);
	}
	h = (struct rdma_addrinfo){.ai_route_len = 72};
	assert_int_equal(check(&h), GAI_FAULT_POINTER);
}

/* Each step mends the reported mistake, and the next one appears. */
TEST(test_hints__precedence)
{
	struct rdma_addrinfo h = {
		.ai_src_len = 16, .ai_flags = 0x8000, .ai_family = 99, .ai_qp_type = 99,
	};
	struct gai_query q;

	assert_int_equal(vbm_hints_check(&q, &h), GAI_FAULT_POINTER);
	h.ai_src_len = 0;
	assert_int_equal(vbm_hints_check(&q, &h), GAI_FAULT_FLAGS);
	h.ai_flags = 0;
	assert_int_equal(vbm_hints_check(&q, &h), GAI_FAULT_FAMILY);
	h.ai_family = 0;
	assert_int_equal(vbm_hints_check(&q, &h), GAI_FAULT_QPTYPE);
	h.ai_qp_type = 0;
	assert_int_equal(vbm_hints_check(&q, &h), GAI_FAULT_NONE);
	assert_int_equal(vbm_hints_check(&q, NULL), GAI_FAULT_NONE);
}

TEST(test_hints__codes_and_errnos)
{
	errno = 0;
	assert_int_equal(vbm_gai_fault_code(GAI_FAULT_POINTER), -1);
	assert_int_equal(errno, EINVAL);
	errno = 0;
	assert_int_equal(vbm_gai_fault_code(GAI_FAULT_FLAGS), EAI_BADFLAGS);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(vbm_gai_fault_code(GAI_FAULT_BOTH), EAI_BADFLAGS);
	assert_int_equal(vbm_gai_fault_code(GAI_FAULT_FAMILY), EAI_FAMILY);
	assert_int_equal(vbm_gai_fault_code(GAI_FAULT_QPTYPE), EAI_QPTYPE);
	assert_int_equal(vbm_gai_fault_errno(GAI_FAULT_FLAGS), EINVAL);
	assert_int_equal(vbm_gai_fault_errno(GAI_FAULT_BOTH), ENOTSUP);
	assert_int_equal(vbm_gai_fault_errno(GAI_FAULT_FAMILY), EAFNOSUPPORT);
	assert_int_equal(vbm_gai_fault_errno(GAI_FAULT_QPTYPE), EPROTOTYPE);
}
