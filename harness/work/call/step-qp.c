/* SPDX-License-Identifier: BSD-2-Clause */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "call/numbering.h"
#include "call/qp-attr.h"
#include "call/step-util.h"

static int qp_release(struct object *o)
{
	const struct qp_object *q = (struct qp_object *)o;

	if (!q->cm_id)
		return o->target->destroy_qp(o->qp);
	o->target->cm_destroy_qp(q->cm_id);
	return 0;
}

static void qp_discard(struct object *o)
{
	struct qp_object *q = (struct qp_object *)o;

	free(q->posted.item);
}

struct qp_object *qp_object_new(struct ibv_qp *qp, enum ibv_qp_type type, uint64_t send_cq, uint64_t recv_cq)
{
	struct qp_object *q = xcalloc(1, sizeof(*q));

	q->base.qp = qp;
	q->base.release = qp_release;
	q->base.discard = qp_discard;
	q->type = type;
	q->send_cq = send_cq;
	q->recv_cq = recv_cq;
	return q;
}

void postings_add(struct postings *list, struct posted p)
{
	GROW(list->item, list->count);
	list->item[list->count++] = p;
}

/* The queues a new queue pair reports to: cq for both, or one for each. */
static bool arg_cqs(struct step_ctx *ctx, const struct value *args, struct cq_object **send,
		    struct cq_object **recv, struct vbm_error *err)
{
	struct object *both = NULL, *s, *r;

	if (arg_object_opt(ctx, args, "send_cq", OBJECT_CQ, &s, err) < 0 ||
	    arg_object_opt(ctx, args, "recv_cq", OBJECT_CQ, &r, err) < 0)
		return false;
	if (!s || !r) {
		both = arg_object(ctx, args, "cq", OBJECT_CQ, err);
		if (!both)
			return false;
	}
	*send = (struct cq_object *)(s ? s : both);
	*recv = (struct cq_object *)(r ? r : both);
	return true;
}

static void put_new_qp(struct value *result, const struct ibv_qp *qp,
		       const struct ibv_qp_init_attr *init, const struct ibv_pd *pd)
{
	value_set_int(result, "qp_num", qp->qp_num);
	value_set_int(result, "state", qp->state);
	value_set_int(result, "qp_type", qp->qp_type);
	value_set_bool(result, "same_pd", qp->pd == pd);
	qp_put_caps(result, &init->cap);
}

/* The objects that a queue pair is made from. */
struct parts {
	struct ibv_pd *pd;
	struct cq_object *send, *recv;
	struct srq_object *srq;		/* NULL: it has its own receive queue */
	struct ibv_qp_init_attr init;
};

static int arg_parts(struct step_ctx *ctx, const struct value *args, struct parts *p,
		     struct vbm_error *err)
{
	struct object *srq;

	p->pd = arg_handle(ctx, args, "pd", OBJECT_PD, err);
	if (!p->pd || !arg_cqs(ctx, args, &p->send, &p->recv, err) ||
	    arg_object_opt(ctx, args, "srq", OBJECT_SRQ, &srq, err) < 0)
		return -err->code;
	p->srq = (struct srq_object *)srq;
	qp_init_from_args(&p->init, args);
	p->init.send_cq = p->send->base.cq;
	p->init.recv_cq = p->recv->base.cq;
	p->init.srq = p->srq ? p->srq->base.srq : NULL;
	return 0;
}

/* Keeps the new queue pair. NULL when the call made none. */
static struct qp_object *keep_qp(struct step_ctx *ctx, const struct parts *p, struct ibv_qp *qp,
				 struct value *result)
{
	struct qp_object *o;

	if (!qp) {
		numbering_failed(ctx->numbering, NUMBER_QP);
		return NULL;
	}
	numbering_made(ctx->numbering, NUMBER_QP, qp->qp_num);
	put_new_qp(result, qp, &p->init, p->pd);
	o = qp_object_new(qp, p->init.qp_type, p->send->base.serial, p->recv->base.serial);
	o->srq = p->srq ? p->srq->base.serial : 0;
	step_keep_object(ctx, &o->base, OBJECT_QP);
	return o;
}

STEP(run_create_qp)
{
	struct parts p;
	struct ibv_qp *qp;

	if (arg_parts(ctx, args, &p, err) < 0)
		return -err->code;
	numbering_before_qp(ctx, p.pd, p.send->base.cq);
	call_begins(ctx);
	qp = ctx->target->create_qp(p.pd, &p.init);
	put_pointer(result, qp);
	keep_qp(ctx, &p, qp, result);
	return 0;
}

STEP(run_create_qp_ex)
{
	struct ibv_qp_init_attr_ex ex = {0};
	struct qp_object *o;
	struct parts p;
	struct ibv_qp *qp;

	if (arg_parts(ctx, args, &p, err) < 0)
		return -err->code;
	ex.send_cq = p.init.send_cq;
	ex.recv_cq = p.init.recv_cq;
	ex.srq = p.init.srq;
	ex.cap = p.init.cap;
	ex.qp_type = p.init.qp_type;
	ex.sq_sig_all = p.init.sq_sig_all;
	ex.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	ex.pd = p.pd;
	ex.send_ops_flags = (uint64_t)value_get_int(args, "send_ops", 0);
	numbering_before_qp(ctx, p.pd, p.send->base.cq);
	errno = 0;
	qp = ibv_create_qp_ex(p.pd->context, &ex);
	put_pointer(result, qp);
	p.init.cap = ex.cap;
	o = keep_qp(ctx, &p, qp, result);
	if (o)
		o->ex = ctx->target->qp_to_qp_ex(qp);
	return 0;
}

static struct qp_object *arg_qp(struct step_ctx *ctx, const struct value *args,
				struct vbm_error *err)
{
	return (struct qp_object *)arg_object(ctx, args, "qp", OBJECT_QP, err);
}

STEP(run_modify_qp)
{
	struct qp_object *q = arg_qp(ctx, args, err);
	struct ibv_qp_attr attr;
	int mask = 0;

	if (!q || qp_attr_from_args(ctx, args, &attr, &mask, err) < 0)
		return -err->code;
	call_begins(ctx);
	put_errval(result, ctx->target->modify_qp(q->base.qp, &attr, mask));
	value_set_int(result, "mask", mask);
	value_set_int(result, "state", q->base.qp->state);
	return 0;
}

/*
 * Returns the state of the queue pair, or a negative errno. A queue pair in SQD may
 * refuse the next call until its send queue is drained. No event says when that
 * is, because the call before did not ask for one.
 */
static int await_drained(struct step_ctx *ctx, struct qp_object *q, struct vbm_error *err)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int ret;

	for (;;) {
		memset(&attr, 0, sizeof(attr));
		ret = ctx->target->query_qp(q->base.qp, &attr, IBV_QP_STATE, &init);
		if (ret)
			return vbm_fail(err, ret, "ibv_query_qp: %s", strerror(ret));
		if (attr.qp_state != IBV_QPS_SQD || !attr.sq_draining)
			return attr.qp_state;
		if (clock_left_ms(ctx->deadline_ns) == 0)
			return step_wait_failed(ctx, err, "drained send queue");
		poll(NULL, 0, 1);
	}
}

static int start_over(struct step_ctx *ctx, struct qp_object *q, const struct value *start,
		      struct vbm_error *err)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RESET};
	int mask = IBV_QP_STATE, ret;
	size_t i;

	ret = ctx->target->modify_qp(q->base.qp, &attr, mask);
	if (ret)
		return vbm_fail(err, ret, "the transition to RESET failed: %s", strerror(ret));
	for (i = 0; start && i < start->list.count; i++) {
		if (qp_attr_from_args(ctx, start->list.item[i], &attr, &mask, err) < 0)
			return -err->code;
		ret = ctx->target->modify_qp(q->base.qp, &attr, mask);
		if (ret)
			return vbm_fail(err, ret, "call %zu of start failed: %s", i + 1, strerror(ret));
	}
	if (q->base.qp->state != IBV_QPS_SQD)
		return 0;
	ret = await_drained(ctx, q, err);
	return ret < 0 ? ret : 0;
}

STEP(run_try_modify_qp)
{
	struct qp_object *q = arg_qp(ctx, args, err);
	struct ibv_qp_attr attr;
	int mask = 0, state;

	if (!q || start_over(ctx, q, value_get(args, "start"), err) < 0 ||
	    qp_attr_from_args(ctx, args, &attr, &mask, err) < 0)
		return -err->code;
	call_begins(ctx);
	put_errval(result, ctx->target->modify_qp(q->base.qp, &attr, mask));
	value_set_int(result, "mask", mask);
	state = await_drained(ctx, q, err);
	if (state < 0)
		return state;
	value_set_int(result, "state", state);
	return 0;
}

STEP(run_query_qp)
{
	struct qp_object *q = arg_qp(ctx, args, err);
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int ret;

	if (!q)
		return -err->code;
	memset(&attr, 0, sizeof(attr));
	memset(&init, 0, sizeof(init));
	call_begins(ctx);
	ret = ctx->target->query_qp(q->base.qp, &attr,
				    (int)value_get_int(args, "mask", QP_MASK_ALL), &init);
	put_errval(result, ret);
	if (ret)
		return 0;
	qp_put_attr(result, &attr);
	value_set_int(result, "qp_type", init.qp_type);
	value_set_bool(result, "sq_sig_all", init.sq_sig_all);
	return 0;
}

#define P_CREATE                                                              \
	P_OBJECT("pd", OBJECT_PD, "the protection domain; default: pd, or the only one"), \
	P_OBJECT("cq", OBJECT_CQ, "completion queue for both; default: cq, or the only one"), \
	P_OBJECT("send_cq", OBJECT_CQ, "completion queue for sends; default: cq"), \
	P_OBJECT("recv_cq", OBJECT_CQ, "completion queue for receives; default: cq"), \
	P_OBJECT("srq", OBJECT_SRQ, "shared receive queue to draw from; default: none"), \
	P_QP_INIT

static const struct param create_params[] = {P_CREATE, {NULL}};
static const struct param create_ex_params[] = {
	P_CREATE,
	P_FLAGS("send_ops", &const_send_ops, "operations that wr_post shall be able to build; default []"),
	{NULL},
};
static const struct field create_fields[] = {
	F_POINTER,
	F_INT("qp_num", "number of the queue pair"),
	F_CONST("state", &const_qp_state, "its state after the call"),
	F_CONST("qp_type", &const_qp_type, "its transport"),
	F_BOOL("same_pd", "whether it points to the domain that it was made in"),
	F_QP_CAPS,
	{NULL},
};
static const struct param modify_params[] = {P_QP, P_QP_ATTR, {NULL}};
static const struct field modify_fields[] = {
	F_ERRVAL,
	F_FLAGS("mask", &const_qp_attr_mask, "the mask that was passed"),
	F_CONST("state", &const_qp_state, "the state in struct ibv_qp afterwards"),
	{NULL},
};
static const struct param start_params[] = {P_QP_ATTR, {NULL}};
static const struct param try_params[] = {
	P_QP,
	P_QP_ATTR,
	{.name = "start", .type = PARAM_LIST, .sub = start_params,
	 .doc = "calls that come before, from RESET on, and must succeed; default []"},
	{NULL},
};
static const struct field try_fields[] = {
	F_ERRVAL,
	F_FLAGS("mask", &const_qp_attr_mask, "the mask that was passed"),
	F_CONST("state", &const_qp_state, "the state that ibv_query_qp(3) shows afterwards"),
	F_ELAPSED,
	{NULL},
};
static const struct param query_params[] = {
	P_QP,
	P_FLAGS("mask", &const_qp_attr_mask, "the attributes to read; default: all"),
	{NULL},
};
static const struct field query_fields[] = {
	F_ERRVAL,
	F_QP_ATTR,
	F_CONST("qp_type", &const_qp_type, "its transport"),
	F_BOOL("sq_sig_all", "whether every send request makes a completion"),
	{NULL},
};
static const struct param qp_params[] = {P_QP, {NULL}};

static const struct step_kind steps[] = {
	{.name = "create_qp", .call = "ibv_create_qp(3)", .doc = "Create a queue pair.",
	 .params = create_params, .fields = create_fields, .makes = OBJECT_QP, .ok = 1,
	 .run = run_create_qp},
	{.name = "create_qp_ex", .call = "ibv_create_qp_ex(3)",
	 .doc = "Create a queue pair for wr_post.", .params = create_ex_params,
	 .fields = create_fields, .makes = OBJECT_QP, .ok = 1, .run = run_create_qp_ex},
	{.name = "modify_qp", .call = "ibv_modify_qp(3)",
	 .doc = "Modify a queue pair; the mask has exactly the attributes that the step gives.",
	 .params = modify_params, .fields = modify_fields, .run = run_modify_qp},
	{.name = "try_modify_qp", .call = "ibv_modify_qp(3)",
	 .doc = "Take a queue pair to RESET and through the calls of start, then modify it: one step "
		"for many tries. In SQD it first waits until the send queue is drained.",
	 .params = try_params, .fields = try_fields, .waits = true, .run = run_try_modify_qp},
	{.name = "query_qp", .call = "ibv_query_qp(3)", .doc = "Read the attributes of a queue pair.",
	 .params = query_params, .fields = query_fields, .query = true, .run = run_query_qp},
	{.name = "destroy_qp", .call = "ibv_destroy_qp(3)",
	 .doc = "Destroy a queue pair (with rdma_destroy_qp(3) if rdma_cm made it).",
	 .params = qp_params, .fields = step_errval_fields, .run = step_destroy},
	{NULL},
};

const struct step_family family_qp = {"qp", "Queue pairs and their states.", steps, .only_objects = true};
