/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "call/work.h"
#include "names/consts.h"

static int srq_release(struct object *o)
{
	return o->target->destroy_srq(o->srq);
}

static void srq_discard(struct object *o)
{
	free(((struct srq_object *)o)->posted.item);
}

static struct srq_object *arg_srq(struct step_ctx *ctx, const struct value *args,
				  struct vbm_error *err)
{
	return (struct srq_object *)arg_object(ctx, args, "srq", OBJECT_SRQ, err);
}

static void put_attr(struct value *result, const struct ibv_srq_attr *a)
{
	value_set_int(result, "max_wr", a->max_wr);
	value_set_int(result, "max_sge", a->max_sge);
	value_set_int(result, "srq_limit", a->srq_limit);
}

STEP(run_create_srq)
{
	struct ibv_pd *pd = arg_handle(ctx, args, "pd", OBJECT_PD, err);
	struct ibv_srq_init_attr init = {0};
	struct srq_object *o;
	struct ibv_srq *srq;

	if (!pd)
		return -err->code;
	init.srq_context = pd;
	init.attr.max_wr = (uint32_t)value_get_int(args, "max_wr", 16);
	init.attr.max_sge = (uint32_t)value_get_int(args, "max_sge", 1);
	init.attr.srq_limit = (uint32_t)value_get_int(args, "srq_limit", 0);
	call_begins(ctx);
	srq = ctx->target->create_srq(pd, &init);
	put_pointer(result, srq);
	if (!srq)
		return 0;
	put_attr(result, &init.attr);
	value_set_bool(result, "same_pd", srq->pd == pd);
	value_set_bool(result, "same_srq_context", srq->srq_context == pd);
	o = xcalloc(1, sizeof(*o));
	o->base.srq = srq;
	o->base.release = srq_release;
	o->base.discard = srq_discard;
	step_keep_object(ctx, &o->base, OBJECT_SRQ);
	return 0;
}

STEP(run_modify_srq)
{
	struct srq_object *s = arg_srq(ctx, args, err);
	struct ibv_srq_attr attr = {0};
	int mask = 0;

	if (!s)
		return -err->code;
	attr.max_wr = (uint32_t)value_get_int(args, "max_wr", 0);
	attr.srq_limit = (uint32_t)value_get_int(args, "srq_limit", 0);
	mask |= arg_given(args, "max_wr") ? IBV_SRQ_MAX_WR : 0;
	mask |= arg_given(args, "srq_limit") ? IBV_SRQ_LIMIT : 0;
	mask = (int)value_get_int(args, "mask", mask);
	call_begins(ctx);
	put_errval(result, ctx->target->modify_srq(s->base.srq, &attr, mask));
	value_set_int(result, "mask", mask);
	return 0;
}

STEP(run_query_srq)
{
	struct srq_object *s = arg_srq(ctx, args, err);
	struct ibv_srq_attr attr = {0};
	int ret;

	if (!s)
		return -err->code;
	call_begins(ctx);
	ret = ctx->target->query_srq(s->base.srq, &attr);
	put_errval(result, ret);
	if (ret == 0)
		put_attr(result, &attr);
	return 0;
}

STEP(run_post_srq_recv)
{
	struct work_receiver to;

	return work_arg_srq_receiver(ctx, args, &to, err) < 0 ? -err->code : work_post_recvs(ctx, args, result, &to, err);
}

#define P_SRQ P_OBJECT("srq", OBJECT_SRQ, "the shared receive queue; default: srq, or the only one")
#define P_LIMIT(d) P_INT("srq_limit", 0, UINT32_MAX, "an event comes when fewer requests than this are left" d)
#define F_SRQ_ATTR                                                            \
	F_INT("max_wr", "receive requests that can be outstanding"),          \
	F_INT("max_sge", "scatter entries of a request"),                     \
	F_INT("srq_limit", "an event comes when fewer requests than this are left; 0: never")

static const struct param create_params[] = {
	P_OBJECT("pd", OBJECT_PD, "the protection domain; default: pd, or the only one"),
	P_INT("max_wr", 0, UINT32_MAX, "receive requests that can be outstanding; default 16"),
	P_INT("max_sge", 0, UINT32_MAX, "scatter entries of a request; default 1"),
	P_LIMIT(", which the call ignores; default 0"),
	{NULL},
};
static const struct field create_fields[] = {
	F_POINTER,
	F_SRQ_ATTR,
	F_BOOL("same_pd", "whether it points to the domain that it was made in"),
	F_BOOL("same_srq_context", "whether it has the caller's context pointer"),
	{NULL},
};
static const struct param modify_params[] = {
	P_SRQ,
	P_INT("max_wr", 0, UINT32_MAX, "receive requests that can be outstanding afterwards"),
	P_LIMIT(""),
	P_FLAGS("mask", &const_srq_attr_mask, "the mask; default: the bits of the given attributes"),
	{NULL},
};
static const struct field modify_fields[] = {
	F_ERRVAL,
	F_FLAGS("mask", &const_srq_attr_mask, "the mask that was passed"),
	{NULL},
};
static const struct param srq_params[] = {P_SRQ, {NULL}};
static const struct field query_fields[] = {F_ERRVAL, F_SRQ_ATTR, {NULL}};
static const struct param recv_params[] = {
	P_SRQ,
	P_WORK_BYTES,
	P_INT("count", 1, 1 << 20, "post the request this many times, with ids counting up; default 1"),
	{NULL},
};
static const struct field recv_fields[] = {
	F_ERRVAL,
	F_INT("posted", "how many requests were accepted"),
	F_BOOL("bad_wr", "whether the call pointed to the request that it refused"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "create_srq", .call = "ibv_create_srq(3)", .doc = "Create a shared receive queue.",
	 .params = create_params, .fields = create_fields, .makes = OBJECT_SRQ, .ok = 1,
	 .run = run_create_srq},
	{.name = "modify_srq", .call = "ibv_modify_srq(3)",
	 .doc = "Resize a shared receive queue, or arm its limit.",
	 .params = modify_params, .fields = modify_fields, .run = run_modify_srq},
	{.name = "query_srq", .call = "ibv_query_srq(3)",
	 .doc = "Read the attributes of a shared receive queue.",
	 .params = srq_params, .fields = query_fields, .query = true, .run = run_query_srq},
	{.name = "destroy_srq", .call = "ibv_destroy_srq(3)",
	 .doc = "Destroy a shared receive queue.",
	 .params = srq_params, .fields = step_errval_fields, .run = step_destroy},
	{.name = "post_srq_recv", .call = "ibv_post_srq_recv(3)",
	 .doc = "Post a receive request to a shared receive queue.",
	 .params = recv_params, .fields = recv_fields,
	 .deadline_ms = DEADLINE_MEMORY_MS, .run = run_post_srq_recv},
	{NULL},
};

const struct step_family family_srq = {"srq", "Shared receive queues.", steps, .only_objects = true};
