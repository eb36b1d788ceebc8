/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/clock.h"
#include "call/work.h"

static int post_one(void *queue, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	return ibv_post_recv(queue, wr, bad);
}

STEP(run_post_recv)
{
	struct qp_object *q = work_arg_qp(ctx, args, err);

	if (!q)
		return -err->code;
	return work_post_recvs(ctx, args, result, q->base.name, &q->posted,
			       post_one, q->base.qp, err);
}

STEP(run_post_send)
{
	struct qp_object *q = work_arg_qp(ctx, args, err);
	int64_t n = value_get_int(args, "count", 1), i, ns;
	struct ibv_send_wr wr, *bad = NULL;
	struct work w;
	int ret = 0;

	if (!q || work_send_from_args(ctx, args, q, &w, &wr, err) < 0)
		return -err->code;
	for (i = 0; i < n && ret == 0; i++) {
		wr.wr_id = (uint64_t)(value_get_int(args, "id", 0) + i);
		ns = clock_now_ns();
		ret = ibv_post_send(q->base.qp, &wr, &bad);
		if (ret == 0)
			postings_add(&q->posted, work_posted(&w, wr.wr_id, false, ns));
	}
	put_errval(result, ret);
	value_set_int(result, "posted", ret ? i - 1 : i);
	value_set_bool(result, "bad_wr", bad != NULL);
	if (ret == 0 && wr.opcode == IBV_WR_BIND_MW) {
		work_bound(&wr);
		value_set_int(result, "rkey", wr.bind_mw.rkey);
	}
	return 0;
}

#define P_COUNT                                                               \
	P_INT("count", 1, 1 << 20, "post the request this many times, with ids counting up; default 1")
#define F_POST                                                                \
	F_ERRVAL, F_INT("posted", "how many requests were accepted"),         \
	F_BOOL("bad_wr", "whether the call pointed to the request that it refused")

static const struct param recv_params[] = {P_QP, P_WORK_BYTES, P_COUNT, {NULL}};
static const struct field recv_fields[] = {F_POST, {NULL}};
static const struct param send_params[] = {P_QP, P_WORK_BYTES, P_COUNT, P_SEND, {NULL}};
static const struct field send_fields[] = {
	F_POST,
	F_INT("rkey", "the key of the window after BIND_MW; absent for other requests"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "post_recv", .call = "ibv_post_recv(3)", .doc = "Post a receive request.",
	 .params = recv_params, .fields = recv_fields,
	 .deadline_ms = DEADLINE_MEMORY_MS, .run = run_post_recv},
	{.name = "post_send", .call = "ibv_post_send(3)", .doc = "Post a send request of any opcode.",
	 .params = send_params, .fields = send_fields,
	 .deadline_ms = DEADLINE_MEMORY_MS, .run = run_post_send},
	{.name = "poll_cq", .call = "ibv_poll_cq(3)",
	 .doc = "Wait for one completion, on a completion channel, and take it.",
	 .params = poll_cq_params, .fields = poll_cq_fields, .ok = 1, .waits = true,
	 .deadline_ms = DEADLINE_RETRIES_MS, .run = poll_cq_run},
	{NULL},
};

const struct step_family family_data = {"data", "Work requests and completions.", steps};
