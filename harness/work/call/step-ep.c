/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "call/numbering.h"
#include "call/qp-attr.h"
#include "call/step-util.h"

/* Names an object that librdmacm made along with an endpoint. librdmacm frees it. */
static void name_part(struct step_ctx *ctx, const struct object *ep, struct object *o,
		      enum object_kind kind, const char *suffix)
{
	o->part_of = ep;
	step_keep_also(ctx, o, kind, OBJECT_CM_ID, suffix);
}

static uint64_t name_cq(struct step_ctx *ctx, const struct object *ep, const char *suffix,
			struct ibv_cq *cq, struct ibv_comp_channel *channel)
{
	struct cq_object *o = xcalloc(1, sizeof(*o));

	o->base.cq = cq;
	o->channel = channel;
	o->borrowed_channel = true;
	name_part(ctx, ep, &o->base, OBJECT_CQ, suffix);
	return o->base.serial;
}

static void name_parts(struct step_ctx *ctx, const struct object *ep)
{
	const struct rdma_cm_id *id = ep->id;
	struct object *pd = xcalloc(1, sizeof(*pd));
	struct qp_object *q;
	uint64_t send, recv;

	pd->pd = id->qp->pd;
	pd->release = pd_release;
	name_part(ctx, ep, pd, OBJECT_PD, "pd");
	send = name_cq(ctx, ep, "cq", id->qp->send_cq, id->send_cq_channel);
	recv = name_cq(ctx, ep, "rcq", id->qp->recv_cq, id->recv_cq_channel);
	q = qp_object_new(id->qp, id->qp->qp_type, send, recv);
	name_part(ctx, ep, &q->base, OBJECT_QP, "qp");
}

static void keep_ep(struct step_ctx *ctx, struct rdma_cm_id *id, struct value *result)
{
	struct object *ep = cm_keep_id(ctx, id, true);

	value_set_bool(result, "has_qp", id->qp != NULL);
	value_set_bool(result, "has_pd", id->pd != NULL);
	if (!id->qp)
		return;
	value_set_bool(result, "qp_in_pd", id->qp->pd == id->pd);
	numbering_made(ctx->numbering, NUMBER_QP, id->qp->qp_num);
	value_set_int(result, "qp_num", id->qp->qp_num);
	value_set_int(result, "qp_type", id->qp->qp_type);
	name_parts(ctx, ep);
}

/* The entry of the list that "entry:" names. */
static struct rdma_addrinfo *arg_entry(const struct object *ai, const struct value *args, struct vbm_error *err)
{
	struct rdma_addrinfo *e = ai->ai;
	int64_t wanted = value_get_int(args, "entry", 0), i = 0;

	for (; e && i < wanted; i++)
		e = e->ai_next;
	if (!e)
		vbm_fail(err, EINVAL, "'%s' has no entry %lld: it has %lld, and the first one is entry 0", ai->name,
			 (long long)wanted, (long long)i);
	return e;
}

STEP(run_create_ep)
{
	struct object *ai = arg_object(ctx, args, "ai", OBJECT_ADDRINFO, err), *pd;
	struct rdma_addrinfo *entry = ai ? arg_entry(ai, args, err) : NULL;
	struct rdma_cm_id *id = NULL;
	struct ibv_qp_init_attr init;
	bool qp = value_get_bool(args, "qp", true);
	int ret;

	if (!entry || arg_object_opt(ctx, args, "pd", OBJECT_PD, &pd, err) < 0)
		return -err->code;
	qp_init_from_args(&init, args);
	if (qp)
		numbering_before_ep(ctx);
	call_begins(ctx);
	ret = ctx->target->create_ep(&id, entry, pd ? pd->pd : NULL, qp ? &init : NULL);
	put_minus1(result, ret);
	if (ret)
		numbering_failed(ctx->numbering, NUMBER_QP);
	else
		keep_ep(ctx, id, result);
	return 0;
}

STEP(run_get_request)
{
	struct rdma_cm_id *listen = cm_arg_id(ctx, args, err);
	struct rdma_cm_id *id = NULL;
	int ret;

	if (!listen)
		return -err->code;
	if (step_await(ctx, listen->channel->fd, "connection request", err) < 0)
		return -err->code;
	numbering_before_ep(ctx);
	errno = 0;
	ret = ctx->target->get_request(listen, &id);
	put_minus1(result, ret);
	if (ret)
		numbering_failed(ctx->numbering, NUMBER_QP);
	else
		keep_ep(ctx, id, result);
	return 0;
}

STEP(run_destroy_ep)
{
	struct object *o = arg_object(ctx, args, "id", OBJECT_CM_ID, err);

	if (!o)
		return -err->code;
	ctx->target->destroy_ep(o->id);
	objects_forget(ctx->objects, o);
	value_set_int(result, "return", 0);
	return 0;
}

static const struct param create_params[] = {
	P_OBJECT("ai", OBJECT_ADDRINFO, "the address list; default: ai, or the only one"),
	P_INT("entry", 0, 255, "number of the entry in the list, from 0; default 0"),
	P_OBJECT("pd", OBJECT_PD, "protection domain; default: NULL"),
	P_BOOL("qp", "false passes NULL for qp_init_attr; default true"),
	P_QP_INIT,
	{NULL},
};
static const struct field ep_fields[] = {
	F_MINUS1,
	F_BOOL("has_qp", "whether the identifier has a queue pair"),
	F_BOOL("has_pd", "whether the identifier has a protection domain"),
	F_BOOL("qp_in_pd", "whether the queue pair is in that domain; absent if there is none"),
	F_INT("qp_num", "number of the queue pair; absent if there is none"),
	F_CONST("qp_type", &const_qp_type, "its transport; absent if there is none"),
	F_ELAPSED,
	{NULL},
};
static const struct step_also ep_also[] = {
	{"qp", OBJECT_QP},
	{"pd", OBJECT_PD},
	{"cq", OBJECT_CQ},
	{"rcq", OBJECT_CQ},
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "create_ep", .call = "rdma_create_ep(3)",
	 .doc = "Create an identifier with its queue pair from an address list.",
	 .params = create_params, .fields = ep_fields, .makes = OBJECT_CM_ID, .also = ep_also,
	 .deadline_ms = DEADLINE_CONNECT_MS, .run = run_create_ep},
	{.name = "get_request", .call = "rdma_get_request(3)",
	 .doc = "Wait for the next connection request on a listening endpoint.",
	 .params = step_id_params, .fields = ep_fields, .makes = OBJECT_CM_ID, .also = ep_also,
	 .waits = true, .deadline_ms = DEADLINE_CONNECT_MS, .run = run_get_request},
	{.name = "destroy_ep", .call = "rdma_destroy_ep(3)",
	 .doc = "Destroy an endpoint and everything that was made for it.", .params = step_id_params,
	 .fields = step_void_fields, .run = run_destroy_ep},
	{NULL},
};

const struct step_family family_ep = {"ep", "Endpoints of rdma_cm.", steps};
