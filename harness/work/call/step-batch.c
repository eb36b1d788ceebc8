/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "call/work.h"

/* "list:", or NULL with @err. */
static const struct value *arg_list(const struct value *args, struct vbm_error *err)
{
	const struct value *list = value_get(args, "list");

	if (list && list->list.count <= LIST_MAX)
		return list;
	vbm_fail(err, E2BIG, "list: more than %d requests", LIST_MAX);
	return NULL;
}

/* @bad is the index of the request that the call pointed to, or -1 when it pointed to no request. */
static void put_posted(struct value *result, int ret, int64_t bad, size_t count)
{
	put_errval(result, ret);
	value_set_int(result, "posted", bad >= 0 ? bad : ret ? 0 : (int64_t)count);
	if (bad >= 0)
		value_set_int(result, "bad_wr", bad);
}

STEP(run_post_send_list)
{
	auto_free struct ibv_send_wr *wr = xcalloc(LIST_MAX, sizeof(*wr));
	auto_free struct work *w = xcalloc(LIST_MAX, sizeof(*w));
	const struct value *list = arg_list(args, err);
	struct qp_object *q = work_arg_qp(ctx, args, err);
	struct ibv_send_wr *bad = NULL;
	int64_t ns, i, n;
	int ret;

	if (!list || !q)
		return -err->code;
	n = (int64_t)list->list.count;
	for (i = 0; i < n; i++) {
		if (work_send_from_args(ctx, list->list.item[i], q, &w[i], &wr[i], err) < 0)
			return -err->code;
		wr[i].next = i + 1 < n ? &wr[i + 1] : NULL;
	}
	ns = clock_now_ns();
	ret = ibv_post_send(q->base.qp, n ? wr : NULL, &bad);
	put_posted(result, ret, bad ? bad - wr : -1, (size_t)n);
	n = value_get_int(result, "posted", 0);
	for (i = 0; i < n; i++) {
		postings_add(&q->posted, work_posted(&w[i], wr[i].wr_id, false, ns));
		work_bound(&wr[i]);
	}
	return 0;
}

/* Links the requests of "list:". Returns their number, or a negative errno with @err. */
static int64_t link_recvs(struct step_ctx *ctx, const struct value *args, const char *owner,
			  struct work *w, struct ibv_recv_wr *wr, struct vbm_error *err)
{
	const struct value *list = arg_list(args, err), *item;
	int64_t n, i;

	if (!list)
		return -err->code;
	n = (int64_t)list->list.count;
	for (i = 0; i < n; i++) {
		item = list->list.item[i];
		if (work_from_args(ctx, item, owner, &w[i], err) < 0)
			return -err->code;
		wr[i].wr_id = (uint64_t)value_get_int(item, "id", 0);
		wr[i].sg_list = w[i].sge;
		wr[i].num_sge = w[i].sges;
		wr[i].next = i + 1 < n ? &wr[i + 1] : NULL;
	}
	return n;
}

static int post_recv_list(struct step_ctx *ctx, const struct value *args, struct value *result,
			  const struct work_receiver *to, struct vbm_error *err)
{
	auto_free struct ibv_recv_wr *wr = xcalloc(LIST_MAX, sizeof(*wr));
	auto_free struct work *w = xcalloc(LIST_MAX, sizeof(*w));
	int64_t n = link_recvs(ctx, args, to->name, w, wr, err), i;
	struct ibv_recv_wr *bad = NULL;
	int64_t ns = clock_now_ns();
	int ret;

	if (n < 0)
		return -err->code;
	ret = to->post(to->queue, n ? wr : NULL, &bad);
	put_posted(result, ret, bad ? bad - wr : -1, (size_t)n);
	n = value_get_int(result, "posted", 0);
	for (i = 0; i < n; i++)
		postings_add(to->posted, work_posted(&w[i], wr[i].wr_id, true, ns));
	return 0;
}

STEP(run_post_recv_list)
{
	struct work_receiver to;

	return work_arg_qp_receiver(ctx, args, &to, err) < 0 ? -err->code : post_recv_list(ctx, args, result, &to, err);
}

STEP(run_post_srq_recv_list)
{
	struct work_receiver to;

	return work_arg_srq_receiver(ctx, args, &to, err) < 0 ? -err->code : post_recv_list(ctx, args, result, &to, err);
}

/*
 * wr_post: the calls of ibv_wr_post(3) for a list of requests. A struct
 * ibv_send_wr carries the arguments of the builders.
 */

static void build_write(struct ibv_qp_ex *ex, const struct ibv_send_wr *wr)
{
	ibv_wr_rdma_write(ex, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr);
}

static void build_write_imm(struct ibv_qp_ex *ex, const struct ibv_send_wr *wr)
{
	ibv_wr_rdma_write_imm(ex, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr, wr->imm_data);
}

static void build_send(struct ibv_qp_ex *ex, const struct ibv_send_wr *wr)
{
	(void)wr;
	ibv_wr_send(ex);
}

static void build_send_imm(struct ibv_qp_ex *ex, const struct ibv_send_wr *wr)
{
	ibv_wr_send_imm(ex, wr->imm_data);
}

static void build_send_inv(struct ibv_qp_ex *ex, const struct ibv_send_wr *wr)
{
	ibv_wr_send_inv(ex, wr->invalidate_rkey);
}

static void build_read(struct ibv_qp_ex *ex, const struct ibv_send_wr *wr)
{
	ibv_wr_rdma_read(ex, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr);
}

static void build_swap(struct ibv_qp_ex *ex, const struct ibv_send_wr *wr)
{
	ibv_wr_atomic_cmp_swp(ex, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr,
			      wr->wr.atomic.compare_add, wr->wr.atomic.swap);
}

static void build_add(struct ibv_qp_ex *ex, const struct ibv_send_wr *wr)
{
	ibv_wr_atomic_fetch_add(ex, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr,
				wr->wr.atomic.compare_add);
}

static void build_local_inv(struct ibv_qp_ex *ex, const struct ibv_send_wr *wr)
{
	ibv_wr_local_inv(ex, wr->invalidate_rkey);
}

static void build_bind(struct ibv_qp_ex *ex, const struct ibv_send_wr *wr)
{
	ibv_wr_bind_mw(ex, wr->bind_mw.mw, wr->bind_mw.rkey, &wr->bind_mw.bind_info);
}

/* The request itself contains the eight bytes to write. */
static void build_atomic_write(struct ibv_qp_ex *ex, const struct ibv_send_wr *wr)
{
	ibv_wr_atomic_write(ex, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr,
			    (const void *)(uintptr_t)wr->sg_list[0].addr);
}

#ifdef HAVE_STRUCT_IBV_QP_EX_WR_FLUSH
/* struct ibv_send_wr has no members for it: see fill_flush(). */
static void build_flush(struct ibv_qp_ex *ex, const struct ibv_send_wr *wr)
{
	ibv_wr_flush(ex, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr,
		     (size_t)wr->wr.atomic.compare_add, (uint8_t)wr->wr.atomic.swap,
		     (uint8_t)(wr->wr.atomic.swap >> 8));
}
#endif

static const struct {
	void (*build)(struct ibv_qp_ex *ex, const struct ibv_send_wr *wr);
	bool data;	/* a setter follows */
} builders[] = {
	[IBV_WR_RDMA_WRITE] = {build_write, true},
	[IBV_WR_RDMA_WRITE_WITH_IMM] = {build_write_imm, true},
	[IBV_WR_SEND] = {build_send, true},
	[IBV_WR_SEND_WITH_IMM] = {build_send_imm, true},
	[IBV_WR_SEND_WITH_INV] = {build_send_inv, true},
	[IBV_WR_RDMA_READ] = {build_read, true},
	[IBV_WR_ATOMIC_CMP_AND_SWP] = {build_swap, true},
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = {build_add, true},
	[IBV_WR_LOCAL_INV] = {build_local_inv, false},
	[IBV_WR_BIND_MW] = {build_bind, false},
	[IBV_WR_ATOMIC_WRITE] = {build_atomic_write, false},
#ifdef HAVE_STRUCT_IBV_QP_EX_WR_FLUSH
	[IBV_WR_FLUSH] = {build_flush, false},
#endif
};

static void set_inline(struct ibv_qp_ex *ex, const struct work *w, bool list)
{
	struct ibv_data_buf buf[SGE_MAX];
	int i;

	for (i = 0; i < w->sges; i++)
		buf[i] = (struct ibv_data_buf){(void *)(uintptr_t)w->sge[i].addr, w->sge[i].length};
	if (list || w->sges != 1)
		ibv_wr_set_inline_data_list(ex, (size_t)w->sges, buf);
	else
		ibv_wr_set_inline_data(ex, buf[0].addr, buf[0].length);
}

static void set_data(struct ibv_qp_ex *ex, const struct work *w, const struct value *item)
{
	bool list = value_get_bool(item, "as_list", false);

	if (value_get_bool(item, "inline", false))
		set_inline(ex, w, list);
	else if (list || w->sges != 1)
		ibv_wr_set_sge_list(ex, (size_t)w->sges, w->sge);
	else
		ibv_wr_set_sge(ex, w->sge[0].lkey, w->sge[0].addr, w->sge[0].length);
}

static void build_request(const struct qp_object *q, const struct value *item, const struct work *w,
			  const struct ibv_send_wr *wr)
{
	q->ex->wr_id = wr->wr_id;
	q->ex->wr_flags = wr->send_flags;
	builders[wr->opcode].build(q->ex, wr);
	if (builders[wr->opcode].data && !value_get_bool(item, "no_data", false))
		set_data(q->ex, w, item);
	if (q->type == IBV_QPT_UD)
		ibv_wr_set_ud_addr(q->ex, wr->wr.ud.ah, wr->wr.ud.remote_qpn,
				   wr->wr.ud.remote_qkey);
}

static int arg_requests(struct step_ctx *ctx, const struct value *list, const struct qp_object *q,
			struct work *w, struct ibv_send_wr *wr, struct vbm_error *err)
{
	size_t i;

	if (!q->ex)
		return vbm_fail(err, EINVAL, "'%s' was not made by create_qp_ex", q->base.name);
	if (list->list.count > LIST_MAX)
		return vbm_fail(err, E2BIG, "list: more than %d requests", LIST_MAX);
	for (i = 0; i < list->list.count; i++) {
		if (work_send_from_args(ctx, list->list.item[i], q, &w[i], &wr[i], err) < 0)
			return -err->code;
		if (wr[i].opcode >= ARRAY_SIZE(builders) || !builders[wr[i].opcode].build)
			return vbm_fail(err, EINVAL, "there is no call for a request of opcode %d", wr[i].opcode);
	}
	return 0;
}

STEP(run_wr_post)
{
	auto_free struct ibv_send_wr *wr = xcalloc(LIST_MAX, sizeof(*wr));
	auto_free struct work *w = xcalloc(LIST_MAX, sizeof(*w));
	const struct value *list = value_get(args, "list");
	struct qp_object *q = work_arg_qp(ctx, args, err);
	bool abort = value_get_bool(args, "abort", false);
	int64_t ns = clock_now_ns();
	int ret = 0;
	size_t i;

	if (!q || arg_requests(ctx, list, q, w, wr, err) < 0)
		return -err->code;
	ibv_wr_start(q->ex);
	for (i = 0; i < list->list.count; i++)
		build_request(q, list->list.item[i], &w[i], &wr[i]);
	if (abort)
		ibv_wr_abort(q->ex);
	else
		ret = ibv_wr_complete(q->ex);
	put_errval(result, ret);
	for (i = 0; i < list->list.count && !abort && ret == 0; i++) {
		postings_add(&q->posted, work_posted(&w[i], wr[i].wr_id, false, ns));
		work_bound(&wr[i]);
	}
	return 0;
}

#define P_REQUESTS(s)                                                         \
	{.name = "list", .type = PARAM_LIST, .sub = (s), .required = true,    \
	 .doc = "the requests in order; each has its own parameters"}

static const struct param send_item[] = {P_WORK_BYTES, P_SEND, {NULL}};
static const struct param recv_item[] = {P_WORK_BYTES, {NULL}};
static const struct param send_params[] = {P_QP, P_REQUESTS(send_item), {NULL}};
static const struct param recv_params[] = {P_QP, P_REQUESTS(recv_item), {NULL}};
static const struct param srq_recv_params[] = {
	P_OBJECT("srq", OBJECT_SRQ, "the shared receive queue; default: srq, or the only one"),
	P_REQUESTS(recv_item),
	{NULL},
};
static const struct field post_fields[] = {
	F_ERRVAL,
	F_INT("posted", "how many requests were accepted: those before bad_wr"),
	F_INT("bad_wr", "index in the list, from 0, of the request that the call pointed to; absent when it pointed to no request"),
	{NULL},
};

static const struct param item_params[] = {
	P_WORK_BYTES,
	P_SEND,
	P_BOOL("inline", "true passes the bytes with ibv_wr_set_inline_data(3); default false"),
	P_BOOL("as_list", "true uses the setter for lists also for a single entry; default false"),
	P_BOOL("no_data", "true calls no setter for the bytes; default false"),
	{NULL},
};

static const struct param wr_post_params[] = {
	P_OBJECT("qp", OBJECT_QP, "the queue pair; default: qp, or the only one"),
	{.name = "list", .type = PARAM_LIST, .sub = item_params, .required = true,
	 .doc = "the requests in order; each has its own parameters"},
	P_BOOL("abort", "true ends with ibv_wr_abort(3), which returns nothing; default false"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "post_send_list", .call = "ibv_post_send(3)",
	 .doc = "Post several send requests with one call.",
	 .params = send_params, .fields = post_fields,
	 .deadline_ms = DEADLINE_MEMORY_MS, .run = run_post_send_list},
	{.name = "post_recv_list", .call = "ibv_post_recv(3)",
	 .doc = "Post several receive requests with one call.",
	 .params = recv_params, .fields = post_fields,
	 .deadline_ms = DEADLINE_MEMORY_MS, .run = run_post_recv_list},
	{.name = "post_srq_recv_list", .call = "ibv_post_srq_recv(3)",
	 .doc = "Post several receive requests to a shared receive queue with one call.",
	 .params = srq_recv_params, .fields = post_fields,
	 .deadline_ms = DEADLINE_MEMORY_MS, .run = run_post_srq_recv_list},
	{.name = "wr_post", .call = "ibv_wr_complete(3)",
	 .doc = "Post send requests with ibv_wr_start(3) and the calls that build requests.",
	 .params = wr_post_params, .fields = step_errval_fields,
	 .deadline_ms = DEADLINE_MEMORY_MS, .run = run_wr_post},
	{.name = "poll_cq_many", .call = "ibv_poll_cq(3)",
	 .doc = "Wait for completions, and take all that are there.",
	 .params = step_poll_many_params, .fields = step_poll_many_fields, .waits = true,
	 .deadline_ms = DEADLINE_RETRIES_MS, .run = step_poll_many_run},
	{NULL},
};

const struct step_family family_batch = {
	"batch", "Several work requests or completions with one call.", steps, .only_objects = true
};
