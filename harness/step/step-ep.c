/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "step/cm.h"
#include "step/families.h"
#include "step/qp-attr.h"
#include "step/step-util.h"

/* Names for what librdmacm made along with an endpoint; it frees them itself. */
static int name_cq(struct step_ctx *ctx, const char *suffix, struct ibv_cq *cq,
		   struct ibv_comp_channel *channel, struct vbm_error *err)
{
	auto_free char *name = also_name(ctx, OBJECT_CM_ID, suffix);
	struct cq_object *o = xcalloc(1, sizeof(*o));

	o->target = ctx->target;
	o->cq = cq;
	o->channel = channel;
	o->borrowed_channel = true;
	return objects_add(ctx->objects, &o->base, name, OBJECT_CQ, err);
}

static int name_parts(struct step_ctx *ctx, struct rdma_cm_id *id, struct vbm_error *err)
{
	auto_free char *qp = also_name(ctx, OBJECT_CM_ID, "qp");
	auto_free char *pd = also_name(ctx, OBJECT_CM_ID, "pd");
	struct qp_object *q;
	struct pd_object *p;

	if (!id->qp)
		return 0;
	p = xcalloc(1, sizeof(*p));
	p->target = ctx->target;
	p->pd = id->qp->pd;
	if (objects_add(ctx->objects, &p->base, pd, OBJECT_PD, err) < 0 ||
	    name_cq(ctx, "cq", id->qp->send_cq, id->send_cq_channel, err) < 0 ||
	    name_cq(ctx, "rcq", id->qp->recv_cq, id->recv_cq_channel, err) < 0)
		return -err->code;
	q = xcalloc(1, sizeof(*q));
	q->qp = id->qp;
	q->type = id->qp->qp_type;
	q->send_cq = also_name(ctx, OBJECT_CM_ID, "cq");
	q->recv_cq = also_name(ctx, OBJECT_CM_ID, "rcq");
	return keep_qp(ctx, qp, q, err);
}

static int keep_ep(struct step_ctx *ctx, struct rdma_cm_id *id, struct value *result,
		   struct vbm_error *err)
{
	value_set_bool(result, "has_qp", id->qp != NULL);
	value_set_bool(result, "has_pd", id->pd != NULL);
	if (id->qp) {
		value_set_int(result, "qp_num", id->qp->qp_num);
		value_set_int(result, "qp_type", id->qp->qp_type);
	}
	if (cm_keep_id(ctx, ctx->as ? ctx->as : step_default_name(OBJECT_CM_ID), id, true, err) < 0)
		return -err->code;
	return name_parts(ctx, id, err);
}

static int run_create_ep(struct step_ctx *ctx, const struct value *args,
			 struct value *result, struct vbm_error *err)
{
	struct object *ai = arg_object(ctx, args, "ai", OBJECT_ADDRINFO, err), *pd;
	struct rdma_cm_id *id = NULL;
	struct ibv_qp_init_attr init;
	bool qp = value_get_bool(args, "qp", true);
	int ret;

	if (!ai || arg_object_opt(ctx, args, "pd", OBJECT_PD, &pd, err) < 0)
		return -err->code;
	qp_init_from_args(&init, args);
	errno = 0;
	ret = ctx->target->create_ep(&id, ((struct addrinfo_object *)ai)->ai,
				     pd ? ((struct pd_object *)pd)->pd : NULL, qp ? &init : NULL);
	put_minus1(result, ret);
	return ret ? 0 : keep_ep(ctx, id, result, err);
}

static int run_get_request(struct step_ctx *ctx, const struct value *args,
			   struct value *result, struct vbm_error *err)
{
	struct cm_id_object *listen = cm_arg_id(ctx, args, err);
	struct rdma_cm_id *id = NULL;
	int ret;

	if (!listen)
		return -err->code;
	ret = wait_readable(&listen->id->channel->fd, 1, ctx->deadline_ns);
	if (ret < 0)
		return vbm_fail(err, -ret, "no connection request came before the deadline");
	errno = 0;
	ret = ctx->target->get_request(listen->id, &id);
	put_minus1(result, ret);
	return ret ? 0 : keep_ep(ctx, id, result, err);
}

/* The names of an endpoint's parts go with it. */
static void forget_parts(struct step_ctx *ctx, const struct cm_id_object *i)
{
	static const struct {
		const char *suffix;
		enum object_kind kind;
	} part[] = {
		{"qp", OBJECT_QP}, {"rcq", OBJECT_CQ}, {"cq", OBJECT_CQ}, {"pd", OBJECT_PD},
	};
	size_t k;

	for (k = 0; k < ARRAY_SIZE(part); k++) {
		auto_free char *name = xasprintf("%s_%s", i->base.name, part[k].suffix);
		struct object *o = objects_find(ctx->objects, name, part[k].kind);

		if (o && !o->release)
			objects_forget(ctx->objects, o);
	}
}

static int run_destroy_ep(struct step_ctx *ctx, const struct value *args,
			  struct value *result, struct vbm_error *err)
{
	struct cm_id_object *i = cm_arg_id(ctx, args, err);

	if (!i)
		return -err->code;
	ctx->target->destroy_ep(i->id);
	forget_parts(ctx, i);
	objects_forget(ctx->objects, &i->base);
	value_set_int(result, "return", 0);
	return 0;
}

static const struct param create_params[] = {
	P_OBJECT("ai", OBJECT_ADDRINFO, "the address list; default: ai, or the only one"),
	P_OBJECT("pd", OBJECT_PD, "protection domain; default: NULL"),
	P_BOOL("qp", "false passes NULL for qp_init_attr; default true"),
	P_QP_INIT,
	{NULL},
};
static const struct field ep_fields[] = {
	F_MINUS1,
	F_BOOL("has_qp", "whether the identifier has a queue pair"),
	F_BOOL("has_pd", "whether the identifier has a protection domain"),
	F_INT("qp_num", "number of the queue pair; absent without"),
	F_CONST("qp_type", &const_qp_type, "its transport; absent without"),
	{NULL},
};
static const struct step_also ep_also[] = {
	{"qp", OBJECT_QP},
	{"pd", OBJECT_PD},
	{"cq", OBJECT_CQ},
	{"rcq", OBJECT_CQ},
	{NULL},
};
static const struct param id_params[] = {P_ID, {NULL}};
static const struct field void_fields[] = {
	F_INT("return", "always 0: the call returns nothing"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "create_ep", .call = "rdma_create_ep(3)",
	 .doc = "Create an identifier with its queue pair from an address list.",
	 .params = create_params, .fields = ep_fields, .makes = OBJECT_CM_ID, .also = ep_also,
	 .run = run_create_ep},
	{.name = "get_request", .call = "rdma_get_request(3)",
	 .doc = "Wait for the next connection request on a listening endpoint.",
	 .params = id_params, .fields = ep_fields, .makes = OBJECT_CM_ID, .also = ep_also,
	 .waits = true, .run = run_get_request},
	{.name = "destroy_ep", .call = "rdma_destroy_ep(3)",
	 .doc = "Destroy an endpoint with all that was made for it.", .params = id_params,
	 .fields = void_fields, .run = run_destroy_ep},
	{NULL},
};

const struct step_family family_ep = {"ep", "Endpoints of rdma_cm.", steps};
