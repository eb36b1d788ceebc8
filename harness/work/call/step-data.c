/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "call/work.h"
#include "names/consts.h"

STEP(run_post_recv)
{
	struct work_receiver to;

	return work_arg_qp_receiver(ctx, args, &to, err) < 0 ? -err->code : work_post_recvs(ctx, args, result, &to, err);
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

#define GRH_BYTES 40

struct queues {
	struct cq_object *cq[2];
	int count;
};

static struct cq_object *queue_of(struct step_ctx *ctx, const struct qp_object *qp, uint64_t serial,
				  struct vbm_error *err)
{
	struct object *o = objects_serial(ctx->objects, serial);

	if (!o)
		vbm_fail(err, ENOENT, "a completion queue of '%s' is gone", qp->base.name);
	return (struct cq_object *)o;
}

/* "cq:" selects one queue, "qp:" both queues of a pair; the default is the usual queue. */
static int arg_queues(struct step_ctx *ctx, const struct value *args, struct queues *q,
		      struct vbm_error *err)
{
	struct object *o;
	struct qp_object *qp;

	if (arg_object_opt(ctx, args, "qp", OBJECT_QP, &o, err) < 0)
		return -err->code;
	qp = (struct qp_object *)o;
	if (!qp || arg_given(args, "cq")) {
		q->cq[0] = (struct cq_object *)arg_object(ctx, args, "cq", OBJECT_CQ, err);
		q->count = 1;
		return q->cq[0] ? 0 : -err->code;
	}
	q->cq[0] = queue_of(ctx, qp, qp->send_cq, err);
	if (!q->cq[0])
		return -err->code;
	q->count = qp->send_cq == qp->recv_cq ? 1 : 2;
	if (q->count == 2)
		q->cq[1] = queue_of(ctx, qp, qp->recv_cq, err);
	return q->cq[q->count - 1] ? 0 : -err->code;
}

/* Takes up to @max completions from the first queue that has any. Returns their number, or -1. */
static int poll_queues(const struct queues *q, int max, struct ibv_wc *wc)
{
	int i, n;

	for (i = 0; i < q->count; i++) {
		n = ibv_poll_cq(q->cq[i]->base.cq, max, wc);
		if (n)
			return n;
	}
	return 0;
}

static int arm(const struct queues *q, struct vbm_error *err)
{
	int i, ret;

	for (i = 0; i < q->count; i++) {
		if (!q->cq[i]->channel)
			return vbm_fail(err, EINVAL, "'%s' has no completion channel to wait on; use wait: false",
					q->cq[i]->base.name ? q->cq[i]->base.name : "the queue");
		ret = ibv_req_notify_cq(q->cq[i]->base.cq, 0);
		if (ret)
			return vbm_fail(err, ret, "ibv_req_notify_cq failed: %s", strerror(ret));
	}
	return 0;
}

static void take_event(struct cq_object *c)
{
	struct ibv_cq *cq;
	void *context;

	if (c->base.target->get_cq_event(c->channel, &cq, &context) == 0)
		c->base.target->ack_cq_events(cq, 1);
}

/* Asks for an event, polls once more because a completion may have come before, then waits. */
static int wait_some(struct step_ctx *ctx, const struct queues *q, int max, struct ibv_wc *wc,
		     int *n, struct vbm_error *err)
{
	int fds[2], i;

	for (;;) {
		*n = poll_queues(q, max, wc);
		if (*n)
			return 0;
		if (arm(q, err) < 0)
			return -err->code;
		*n = poll_queues(q, max, wc);
		if (*n)
			return 0;
		for (i = 0; i < q->count; i++)
			fds[i] = q->cq[i]->channel->fd;
		i = step_wait_readable(fds, q->count, ctx->deadline_ns);
		if (i == -ETIMEDOUT)
			return step_wait_failed(ctx, err, "completion");
		if (i < 0)
			return vbm_fail(err, -i, "waiting for a completion failed");
		take_event(q->cq[i]);
	}
}

static struct qp_object *qp_numbered(const struct step_ctx *ctx, uint32_t num)
{
	struct object *o = NULL;

	while ((o = objects_next(ctx->objects, o, OBJECT_QP)))
		if (o->qp->qp_num == num)
			return (struct qp_object *)o;
	return NULL;
}

static struct posted *find_posted(const struct postings *list, uint64_t wr_id, bool recv)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (list->item[i].wr_id == wr_id && list->item[i].recv == recv)
			return &list->item[i];
	return NULL;
}

static void forget_posted(struct postings *list, struct posted *p)
{
	size_t i = (size_t)(p - list->item);

	memmove(p, p + 1, (list->count - i - 1) * sizeof(*p));
	list->count--;
}

/* Finds the request in the queue pair and in its shared receive queue. */
static struct posted *look_up(const struct step_ctx *ctx, struct qp_object *q, uint64_t wr_id,
			      bool recv, struct postings **in)
{
	struct srq_object *s = (struct srq_object *)objects_serial(ctx->objects, q->srq);

	*in = recv && s ? &s->posted : &q->posted;
	return find_posted(*in, wr_id, recv);
}

/* Keeps the datagram for the steps that answer it: see step-ah.c. */
static void keep_datagram(struct qp_object *q, const struct ibv_wc *wc, const unsigned char *at)
{
	q->datagram = *wc;
	memcpy(&q->grh, at, sizeof(q->grh));
}

static void put_received(const struct step_ctx *ctx, struct value *result, struct qp_object *q,
		     const struct posted *p, const struct ibv_wc *wc)
{
	const struct mr_object *m = (struct mr_object *)objects_serial(ctx->objects, p->mr);
	size_t skip = p->recv && q->type == IBV_QPT_UD ? GRH_BYTES : 0;
	size_t len = p->recv ? wc->byte_len : p->length;

	if (wc->opcode == IBV_WC_RECV_RDMA_WITH_IMM || !m || p->offset > m->length)
		return;
	if (len > m->length - p->offset)
		len = m->length - p->offset;
	if (skip && len >= skip)
		keep_datagram(q, wc, m->buffer + p->offset);
	skip = skip > len ? len : skip;
	put_data(result, m->buffer + p->offset + skip, len - skip);
}

/*
 * Opcode and byte_len of a failed completion are undefined, so only the request
 * says whether it was a send or a receive.
 */
static void put_completion(const struct step_ctx *ctx, struct value *result, const struct ibv_wc *wc)
{
	struct qp_object *q = qp_numbered(ctx, wc->qp_num);
	bool good = wc->status == IBV_WC_SUCCESS;
	bool recv = good && (wc->opcode & IBV_WC_RECV);
	struct postings *in = NULL;
	struct posted *p = NULL;

	value_set_int(result, "id", (int64_t)wc->wr_id);
	value_set_int(result, "status", wc->status);
	value_set_int(result, "qp_num", wc->qp_num);
	value_set_int(result, "vendor_err", wc->vendor_err);
	if (q) {
		p = look_up(ctx, q, wc->wr_id, recv, &in);
		if (!p && !good)
			p = look_up(ctx, q, wc->wr_id, true, &in);
	}
	if (good) {
		value_set_int(result, "opcode", wc->opcode);
		value_set_int(result, "flags", wc->wc_flags);
		value_set_int(result, "slid", wc->slid);
		value_set_int(result, "sl", wc->sl);
		value_set_int(result, "dlid_path_bits", wc->dlid_path_bits);
		value_set_int(result, "pkey_index", wc->pkey_index);
		if (recv || wc->opcode == IBV_WC_RDMA_READ)
			value_set_int(result, "length", wc->byte_len);
		if (recv && q && q->type == IBV_QPT_UD)
			value_set_int(result, "src_qp", wc->src_qp);
		if (wc->wc_flags & IBV_WC_WITH_IMM)
			value_set_int(result, "imm", be32toh(wc->imm_data));
		else if (wc->wc_flags & IBV_WC_WITH_INV)
			value_set_int(result, "inv_rkey", wc->invalidated_rkey);
		if (p)
			put_received(ctx, result, q, p, wc);
	}
	if (p)
		value_set_int(result, "since_post_ms", step_elapsed_ms_since(p->posted_ns));
	if (p)
		forget_posted(in, p);
}

/* Takes up to @max completions; *@n is what the call returned. */
static int take_completions(struct step_ctx *ctx, const struct value *args, int max, struct ibv_wc *wc, int *n,
			    struct vbm_error *err)
{
	struct queues q = {0};

	*n = 0;
	if (arg_queues(ctx, args, &q, err) < 0)
		return -err->code;
	if (value_get_bool(args, "wait", true))
		return wait_some(ctx, &q, max, wc, n, err);
	*n = poll_queues(&q, max, wc);
	return 0;
}

STEP(run_poll_cq)
{
	struct ibv_wc wc = {0};
	int n;

	if (take_completions(ctx, args, 1, &wc, &n, err) < 0)
		return -err->code;
	value_set_int(result, "return", n);
	if (n == 1)
		put_completion(ctx, result, &wc);
	return 0;
}

int step_poll_many_run(struct step_ctx *ctx, const struct value *args,
		     struct value *result, struct vbm_error *err)
{
	int max = (int)value_get_int(args, "num_entries", 16), n, i;
	auto_free struct ibv_wc *wc = xcalloc((size_t)max + 1, sizeof(*wc));
	struct value *list, *item;

	if (take_completions(ctx, args, max, wc, &n, err) < 0)
		return -err->code;
	value_set_int(result, "return", n);
	list = value_list();
	for (i = 0; i < n && i < max; i++) {
		item = value_map();
		put_completion(ctx, item, &wc[i]);
		value_append(list, item);
	}
	value_set(result, "completions", list);
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

#define P_QUEUES                                                              \
	P_OBJECT("cq", OBJECT_CQ, "the completion queue; default: the queues of qp, or cq, or the only one"), \
	P_OBJECT("qp", OBJECT_QP, "a queue pair, to poll both its send and its receive completion queue"), \
	P_BOOL("wait", "false polls once and does not wait; default true")

#define F_COMPLETION                                                          \
	F_U64("id", "wr_id of the request"),                                  \
	F_CONST("status", &const_wc_status, "outcome of the request"),        \
	F_CONST("opcode", &const_wc_opcode, "operation that was completed; absent after a failure"), \
	F_INT("length", "bytes received or read; absent otherwise"),          \
	F_DATA,                                                               \
	F_INT("imm", "immediate data in host order; absent if there is none"),         \
	F_INT("inv_rkey", "key that the message invalidated; absent if there is none"), \
	F_FLAGS("flags", &const_wc_flags, "flags of the completion; absent after a failure"), \
	F_INT("qp_num", "number of the queue pair"),                          \
	F_INT("src_qp", "number of the sender's queue pair, for datagrams"),  \
	F_INT("slid", "LID of the sender, in network byte order; absent after a failure"), \
	F_INT("sl", "service level; absent after a failure"),                 \
	F_INT("dlid_path_bits", "path bits of the receiver's LID; absent after a failure"), \
	F_INT("pkey_index", "index of the P_Key; absent after a failure"),    \
	F_INT("vendor_err", "the vendor's error code")
#define F_SINCE_POST                                                          \
	F_INT("since_post_ms", "milliseconds from the call that posted the request to the completion")
#define F_WAITED                                                              \
	F_INT("elapsed_ms", "milliseconds from the beginning of the step to the completion")

static const struct param poll_cq_params[] = {P_QUEUES, {NULL}};
static const struct field poll_cq_fields[] = {
	F_INT("return", "how many completions were taken: 1, or 0 with wait: false"),
	F_COMPLETION,
	F_WAITED,
	F_SINCE_POST,
	{NULL},
};

const struct param step_poll_many_params[] = {
	P_QUEUES,
	P_INT("num_entries", 0, 4096, "how many completions to take at most; default 16"),
	{NULL},
};
static const struct field completion_fields[] = {F_COMPLETION, F_SINCE_POST, {NULL}};
const struct field step_poll_many_fields[] = {
	F_INT("return", "how many completions were taken"),
	F_LIST("completions", completion_fields, "the completions, in order"),
	F_WAITED,
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
	 .deadline_ms = DEADLINE_RETRIES_MS, .run = run_poll_cq},
	{NULL},
};

const struct step_family family_data = {"data", "Work requests and completions.", steps, .only_objects = true};
