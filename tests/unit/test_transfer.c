/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/qp/transfer.c */
/*
 * The requests that vbm_post_sends() makes. The driver's function for ibv_post_send(3) is
 * replaced, because no device shows the request that it was given.
 */
#include "cmocka_all.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <verbatim/transfer.h>

#include "lib/qp/qp.h"

#define MANY 70		/* more than are posted by one call */

static struct ibv_send_wr seen[MANY];
static size_t count, calls;
static int refuse_at = -1;	/* the number of the request that the driver refuses */

static int take(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	(void)qp;
	calls++;
	for (; wr; wr = wr->next) {
		if ((int)count == refuse_at) {
			*bad = wr;
			return ENOMEM;
		}
		assert_true(count < MANY);
		seen[count++] = *wr;
	}
	return 0;
}

static struct ibv_context context = {.ops.post_send = take};
static struct ibv_cq verbs_cq = {.context = &context};
static struct ibv_qp verbs_qp = {.context = &context, .qp_type = IBV_QPT_RC};
static struct vbm_qp qp = {.qp = &verbs_qp, .options.qp_type = IBV_QPT_RC};

static int start(void **state)
{
	(void)state;
	memset(seen, 0, sizeof(seen));
	count = calls = 0;
	refuse_at = -1;
	return 0;
}

/* The words that each opcode carries, and where. */
static void test_post_sends__each_opcode(void **state)
{
	static const struct {
		enum ibv_wr_opcode opcode;
		uint32_t imm, key, rdma_key, atomic_key;
	} rows[] = {
		{IBV_WR_SEND, 0, 0, 0, 0},
		{IBV_WR_SEND_WITH_IMM, 0x11223344, 0, 0, 0},
		{IBV_WR_SEND_WITH_INV, 0, 0x55667788, 0, 0},
		{IBV_WR_LOCAL_INV, 0, 0x55667788, 0, 0},
		{IBV_WR_RDMA_WRITE, 0, 0, 0x55667788, 0},
		{IBV_WR_RDMA_WRITE_WITH_IMM, 0x11223344, 0, 0x55667788, 0},
		{IBV_WR_RDMA_READ, 0, 0, 0x55667788, 0},
		{IBV_WR_ATOMIC_CMP_AND_SWP, 0, 0, 0, 0x55667788},
		{IBV_WR_ATOMIC_FETCH_AND_ADD, 0, 0, 0, 0x55667788},
	};
	struct vbm_send send = {.imm = 0x11223344, .rkey = 0x55667788, .remote_addr = 0x99,
				.compare_add = 5, .swap = 6, .wr_id = 7, .flags = IBV_SEND_SIGNALED};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		send.opcode = rows[i].opcode;
		assert_int_equal(vbm_post_sends(&qp, &send, 1, NULL), 0);
		assert_int_equal(seen[i].opcode, rows[i].opcode);
		assert_int_equal(seen[i].wr_id, 7);
		assert_int_equal(seen[i].send_flags, IBV_SEND_SIGNALED);
		if (rows[i].imm)
			assert_int_equal(be32toh(seen[i].imm_data), rows[i].imm);
		else
			assert_int_equal(seen[i].invalidate_rkey, rows[i].key);
		if (rows[i].rdma_key) {
			assert_int_equal(seen[i].wr.rdma.rkey, rows[i].rdma_key);
			assert_int_equal(seen[i].wr.rdma.remote_addr, 0x99);
		}
		if (rows[i].atomic_key) {
			assert_int_equal(seen[i].wr.atomic.rkey, rows[i].atomic_key);
			assert_int_equal(seen[i].wr.atomic.remote_addr, 0x99);
			assert_int_equal(seen[i].wr.atomic.compare_add, 5);
			assert_int_equal(seen[i].wr.atomic.swap, 6);
		}
	}
}

/* All other opcodes, and numbers that are none. Those before such a request are posted. */
static void test_post_sends__what_it_cannot_say(void **state)
{
	static const int opcodes[] = {IBV_WR_BIND_MW, IBV_WR_TSO, IBV_WR_DRIVER1, 14, 15, 99, -1, 256, 1 << 30};
	struct vbm_send sends[3] = {{.opcode = IBV_WR_SEND}, {.opcode = IBV_WR_SEND}, {.opcode = IBV_WR_SEND}};
	size_t i, posted;

	(void)state;
	for (i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
		sends[1].opcode = (enum ibv_wr_opcode)opcodes[i];
		posted = 9;
		assert_int_equal(vbm_post_sends(&qp, sends, 3, &posted), EOPNOTSUPP);
		assert_int_equal(posted, 1);
		assert_int_equal(count, i + 1);
		assert_int_equal(vbm_post_sends(&qp, sends + 1, 1, &posted), EOPNOTSUPP);
		assert_int_equal(posted, 0);
		assert_int_equal(count, i + 1);
	}
}

static void test_post_sends__many(void **state)
{
	struct vbm_send sends[MANY];
	size_t i, posted;

	(void)state;
	for (i = 0; i < MANY; i++)
		sends[i] = (struct vbm_send){.opcode = IBV_WR_SEND, .wr_id = i, .length = (uint32_t)(i % 2)};
	assert_int_equal(vbm_post_sends(&qp, sends, MANY, &posted), 0);
	assert_int_equal(posted, MANY);
	assert_int_equal(calls, 3);
	for (i = 0; i < MANY; i++) {
		assert_int_equal(seen[i].wr_id, i);
		assert_int_equal(seen[i].num_sge, i % 2);
	}
	start(NULL);
	refuse_at = 40;
	assert_int_equal(vbm_post_sends(&qp, sends, MANY, &posted), ENOMEM);
	assert_int_equal(posted, 40);
	assert_int_equal(vbm_post_sends(&qp, sends, 0, &posted), 0);
	assert_int_equal(posted, 0);
}

static void test_post_sends__arguments(void **state)
{
	struct vbm_send send = {.opcode = IBV_WR_SEND};
	struct vbm_qp none = {0};
	size_t posted = 1;

	(void)state;
	assert_int_equal(vbm_post_sends(NULL, &send, 1, &posted), EINVAL);
	assert_int_equal(posted, 0);
	assert_int_equal(vbm_post_sends(&none, &send, 1, NULL), EINVAL);
	assert_int_equal(vbm_post_sends(&qp, NULL, 1, NULL), EINVAL);
	qp.connecting = 1;
	assert_int_equal(vbm_post_sends(&qp, &send, 1, NULL), ENOTCONN);
	qp.connecting = 0;
	assert_int_equal(count, 0);
}

/* A queue that others use, too, is theirs to wait for. */
static void test_wait_completions__of_the_programs_queue(void **state)
{
	struct vbm_qp shared = {.qp = &verbs_qp, .cq = &verbs_cq};
	struct ibv_wc wc;
	int n;

	(void)state;
	assert_int_equal(vbm_wait_completions(NULL, &wc, 1, 0, &n), EINVAL);
	assert_int_equal(vbm_wait_completions(&shared, &wc, 1, 0, &n), EOPNOTSUPP);
}

#define TEST(name) cmocka_unit_test_setup(name, start)
VBM_TESTS(TEST(test_post_sends__each_opcode),
	  TEST(test_post_sends__what_it_cannot_say),
	  TEST(test_post_sends__many),
	  TEST(test_post_sends__arguments),
	  TEST(test_wait_completions__of_the_programs_queue));
