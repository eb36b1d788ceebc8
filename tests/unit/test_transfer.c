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
static struct ibv_sge seen_sge[MANY];	/* the first block of each */
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
		if (wr->num_sge)
			seen_sge[count] = wr->sg_list[0];
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

UNIT(.each = {start});

/* The words that each opcode carries, and where. */
TEST(test_post_sends__each_opcode)
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

TEST(test_post_sends__datagram)
{
	struct vbm_qp datagrams = {.qp = &verbs_qp, .options.qp_type = IBV_QPT_UD};
	struct vbm_send send = {.opcode = IBV_WR_SEND_WITH_IMM, .imm = 0x11223344,
				.ah = (struct ibv_ah *)seen, .remote_qpn = 17, .remote_qkey = 0x55667788};

	assert_int_equal(vbm_post_sends(&datagrams, &send, 1, NULL), 0);
	assert_ptr_equal(seen[0].wr.ud.ah, seen);
	assert_int_equal(seen[0].wr.ud.remote_qpn, 17);
	assert_int_equal(seen[0].wr.ud.remote_qkey, 0x55667788);
	assert_int_equal(be32toh(seen[0].imm_data), 0x11223344);
}

/* All other opcodes, and numbers that are none. Requests before such a one are posted. */
TEST(test_post_sends__what_it_cannot_say)
{
	static const int opcodes[] = {IBV_WR_BIND_MW, IBV_WR_TSO, IBV_WR_DRIVER1, 14, 15, 99, -1, 256, 1 << 30};
	struct vbm_send sends[3] = {{.opcode = IBV_WR_SEND}, {.opcode = IBV_WR_SEND}, {.opcode = IBV_WR_SEND}};
	size_t i, posted;

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

TEST(test_post_sends__many)
{
	struct vbm_send sends[MANY];
	size_t i, posted;

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

TEST(test_post_sends__arguments)
{
	struct vbm_send send = {.opcode = IBV_WR_SEND};
	struct vbm_qp none = {0};
	size_t posted = 1;

	assert_int_equal(vbm_post_sends(NULL, &send, 1, &posted), EINVAL);
	assert_int_equal(posted, 0);
	assert_int_equal(vbm_post_sends(&none, &send, 1, NULL), EINVAL);
	assert_int_equal(vbm_post_sends(&qp, NULL, 1, NULL), EINVAL);
	qp.connecting = 1;
	assert_int_equal(vbm_post_sends(&qp, &send, 1, NULL), ENOTCONN);
	qp.connecting = 0;
	assert_int_equal(count, 0);
}

/* Of several blocks each has its own address, and of none the members for one do not count. */
TEST(test_post_sends__several_blocks)
{
	struct ibv_sge sge[3] = {{1, 10, 100}, {2, 20, 200}, {3, 30, 300}};
	struct vbm_send sends[2] = {
		{.opcode = IBV_WR_RDMA_READ, .num_sge = 3, .sge = sge, .length = 7},
		{.opcode = IBV_WR_SEND, .addr = sge, .length = 7, .lkey = 9, .sge = sge},
	};
	const struct ibv_sge *own;

	assert_int_equal(vbm_post_sends(&qp, sends, 2, NULL), 0);
	assert_int_equal(seen[0].num_sge, 3);
	assert_ptr_equal(seen[0].sg_list, sge);
	assert_int_equal(seen[1].num_sge, 1);
	own = &seen_sge[1];
	assert_int_equal(own->addr, (uintptr_t)sge);
	assert_int_equal(own->length, 7);
	assert_int_equal(own->lkey, 9);
}

/* The data that go to the peer go inline when they fit, and nothing else does. */
TEST(test_post_sends__inline)
{
	static const struct {
		enum ibv_wr_opcode opcode;
		int goes;
	} rows[] = {
		{IBV_WR_SEND, 1}, {IBV_WR_SEND_WITH_IMM, 1}, {IBV_WR_SEND_WITH_INV, 1}, {IBV_WR_LOCAL_INV, 0},
		{IBV_WR_RDMA_WRITE, 1}, {IBV_WR_RDMA_WRITE_WITH_IMM, 1}, {IBV_WR_RDMA_READ, 0},
		{IBV_WR_ATOMIC_CMP_AND_SWP, 0}, {IBV_WR_ATOMIC_FETCH_AND_ADD, 0},
	};
	struct ibv_sge sge[2] = {{1, 40, 0}, {2, 24, 0}};
	struct vbm_send send = {.addr = sge, .length = 64, .flags = IBV_SEND_SIGNALED};
	size_t i, n = 0;

	qp.options.max_inline_data = 64;
	for (i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++) {
		size_t row = i / 2;

		send.opcode = rows[row].opcode;
		qp.options.inline_sends = i % 2;
		assert_int_equal(vbm_post_sends(&qp, &send, 1, NULL), 0);
		assert_int_equal(seen[n++].send_flags, IBV_SEND_SIGNALED | (i % 2 && rows[row].goes ? IBV_SEND_INLINE : 0));
	}
	send.opcode = IBV_WR_SEND;
	send.length = 65;
	assert_int_equal(vbm_post_sends(&qp, &send, 1, NULL), 0);
	assert_int_equal(seen[n++].send_flags, IBV_SEND_SIGNALED);
	send.num_sge = 2;
	send.sge = sge;
	assert_int_equal(vbm_post_sends(&qp, &send, 1, NULL), 0);
	assert_int_equal(seen[n++].send_flags, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	sge[1].length = UINT32_MAX;
	sge[0].length = 65;
	assert_int_equal(vbm_post_sends(&qp, &send, 1, NULL), 0);
	assert_int_equal(seen[n++].send_flags, IBV_SEND_SIGNALED);
	qp.options.inline_sends = 0;
	qp.options.max_inline_data = 0;
}

static struct ibv_recv_wr received;

static int take_recv(struct ibv_qp *q, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	(void)q;
	(void)bad;
	received = *wr;
	seen_sge[0] = wr->sg_list[0];
	return 0;
}

TEST(test_post_recvs__several_blocks)
{
	struct ibv_sge sge[2] = {{1, 10, 100}, {2, 20, 200}};
	struct vbm_recv recv = {.wr_id = 3, .addr = sge, .length = 5, .lkey = 6};

	context.ops.post_recv = take_recv;
	assert_int_equal(vbm_post_recvs(&qp, &recv, 1, NULL), 0);
	assert_int_equal(received.wr_id, 3);
	assert_int_equal(received.num_sge, 1);
	assert_int_equal(seen_sge[0].lkey, 6);
	recv.num_sge = 2;
	recv.sge = sge;
	assert_int_equal(vbm_post_recvs(&qp, &recv, 1, NULL), 0);
	assert_int_equal(received.num_sge, 2);
	assert_ptr_equal(received.sg_list, sge);
	recv = (struct vbm_recv){0};
	assert_int_equal(vbm_post_recvs(&qp, &recv, 1, NULL), 0);
	assert_int_equal(received.num_sge, 0);
}

static size_t srq_calls;

static int take_srq_recv(struct ibv_srq *q, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	(void)q;
	srq_calls++;
	for (; wr; wr = wr->next) {
		if ((int)count == refuse_at) {
			*bad = wr;
			return ENOMEM;
		}
		assert_true(count < MANY);
		assert_int_equal(wr->wr_id, count);
		count++;
	}
	return 0;
}

TEST(test_post_srq_recvs__in_order)
{
	struct ibv_srq srq = {.context = &context};
	struct vbm_recv recvs[MANY] = {{0}};
	size_t posted;

	context.ops.post_srq_recv = take_srq_recv;
	context.ops.post_recv = NULL;
	srq_calls = 0;
	for (size_t i = 0; i < MANY; i++)
		recvs[i].wr_id = i;
	assert_int_equal(vbm_post_srq_recvs(&srq, recvs, MANY, &posted), 0);
	assert_int_equal(posted, MANY);
	assert_int_equal(count, MANY);
	assert_true(srq_calls > 1);
	start(NULL);
	refuse_at = 40;
	assert_int_equal(vbm_post_srq_recvs(&srq, recvs, MANY, &posted), ENOMEM);
	assert_int_equal(posted, 40);
	assert_int_equal(vbm_post_srq_recvs(&srq, NULL, 0, NULL), 0);
}

TEST(test_post_recvs__arguments)
{
	struct ibv_srq srq = {.context = &context};
	struct vbm_recv recv = {0};
	struct vbm_qp none = {0};
	size_t posted = 1;

	assert_int_equal(vbm_post_recvs(NULL, &recv, 1, &posted), EINVAL);
	assert_int_equal(posted, 0);
	assert_int_equal(vbm_post_recvs(&none, &recv, 1, NULL), EINVAL);
	assert_int_equal(vbm_post_recvs(&qp, NULL, 1, NULL), EINVAL);
	posted = 1;
	assert_int_equal(vbm_post_srq_recvs(NULL, &recv, 1, &posted), EINVAL);
	assert_int_equal(posted, 0);
	assert_int_equal(vbm_post_srq_recvs(NULL, NULL, 0, NULL), EINVAL);
	assert_int_equal(vbm_post_srq_recvs(&srq, NULL, 1, NULL), EINVAL);
}

/* As the peer has written it into struct vbm_send. */
TEST(test_completion_imm__is_in_host_order)
{
	struct vbm_send send = {.opcode = IBV_WR_SEND_WITH_IMM, .imm = 0x11223344};
	struct ibv_wc wc = {0};

	assert_int_equal(vbm_post_sends(&qp, &send, 1, NULL), 0);
	wc.imm_data = seen[0].imm_data;
	assert_int_equal(vbm_completion_imm(&wc), 0x11223344);
	wc.imm_data = htobe32(1);
	assert_int_equal(vbm_completion_imm(&wc), 1);
}

TEST(test_poll_completions__arguments)
{
	struct vbm_qp some = {.qp = &verbs_qp, .cq = &verbs_cq}, none = {0};
	struct ibv_wc wc;
	int n;

	assert_int_equal(vbm_poll_completions(NULL, &wc, 1, &n), EINVAL);
	assert_int_equal(vbm_poll_completions(&none, &wc, 1, &n), EINVAL);
	assert_int_equal(vbm_poll_completions(&some, NULL, 1, &n), EINVAL);
	assert_int_equal(vbm_poll_completions(&some, &wc, 0, &n), EINVAL);
	assert_int_equal(vbm_poll_completions(&some, &wc, 1, NULL), EINVAL);
}

/* A queue that others use, too, is theirs to wait for. */
TEST(test_wait_completions__of_the_programs_queue)
{
	struct vbm_qp shared = {.qp = &verbs_qp, .cq = &verbs_cq};
	struct ibv_wc wc;
	int n;

	assert_int_equal(vbm_wait_completions(NULL, &wc, 1, 0, &n), EINVAL);
	assert_int_equal(vbm_wait_completions(&shared, &wc, 1, 0, &n), EOPNOTSUPP);
}
