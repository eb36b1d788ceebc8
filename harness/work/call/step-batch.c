/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "call/work.h"

static int fill_recv(struct step_ctx *ctx, const struct value *args, const char *owner,
		     struct work *w, struct ibv_recv_wr *wr, struct vbm_error *err)
{
	if (work_from_args(ctx, args, owner, w, err) < 0)
		return -err->code;
	wr->wr_id = (uint64_t)value_get_int(args, "id", 0);
	wr->sg_list = w->sge;
	wr->num_sge = w->sges;
	return 0;
}

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
	const struct value *list = arg_list(args, err);
	int64_t n, i;

	if (!list)
		return -err->code;
	n = (int64_t)list->list.count;
	for (i = 0; i < n; i++) {
		if (fill_recv(ctx, list->list.item[i], owner, &w[i], &wr[i], err) < 0)
			return -err->code;
		wr[i].next = i + 1 < n ? &wr[i + 1] : NULL;
	}
	return n;
}

static void note_recvs(struct postings *posted, const struct work *w, const struct ibv_recv_wr *wr,
		       int64_t n, int64_t ns)
{
	int64_t i;

	for (i = 0; i < n; i++)
		postings_add(posted, work_posted(&w[i], wr[i].wr_id, true, ns));
}

STEP(run_post_recv_list)
{
	auto_free struct ibv_recv_wr *wr = xcalloc(LIST_MAX, sizeof(*wr));
	auto_free struct work *w = xcalloc(LIST_MAX, sizeof(*w));
	struct qp_object *q = work_arg_qp(ctx, args, err);
	int64_t n = q ? link_recvs(ctx, args, q->base.name, w, wr, err) : -err->code;
	struct ibv_recv_wr *bad = NULL;
	int64_t ns = clock_now_ns();
	int ret;

	if (n < 0)
		return -err->code;
	ret = ibv_post_recv(q->base.qp, n ? wr : NULL, &bad);
	put_posted(result, ret, bad ? bad - wr : -1, (size_t)n);
	note_recvs(&q->posted, w, wr, value_get_int(result, "posted", 0), ns);
	return 0;
}

STEP(run_post_srq_recv_list)
{
	auto_free struct ibv_recv_wr *wr = xcalloc(LIST_MAX, sizeof(*wr));
	auto_free struct work *w = xcalloc(LIST_MAX, sizeof(*w));
	struct srq_object *s = (struct srq_object *)arg_object(ctx, args, "srq", OBJECT_SRQ, err);
	int64_t n = s ? link_recvs(ctx, args, s->base.name, w, wr, err) : -err->code;
	struct ibv_recv_wr *bad = NULL;
	int64_t ns = clock_now_ns();
	int ret;

	if (n < 0)
		return -err->code;
	ret = ibv_post_srq_recv(s->base.srq, n ? wr : NULL, &bad);
	put_posted(result, ret, bad ? bad - wr : -1, (size_t)n);
	note_recvs(&s->posted, w, wr, value_get_int(result, "posted", 0), ns);
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
	 .params = wr_post_params, .fields = wr_post_fields,
	 .deadline_ms = DEADLINE_MEMORY_MS, .run = wr_post_run},
	{.name = "poll_cq_many", .call = "ibv_poll_cq(3)",
	 .doc = "Wait for completions, and take all that are there.",
	 .params = poll_cq_many_params, .fields = poll_cq_many_fields, .waits = true,
	 .deadline_ms = DEADLINE_RETRIES_MS, .run = poll_cq_many_run},
	{NULL},
};

const struct step_family family_batch = {
	"batch", "Several work requests or completions with one call.", steps
};
