/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "step/step-util.h"

#define SGE_MAX 32

/* The bytes a request is about, as scatter/gather entries. */
struct work {
	struct mr_object *mr;		/* NULL: none is needed */
	size_t offset, length;
	struct ibv_sge sge[SGE_MAX];
	int sges;
};

static bool needs_no_buffer(const struct value *args)
{
	return value_get_int(args, "length", -1) == 0;
}

static struct qp_object *arg_qp(struct step_ctx *ctx, const struct value *args,
				struct vbm_error *err)
{
	return (struct qp_object *)arg_object(ctx, args, "qp", OBJECT_QP, err);
}

/*
 * The region of "mr:"; without it the one made along with the queue pair
 * ("q" has "q_mr"), else the usual one.
 */
static struct mr_object *arg_mr(struct step_ctx *ctx, const struct value *args,
				const struct qp_object *q, struct vbm_error *err)
{
	auto_free char *own = xasprintf("%s_mr", q->base.name);
	struct object *o = NULL;

	if (!value_get_string(args, "mr", NULL))
		o = objects_find(ctx->objects, own, OBJECT_MR);
	return (struct mr_object *)(o ? o : arg_object(ctx, args, "mr", OBJECT_MR, err));
}

static bool is_atomic(int64_t op)
{
	return op == IBV_WR_ATOMIC_CMP_AND_SWP || op == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

static int cut_into_sges(struct work *w, const struct value *args, struct vbm_error *err)
{
	int64_t sges = value_get_int(args, "sges", w->length ? 1 : 0);
	uint64_t at = (uint64_t)value_get_int(args, "addr", (int64_t)(uintptr_t)w->mr->buffer) + w->offset;
	uint32_t lkey = (uint32_t)value_get_int(args, "lkey", w->mr->mr->lkey);
	size_t left = w->length, part;

	if (sges < 0 || sges > SGE_MAX)
		return vbm_fail(err, ERANGE, "sges: %lld is not within 0 and %d", (long long)sges, SGE_MAX);
	w->sges = (int)sges;
	for (int i = 0; i < w->sges; i++) {
		part = i + 1 < w->sges ? w->length / (size_t)w->sges : left;
		w->sge[i] = (struct ibv_sge){.addr = at, .length = (uint32_t)part, .lkey = lkey};
		at += part;
		left -= part;
	}
	return 0;
}

/* Whether the bytes have to lie within the buffer: not with addr: or beyond:. */
static int arg_work(struct step_ctx *ctx, const struct value *args, const struct qp_object *q,
		    struct work *w, struct vbm_error *err)
{
	bool beyond = value_get_bool(args, "beyond", false) || has(args, "addr");

	memset(w, 0, sizeof(*w));
	if (needs_no_buffer(args))
		return 0;
	w->mr = arg_mr(ctx, args, q, err);
	if (!w->mr)
		return -err->code;
	w->offset = (size_t)value_get_int(args, "offset", 0);
	w->length = (size_t)value_get_int(args, "length", is_atomic(value_get_int(args, "opcode", -1)) ?
					  8 : (int64_t)w->mr->length);
	if (!beyond && (w->offset > w->mr->length || w->length > w->mr->length - w->offset))
		return vbm_fail(err, ERANGE, "offset %zu and length %zu are not within the %zu bytes of '%s' (beyond: true allows it)",
				w->offset, w->length, w->mr->length, w->mr->base.name);
	return cut_into_sges(w, args, err);
}

static void remember(struct qp_object *q, const struct work *w, uint64_t id, bool recv, int64_t ns)
{
	qp_remember(q, &(struct posted){
		.wr_id = id,
		.posted_ns = ns,
		.recv = recv,
		.mr = w->mr ? w->mr->base.serial : 0,
		.offset = w->offset,
		.length = w->length,
	});
}

static int run_post_recv(struct step_ctx *ctx, const struct value *args,
			 struct value *result, struct vbm_error *err)
{
	struct qp_object *q = arg_qp(ctx, args, err);
	struct ibv_recv_wr wr = {0}, *bad = NULL;
	int64_t n = value_get_int(args, "count", 1), i, ns;
	struct work w;
	int ret = 0;

	if (!q || arg_work(ctx, args, q, &w, err) < 0)
		return -err->code;
	wr.sg_list = w.sge;
	wr.num_sge = w.sges;
	for (i = 0; i < n && ret == 0; i++) {
		wr.wr_id = (uint64_t)(value_get_int(args, "id", 0) + i);
		ns = clock_now_ns();
		ret = ibv_post_recv(q->qp, &wr, &bad);
		if (ret == 0)
			remember(q, &w, wr.wr_id, true, ns);
	}
	put_errval(result, ret);
	value_set_int(result, "posted", ret ? i - 1 : i);
	value_set_bool(result, "bad_wr", bad != NULL);
	return 0;
}

static bool is_rdma(enum ibv_wr_opcode op)
{
	return op == IBV_WR_RDMA_WRITE || op == IBV_WR_RDMA_WRITE_WITH_IMM || op == IBV_WR_RDMA_READ;
}

static int fill_send_wr(struct step_ctx *ctx, const struct value *args, const struct qp_object *q,
			struct ibv_send_wr *wr, struct vbm_error *err)
{
	uint64_t remote = (uint64_t)value_get_int(args, "remote_addr", 0) +
			  (uint64_t)value_get_int(args, "remote_offset", 0);
	uint32_t rkey = (uint32_t)value_get_int(args, "rkey", 0);
	struct object *ah;

	wr->opcode = (enum ibv_wr_opcode)value_get_int(args, "opcode", IBV_WR_SEND);
	wr->send_flags = (unsigned)value_get_int(args, "flags", IBV_SEND_SIGNALED);
	wr->imm_data = htobe32((uint32_t)value_get_int(args, "imm", 0));
	if (is_rdma(wr->opcode)) {
		wr->wr.rdma.remote_addr = remote;
		wr->wr.rdma.rkey = rkey;
	} else if (is_atomic(wr->opcode)) {
		wr->wr.atomic.remote_addr = remote;
		wr->wr.atomic.rkey = rkey;
		wr->wr.atomic.compare_add = (uint64_t)value_get_int(args, "compare_add", 0);
		wr->wr.atomic.swap = (uint64_t)value_get_int(args, "swap", 0);
	} else if (q->type == IBV_QPT_UD) {
		ah = arg_object(ctx, args, "ah", OBJECT_AH, err);
		if (!ah)
			return -err->code;
		wr->wr.ud.ah = ((struct ah_object *)ah)->ah;
		wr->wr.ud.remote_qpn = (uint32_t)value_get_int(args, "remote_qpn", 0);
		wr->wr.ud.remote_qkey = (uint32_t)value_get_int(args, "remote_qkey", 0);
	}
	return 0;
}

static int run_post_send(struct step_ctx *ctx, const struct value *args,
			 struct value *result, struct vbm_error *err)
{
	struct qp_object *q = arg_qp(ctx, args, err);
	const struct value *fill = value_get(args, "fill");
	struct ibv_send_wr wr = {0}, *bad = NULL;
	int64_t n = value_get_int(args, "count", 1), i, ns;
	struct work w;
	int ret = 0;

	if (!q || arg_work(ctx, args, q, &w, err) < 0 || fill_send_wr(ctx, args, q, &wr, err) < 0)
		return -err->code;
	if (fill && w.mr && pattern_fill(w.mr->buffer + w.offset, w.length, fill, err) < 0)
		return -err->code;
	wr.sg_list = w.sge;
	wr.num_sge = w.sges;
	for (i = 0; i < n && ret == 0; i++) {
		wr.wr_id = (uint64_t)(value_get_int(args, "id", 0) + i);
		ns = clock_now_ns();
		ret = ibv_post_send(q->qp, &wr, &bad);
		if (ret == 0)
			remember(q, &w, wr.wr_id, false, ns);
	}
	put_errval(result, ret);
	value_set_int(result, "posted", ret ? i - 1 : i);
	value_set_bool(result, "bad_wr", bad != NULL);
	return 0;
}

#define P_WORK(idd)                                                           \
	P_OBJECT("qp", OBJECT_QP, "the queue pair; default: qp, or the only one"), \
	P_U64("id", idd),                                                     \
	P_OBJECT("mr", OBJECT_MR, "region with the bytes; default: QP_mr, mr, or the only one"), \
	P_INT("offset", 0, INT64_MAX, "first byte in the region; default 0"), \
	P_INT("length", 0, INT64_MAX, "how many bytes; default: the length of the region, 8 for atomics"), \
	P_INT("sges", 0, SGE_MAX, "scatter/gather entries the bytes are cut into; default 1"), \
	P_INT("lkey", 0, 0, "local key; default: that of the region"),        \
	P_U64("addr", "address instead of the region's; nothing is checked then"), \
	P_BOOL("beyond", "allow bytes outside of the region; default false"), \
	P_INT("count", 1, 1 << 20, "post the request that often, with ids counting up; default 1")

static const struct param recv_params[] = {P_WORK("wr_id; default 0"), {NULL}};
static const struct param send_params[] = {
	P_WORK("wr_id; default 0"),
	P_CONST("opcode", &const_wr_opcode, "operation; default SEND"),
	P_FLAGS("flags", &const_send_flags, "send flags; default [SIGNALED]"),
	P_BYTES("fill", 0, "fill the bytes first: counter, zero, the value of a byte (0x5a) or {hex: BYTES} over and over; default: leave them"),
	P_INT("imm", 0, UINT32_MAX, "immediate data in host order; default 0"),
	P_U64("remote_addr", "address in the peer's region, for RDMA and atomics"),
	P_INT("remote_offset", 0, INT64_MAX, "added to remote_addr; default 0"),
	P_INT("rkey", 0, UINT32_MAX, "remote key of that region"),
	P_U64("compare_add", "value to compare with, or to add"),
	P_U64("swap", "value to swap in"),
	P_OBJECT("ah", OBJECT_AH, "address handle of a datagram; default: ah, or the only one"),
	P_INT("remote_qpn", 0, UINT32_MAX, "number of the queue pair a datagram goes to"),
	P_INT("remote_qkey", 0, UINT32_MAX, "Q_Key of a datagram"),
	{NULL},
};
static const struct field post_fields[] = {
	F_ERRVAL,
	F_INT("posted", "how many requests were accepted"),
	F_BOOL("bad_wr", "whether the call pointed to the request it refused"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "post_recv", .call = "ibv_post_recv(3)", .doc = "Post a receive request.",
	 .params = recv_params, .fields = post_fields,
	 .deadline_ms = DEADLINE_MEMORY_MS, .run = run_post_recv},
	{.name = "post_send", .call = "ibv_post_send(3)", .doc = "Post a send request of any opcode.",
	 .params = send_params, .fields = post_fields,
	 .deadline_ms = DEADLINE_MEMORY_MS, .run = run_post_send},
	{.name = "poll_cq", .call = "ibv_poll_cq(3)",
	 .doc = "Wait for one completion, on a completion channel, and take it.",
	 .params = poll_cq_params, .fields = poll_cq_fields, .ok = 1, .waits = true,
	 .deadline_ms = DEADLINE_RETRIES_MS, .run = run_poll_cq},
	{NULL},
};

const struct step_family family_data = {"data", "Work requests and completions.", steps};
