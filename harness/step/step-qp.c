/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "step/numbering.h"
#include "step/qp-attr.h"
#include "step/step-util.h"

static void qp_release(struct object *o)
{
	struct qp_object *q = (struct qp_object *)o;

	if (q->cm_id)
		q->target->cm_destroy_qp(q->cm_id);
	else
		q->target->destroy_qp(q->qp);
}

void qp_discard(struct object *o)
{
	struct qp_object *q = (struct qp_object *)o;

	free(q->posted);
}

void qp_remember(struct qp_object *q, const struct posted *p)
{
	GROW(q->posted, q->posted_count);
	q->posted[q->posted_count++] = *p;
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

static int run_create_qp(struct step_ctx *ctx, const struct value *args,
			 struct value *result, struct vbm_error *err)
{
	struct object *p = arg_object(ctx, args, "pd", OBJECT_PD, err);
	struct cq_object *send, *recv;
	struct ibv_qp_init_attr init;
	struct qp_object *o;
	struct ibv_pd *pd;
	struct ibv_qp *qp;

	if (!p || !arg_cqs(ctx, args, &send, &recv, err))
		return -err->code;
	pd = ((struct pd_object *)p)->pd;
	qp_init_from_args(&init, args);
	init.send_cq = send->cq;
	init.recv_cq = recv->cq;
	numbering_before_qp(ctx, pd, send->cq);
	errno = 0;
	qp = ctx->target->create_qp(pd, &init);
	put_pointer(result, qp);
	if (!qp) {
		numbering_failed(ctx->numbering, NUMBER_QP);
		return 0;
	}
	numbering_made(ctx->numbering, NUMBER_QP, qp->qp_num);
	put_new_qp(result, qp, &init, pd);
	o = xcalloc(1, sizeof(*o));
	o->target = ctx->target;
	o->qp = qp;
	o->type = init.qp_type;
	o->send_cq = send->base.serial;
	o->recv_cq = recv->base.serial;
	o->base.release = qp_release;
	o->base.discard = qp_discard;
	keep_object(ctx, &o->base, OBJECT_QP);
	return 0;
}

static struct qp_object *arg_qp(struct step_ctx *ctx, const struct value *args,
				struct vbm_error *err)
{
	return (struct qp_object *)arg_object(ctx, args, "qp", OBJECT_QP, err);
}

static int run_modify_qp(struct step_ctx *ctx, const struct value *args,
			 struct value *result, struct vbm_error *err)
{
	struct qp_object *q = arg_qp(ctx, args, err);
	struct ibv_qp_attr attr;
	int mask = 0;

	if (!q || qp_attr_from_args(ctx, args, &attr, &mask, err) < 0)
		return -err->code;
	put_errval(result, ctx->target->modify_qp(q->qp, &attr, mask));
	value_set_int(result, "mask", mask);
	value_set_int(result, "state", q->qp->state);
	return 0;
}

static int run_query_qp(struct step_ctx *ctx, const struct value *args,
			struct value *result, struct vbm_error *err)
{
	struct qp_object *q = arg_qp(ctx, args, err);
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int ret;

	if (!q)
		return -err->code;
	memset(&attr, 0, sizeof(attr));
	memset(&init, 0, sizeof(init));
	ret = ctx->target->query_qp(q->qp, &attr,
				    (int)value_get_int(args, "mask", QP_MASK_ALL), &init);
	put_errval(result, ret);
	if (ret)
		return 0;
	qp_put_attr(result, &attr);
	value_set_int(result, "qp_type", init.qp_type);
	value_set_bool(result, "sq_sig_all", init.sq_sig_all);
	return 0;
}

static int run_destroy_qp(struct step_ctx *ctx, const struct value *args,
			  struct value *result, struct vbm_error *err)
{
	struct qp_object *q = arg_qp(ctx, args, err);
	int ret = 0;

	if (!q)
		return -err->code;
	if (q->cm_id)
		ctx->target->cm_destroy_qp(q->cm_id);
	else
		ret = ctx->target->destroy_qp(q->qp);
	put_errval(result, ret);
	if (ret == 0)
		objects_forget(ctx->objects, &q->base);
	return 0;
}

#define P_QP P_OBJECT("qp", OBJECT_QP, "the queue pair; default: qp, or the only one")

static const struct param create_params[] = {
	P_OBJECT("pd", OBJECT_PD, "the protection domain; default: pd, or the only one"),
	P_OBJECT("cq", OBJECT_CQ, "completion queue for both; default: cq, or the only one"),
	P_OBJECT("send_cq", OBJECT_CQ, "completion queue for sends; default: cq"),
	P_OBJECT("recv_cq", OBJECT_CQ, "completion queue for receives; default: cq"),
	P_QP_INIT,
	{NULL},
};
static const struct field create_fields[] = {
	F_POINTER,
	F_INT("qp_num", "number of the queue pair"),
	F_CONST("state", &const_qp_state, "the state it was made in"),
	F_CONST("qp_type", &const_qp_type, "its transport"),
	F_BOOL("same_pd", "whether it points to the domain it was made in"),
	F_QP_CAPS,
	{NULL},
};
static const struct param modify_params[] = {P_QP, P_QP_ATTR, {NULL}};
static const struct field modify_fields[] = {
	F_ERRVAL,
	F_FLAGS("mask", &const_qp_attr_mask, "the mask that was passed"),
	F_CONST("state", &const_qp_state, "the state libibverbs remembers afterwards"),
	{NULL},
};
static const struct param query_params[] = {
	P_QP,
	P_FLAGS("mask", &const_qp_attr_mask, "what is asked for; default: everything"),
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
static const struct field destroy_fields[] = {F_ERRVAL, {NULL}};

static const struct step_kind steps[] = {
	{.name = "create_qp", .call = "ibv_create_qp(3)", .doc = "Create a queue pair.",
	 .params = create_params, .fields = create_fields, .makes = OBJECT_QP, .ok = 1,
	 .run = run_create_qp},
	{.name = "modify_qp", .call = "ibv_modify_qp(3)",
	 .doc = "Modify a queue pair: the mask has exactly the attributes that are written.",
	 .params = modify_params, .fields = modify_fields, .run = run_modify_qp},
	{.name = "query_qp", .call = "ibv_query_qp(3)", .doc = "Read the attributes of a queue pair.",
	 .params = query_params, .fields = query_fields, .query = true, .run = run_query_qp},
	{.name = "destroy_qp", .call = "ibv_destroy_qp(3)",
	 .doc = "Destroy a queue pair (rdma_destroy_qp(3) for one made by rdma_cm).",
	 .params = qp_params, .fields = destroy_fields, .run = run_destroy_qp},
	{NULL},
};

const struct step_family family_qp = {"qp", "Queue pairs and their states.", steps};
