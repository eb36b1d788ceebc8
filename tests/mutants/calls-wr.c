/* SPDX-License-Identifier: BSD-2-Clause */
/* ibv_wr_post(3): the calls that go through the extended queue pair. */
#include "tests/mutants/mutant-fields.h"

#include <string.h>

/* One provider has one set of functions. */
static struct ibv_qp_ex next;

#define WR_MEMBERS {.base = qp, .fields = qp_ex_fields}
static const struct mutant_field qp_ex_fields[] = {
	FIELD(struct ibv_qp_ex, wr_id), FIELD(struct ibv_qp_ex, wr_flags), {NULL, 0, 0},
};

/* wr_id and wr_flags of the queue pair are changed for all requests that follow. */
#define WR(call, params, args, ...)                                           \
	static void call params                                               \
	{                                                                     \
		struct mutant_call c = {.name = "ibv_" #call, .in = {WR_MEMBERS, ##__VA_ARGS__}}; \
									      \
		while (mutant_begin(&c))                                      \
			next.call args;                                       \
		mutant_end(&c);                                               \
	}

WR(wr_start, (struct ibv_qp_ex *qp), (qp))
WR(wr_send, (struct ibv_qp_ex *qp), (qp))
WR(wr_send_imm, (struct ibv_qp_ex *qp, __be32 imm_data), (qp, imm_data), ARG(imm_data))
WR(wr_send_inv, (struct ibv_qp_ex *qp, uint32_t rkey), (qp, rkey), ARG(rkey))
WR(wr_local_inv, (struct ibv_qp_ex *qp, uint32_t rkey), (qp, rkey), ARG(rkey))
WR(wr_rdma_read, (struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr), (qp, rkey, addr), ARG(rkey), ARG(addr))
WR(wr_rdma_write, (struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr), (qp, rkey, addr), ARG(rkey), ARG(addr))
WR(wr_rdma_write_imm, (struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr, __be32 imm_data),
   (qp, rkey, addr, imm_data), ARG(rkey), ARG(addr), ARG(imm_data))
WR(wr_atomic_cmp_swp, (struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr, uint64_t compare, uint64_t swap),
   (qp, rkey, addr, compare, swap), ARG(rkey), ARG(addr), ARG(compare), ARG(swap))
WR(wr_atomic_fetch_add, (struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr, uint64_t add),
   (qp, rkey, addr, add), ARG(rkey), ARG(addr), ARG(add))
WR(wr_atomic_write, (struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr, const void *bytes),
   (qp, rkey, addr, bytes), ARG(rkey), ARG(addr), ARG(bytes))
#ifdef HAVE_STRUCT_IBV_QP_EX_WR_FLUSH
WR(wr_flush, (struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr, size_t len, uint8_t type, uint8_t level),
   (qp, rkey, addr, len, type, level), ARG(rkey), ARG(addr), ARG(len), ARG(level))
#endif
WR(wr_bind_mw, (struct ibv_qp_ex *qp, struct ibv_mw *mw, uint32_t rkey, const struct ibv_mw_bind_info *info),
   (qp, mw, rkey, info), ARG(rkey))
WR(wr_set_ud_addr, (struct ibv_qp_ex *qp, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey),
   (qp, ah, qpn, qkey), ARG(qpn), ARG(qkey))
WR(wr_set_inline_data, (struct ibv_qp_ex *qp, void *addr, size_t length), (qp, addr, length), ARG(length))
WR(wr_set_inline_data_list, (struct ibv_qp_ex *qp, size_t num, const struct ibv_data_buf *list),
   (qp, num, list), ARG(num))
WR(wr_set_sge, (struct ibv_qp_ex *qp, uint32_t lkey, uint64_t addr, uint32_t length),
   (qp, lkey, addr, length), ARG(lkey), ARG(addr), ARG(length))

#define SGES_MAX 64

static void wr_set_sge_list(struct ibv_qp_ex *qp, size_t num, const struct ibv_sge *list)
{
	struct ibv_sge copy[SGES_MAX];
	bool fits = num <= SGES_MAX;
	struct mutant_call c = {.name = "ibv_wr_set_sge_list", .in = {WR_MEMBERS, ARG(num),
				{fits && num > 0 ? copy : NULL, mutant_sge},
				{fits && num > 1 ? copy + 1 : NULL, mutant_second_sge}}};

	if (fits)
		memcpy(copy, list, num * sizeof(*list));
	while (mutant_begin(&c))
		next.wr_set_sge_list(qp, num, fits ? copy : list);
	mutant_end(&c);
}

static int wr_complete(struct ibv_qp_ex *qp)
{
	struct mutant_call c = {.name = "ibv_wr_complete", .in = {WR_MEMBERS}};

	while (mutant_begin(&c))
		c.ret = next.wr_complete(qp);
	return (int)mutant_end(&c);
}

static void wr_abort(struct ibv_qp_ex *qp)
{
	struct mutant_call c = {.name = "ibv_wr_abort", .in = {WR_MEMBERS}};

	while (mutant_begin(&c)) {
		if (mutant_on("abort-posts"))
			next.wr_complete(qp);
		else
			next.wr_abort(qp);
	}
	mutant_end(&c);
}

#define HOOK(call)                                                            \
	do {                                                                  \
		if (qp->call && qp->call != call) {                           \
			next.call = qp->call;                                 \
			qp->call = call;                                      \
		}                                                             \
	} while (0)

static void hook_operations(struct ibv_qp_ex *qp)
{
	HOOK(wr_send);
	HOOK(wr_send_imm);
	HOOK(wr_send_inv);
	HOOK(wr_local_inv);
	HOOK(wr_rdma_read);
	HOOK(wr_rdma_write);
	HOOK(wr_rdma_write_imm);
	HOOK(wr_atomic_cmp_swp);
	HOOK(wr_atomic_fetch_add);
	HOOK(wr_atomic_write);
#ifdef HAVE_STRUCT_IBV_QP_EX_WR_FLUSH
	HOOK(wr_flush);
#endif
	HOOK(wr_bind_mw);
}

struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *base)
{
	struct ibv_qp_ex *qp = NEXT(ibv_qp_to_qp_ex)(base);

	if (!qp)
		return NULL;
	hook_operations(qp);
	HOOK(wr_start);
	HOOK(wr_abort);
	HOOK(wr_complete);
	HOOK(wr_set_ud_addr);
	HOOK(wr_set_inline_data);
	HOOK(wr_set_inline_data_list);
	HOOK(wr_set_sge);
	HOOK(wr_set_sge_list);
	return qp;
}
