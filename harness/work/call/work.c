/* SPDX-License-Identifier: BSD-2-Clause */
#include "call/work.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"

struct qp_object *work_arg_qp(struct step_ctx *ctx, const struct value *args,
			      struct vbm_error *err)
{
	return (struct qp_object *)arg_object(ctx, args, "qp", OBJECT_QP, err);
}

static struct mr_object *arg_mr(struct step_ctx *ctx, const struct value *args, const char *owner,
				struct vbm_error *err)
{
	auto_free char *own = xasprintf("%s_mr", owner);
	struct object *o = NULL;

	if (!value_get_string(args, "mr", NULL))
		o = objects_find(ctx->objects, own, OBJECT_MR);
	return (struct mr_object *)(o ? o : arg_object(ctx, args, "mr", OBJECT_MR, err));
}

static bool work_is_atomic(enum ibv_wr_opcode op)
{
	return op == IBV_WR_ATOMIC_CMP_AND_SWP || op == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

static bool work_is_rdma(enum ibv_wr_opcode op)
{
	return op == IBV_WR_RDMA_WRITE || op == IBV_WR_RDMA_WRITE_WITH_IMM || op == IBV_WR_RDMA_READ ||
	       op == IBV_WR_ATOMIC_WRITE;
}

static enum ibv_wr_opcode opcode_of(const struct value *args)
{
	return (enum ibv_wr_opcode)value_get_int(args, "opcode", IBV_WR_SEND);
}

/* Cuts the bytes into "sges:" entries. Each has "empty:" empty ones before it and a "gap:" after it. */
static int cut_into_sges(struct work *w, const struct value *args, struct vbm_error *err)
{
	bool is_bind = opcode_of(args) == IBV_WR_BIND_MW;
	bool same_place = value_get_bool(args, "same_place", false);
	int64_t sges = value_get_int(args, "sges", w->length && !is_bind ? 1 : 0);
	int64_t empty = value_get_int(args, "empty", 0), i, j;
	uint64_t at = (uint64_t)value_get_int(args, "addr", (int64_t)(uintptr_t)w->mr->buffer) + w->offset;
	uint32_t lkey = (uint32_t)value_get_int(args, "lkey", w->mr->base.mr->lkey);
	size_t left = w->length, part;

	if (sges < 0 || empty < 0 || sges * (empty + 1) > SGE_MAX)
		return vbm_fail(err, ERANGE, "sges: %lld and empty: %lld are more than %d entries",
				(long long)sges, (long long)empty, SGE_MAX);
	for (i = 0; i < sges; i++) {
		for (j = 0; j < empty; j++)
			w->sge[w->sges++] = (struct ibv_sge){.addr = at, .lkey = lkey};
		part = i + 1 < sges ? w->length / (size_t)sges : left;
		w->sge[w->sges++] = (struct ibv_sge){.addr = at, .length = (uint32_t)part, .lkey = lkey};
		at += same_place ? 0 : part + (uint64_t)value_get_int(args, "gap", 0);
		left -= part;
	}
	return 0;
}

static int64_t usual_length(const struct work *w, const struct value *args)
{
	bool eight = work_is_atomic(opcode_of(args)) || opcode_of(args) == IBV_WR_ATOMIC_WRITE;

	return eight ? 8 : (int64_t)w->mr->length;
}

static bool needs_no_buffer(const struct value *args)
{
	bool none = value_get_int(args, "length", -1) == 0 && !arg_given(args, "sges") && !arg_given(args, "mr");

	return (none && opcode_of(args) != IBV_WR_BIND_MW) || opcode_of(args) == IBV_WR_LOCAL_INV ||
	       (int)opcode_of(args) == WORK_FLUSH;
}

/* Checks that the bytes lie within the buffer, except with addr: or beyond:. */
int work_from_args(struct step_ctx *ctx, const struct value *args, const char *owner,
		   struct work *w, struct vbm_error *err)
{
	bool beyond = value_get_bool(args, "beyond", false) || arg_given(args, "addr");

	memset(w, 0, sizeof(*w));
	if (needs_no_buffer(args))
		return 0;
	w->mr = arg_mr(ctx, args, owner, err);
	if (!w->mr)
		return -err->code;
	w->offset = (size_t)value_get_int(args, "offset", 0);
	w->length = (size_t)value_get_int(args, "length", usual_length(w, args));
	if (!beyond && (w->offset > w->mr->length || w->length > w->mr->length - w->offset))
		return vbm_fail(err, ERANGE, "offset %zu and length %zu are not within the %zu bytes of "
			"'%s' (beyond: true allows it)",
				w->offset, w->length, w->mr->length, w->mr->base.name);
	return cut_into_sges(w, args, err);
}

struct posted work_posted(const struct work *w, uint64_t id, bool recv, int64_t ns)
{
	return (struct posted){
		.wr_id = id,
		.posted_ns = ns,
		.recv = recv,
		.mr = w->mr ? w->mr->base.serial : 0,
		.offset = w->offset,
		.length = w->length,
	};
}

static int fill_bind(struct step_ctx *ctx, const struct value *args, const struct work *w,
		     struct ibv_send_wr *wr, struct vbm_error *err)
{
	struct ibv_mw *mw = arg_handle(ctx, args, "mw", OBJECT_MW, err);

	if (!mw)
		return -err->code;
	wr->bind_mw.mw = mw;
	wr->bind_mw.rkey = (uint32_t)value_get_int(args, "rkey", ibv_inc_rkey(mw->rkey));
	wr->bind_mw.bind_info.mr = w->mr->base.mr;
	wr->bind_mw.bind_info.addr = w->offset +
		(uint64_t)value_get_int(args, "addr", (int64_t)(uintptr_t)w->mr->buffer);
	wr->bind_mw.bind_info.length = w->length;
	wr->bind_mw.bind_info.mw_access_flags = (unsigned)value_get_int(args, "access", 0);
	return 0;
}

void work_bound(struct ibv_send_wr *wr)
{
	if (wr->opcode == IBV_WR_BIND_MW)
		wr->bind_mw.mw->rkey = wr->bind_mw.rkey;
}

static int fill_datagram(struct step_ctx *ctx, const struct value *args, struct ibv_send_wr *wr,
			 struct vbm_error *err)
{
	wr->wr.ud.ah = arg_handle(ctx, args, "ah", OBJECT_AH, err);
	if (!wr->wr.ud.ah)
		return -err->code;
	wr->wr.ud.remote_qpn = (uint32_t)value_get_int(args, "remote_qpn", 0);
	wr->wr.ud.remote_qkey = (uint32_t)value_get_int(args, "remote_qkey", 0);
	return 0;
}

/* A struct ibv_send_wr has no members for FLUSH, so those of an atomic carry length, type and level. */
static void fill_flush(const struct value *args, struct ibv_send_wr *wr)
{
	wr->wr.atomic.compare_add = (uint64_t)value_get_int(args, "length", 0);
	wr->wr.atomic.swap = (uint64_t)value_get_int(args, "flush_type", 1) |
			     (uint64_t)value_get_int(args, "flush_level", 0) << 8;
}

static int fill_send_wr(struct step_ctx *ctx, const struct value *args, const struct qp_object *q,
			const struct work *w, struct ibv_send_wr *wr, struct vbm_error *err)
{
	uint64_t remote = (uint64_t)value_get_int(args, "remote_addr", 0) +
			  (uint64_t)value_get_int(args, "remote_offset", 0);
	uint32_t rkey = (uint32_t)value_get_int(args, "rkey", 0);

	wr->wr_id = (uint64_t)value_get_int(args, "id", 0);
	wr->opcode = opcode_of(args);
	wr->send_flags = (unsigned)value_get_int(args, "flags", IBV_SEND_SIGNALED);
	if (wr->opcode == IBV_WR_LOCAL_INV || wr->opcode == IBV_WR_SEND_WITH_INV)
		wr->invalidate_rkey = (uint32_t)value_get_int(args, "inv_rkey", 0);
	else
		wr->imm_data = htobe32((uint32_t)value_get_int(args, "imm", 0));
	if (wr->opcode == IBV_WR_BIND_MW)
		return fill_bind(ctx, args, w, wr, err);
	if (work_is_rdma(wr->opcode)) {
		wr->wr.rdma.remote_addr = remote;
		wr->wr.rdma.rkey = rkey;
	} else if ((int)wr->opcode == WORK_FLUSH) {
		wr->wr.atomic.remote_addr = remote;
		wr->wr.atomic.rkey = rkey;
		fill_flush(args, wr);
	} else if (work_is_atomic(wr->opcode)) {
		wr->wr.atomic.remote_addr = remote;
		wr->wr.atomic.rkey = rkey;
		wr->wr.atomic.compare_add = (uint64_t)value_get_int(args, "compare_add", 0);
		wr->wr.atomic.swap = (uint64_t)value_get_int(args, "swap", 0);
	} else if (q->type == IBV_QPT_UD) {
		return fill_datagram(ctx, args, wr, err);
	}
	return 0;
}

int work_send_from_args(struct step_ctx *ctx, const struct value *args, const struct qp_object *q,
			struct work *w, struct ibv_send_wr *wr, struct vbm_error *err)
{
	const struct value *fill = value_get(args, "fill");

	memset(wr, 0, sizeof(*wr));
	if (work_from_args(ctx, args, q->base.name, w, err) < 0 ||
	    fill_send_wr(ctx, args, q, w, wr, err) < 0)
		return -err->code;
	if (fill && w->mr && bytes_pattern_fill(w->mr->buffer + w->offset, w->length, fill, err) < 0)
		return -err->code;
	wr->sg_list = w->sge;
	wr->num_sge = w->sges;
	return 0;
}

static int post_to_qp(void *queue, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	return ibv_post_recv(queue, wr, bad);
}

static int post_to_srq(void *queue, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	return ibv_post_srq_recv(queue, wr, bad);
}

int work_arg_qp_receiver(struct step_ctx *ctx, const struct value *args, struct work_receiver *to, struct vbm_error *err)
{
	struct qp_object *q = work_arg_qp(ctx, args, err);

	if (!q)
		return -err->code;
	*to = (struct work_receiver){post_to_qp, q->base.qp, q->base.name, &q->posted};
	return 0;
}

int work_arg_srq_receiver(struct step_ctx *ctx, const struct value *args, struct work_receiver *to, struct vbm_error *err)
{
	struct srq_object *s = (struct srq_object *)arg_object(ctx, args, "srq", OBJECT_SRQ, err);

	if (!s)
		return -err->code;
	*to = (struct work_receiver){post_to_srq, s->base.srq, s->base.name, &s->posted};
	return 0;
}

int work_post_recvs(struct step_ctx *ctx, const struct value *args, struct value *result,
		    const struct work_receiver *to, struct vbm_error *err)
{
	struct ibv_recv_wr wr = {0}, *bad = NULL;
	int64_t n = value_get_int(args, "count", 1), i, ns;
	struct work w;
	int ret = 0;

	if (work_from_args(ctx, args, to->name, &w, err) < 0)
		return -err->code;
	wr.sg_list = w.sge;
	wr.num_sge = w.sges;
	for (i = 0; i < n && ret == 0; i++) {
		wr.wr_id = (uint64_t)(value_get_int(args, "id", 0) + i);
		ns = clock_now_ns();
		ret = to->post(to->queue, &wr, &bad);
		if (ret == 0)
			postings_add(to->posted, work_posted(&w, wr.wr_id, true, ns));
	}
	put_errval(result, ret);
	value_set_int(result, "posted", ret ? i - 1 : i);
	value_set_bool(result, "bad_wr", bad != NULL);
	return 0;
}
