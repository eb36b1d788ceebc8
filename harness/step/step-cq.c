/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <stdlib.h>

#include "step/step-util.h"

static void cq_release(struct object *o)
{
	struct cq_object *c = (struct cq_object *)o;

	if (c->target->destroy_cq(c->cq) == 0 && c->channel)
		c->target->destroy_comp_channel(c->channel);
}

struct cq_object *cq_make(const struct target *t, struct ibv_context *context,
			  int cqe, bool channel, int vector)
{
	struct cq_object *o = xcalloc(1, sizeof(*o));
	int code;

	o->target = t;
	o->base.release = cq_release;
	if (channel) {
		o->channel = t->create_comp_channel(context);
		if (!o->channel)
			goto fail;
		/* Waits are poll(2)'s; a read must never block. */
		fcntl(o->channel->fd, F_SETFL, fcntl(o->channel->fd, F_GETFL) | O_NONBLOCK);
	}
	errno = 0;
	o->cq = t->create_cq(context, cqe, o, o->channel, vector);
	if (o->cq)
		return o;
	code = errno;
	if (o->channel)
		t->destroy_comp_channel(o->channel);
	errno = code;
fail:
	code = errno;
	free(o);
	errno = code;
	return NULL;
}

static int run_create_cq(struct step_ctx *ctx, const struct value *args,
			 struct value *result, struct vbm_error *err)
{
	struct object *c = arg_object(ctx, args, "ctx", OBJECT_CONTEXT, err);
	struct ibv_context *context;
	struct cq_object *o;

	if (!c)
		return -err->code;
	context = ((struct context_object *)c)->context;
	o = cq_make(ctx->target, context, (int)value_get_int(args, "cqe", 64),
		    value_get_bool(args, "channel", true),
		    (int)value_get_int(args, "comp_vector", 0));
	put_pointer(result, o);
	if (!o)
		return 0;
	value_set_int(result, "cqe", o->cq->cqe);
	value_set_bool(result, "same_context", o->cq->context == context);
	value_set_bool(result, "same_cq_context", o->cq->cq_context == o);
	keep_object(ctx, &o->base, OBJECT_CQ);
	return 0;
}

static int run_resize_cq(struct step_ctx *ctx, const struct value *args,
			 struct value *result, struct vbm_error *err)
{
	struct object *o = arg_object(ctx, args, "cq", OBJECT_CQ, err);
	struct ibv_cq *cq;

	if (!o)
		return -err->code;
	cq = ((struct cq_object *)o)->cq;
	put_errval(result, ctx->target->resize_cq(cq, (int)value_get_int(args, "cqe", 64)));
	value_set_int(result, "cqe", cq->cqe);
	return 0;
}

static int run_destroy_cq(struct step_ctx *ctx, const struct value *args,
			  struct value *result, struct vbm_error *err)
{
	struct object *o = arg_object(ctx, args, "cq", OBJECT_CQ, err);
	struct cq_object *c = (struct cq_object *)o;
	int ret;

	if (!o)
		return -err->code;
	ret = ctx->target->destroy_cq(c->cq);
	put_errval(result, ret);
	if (ret == 0) {
		if (c->channel && !c->borrowed_channel)
			ctx->target->destroy_comp_channel(c->channel);
		objects_forget(ctx->objects, o);
	}
	return 0;
}

#define P_CQ P_OBJECT("cq", OBJECT_CQ, "the completion queue; default: cq, or the only one")
#define F_CQE F_INT("cqe", "entries the queue really has")

static const struct param create_params[] = {
	P_OBJECT("ctx", OBJECT_CONTEXT, "the open device; default: ctx, or the only one"),
	P_INT("cqe", INT32_MIN, INT32_MAX, "entries wanted; default 64"),
	P_BOOL("channel", "false makes it without a completion channel: only poll_cq with wait: false works then; default true"),
	P_INT("comp_vector", INT32_MIN, INT32_MAX, "completion vector; default 0"),
	{NULL},
};
static const struct field create_fields[] = {
	F_POINTER,
	F_CQE,
	F_BOOL("same_context", "whether the queue points to the context it was made on"),
	F_BOOL("same_cq_context", "whether it kept the caller's context pointer"),
	{NULL},
};
static const struct param resize_params[] = {
	P_CQ,
	P_INT("cqe", INT32_MIN, INT32_MAX, "entries wanted; default 64"),
	{NULL},
};
static const struct field resize_fields[] = {F_ERRVAL, F_CQE, {NULL}};
static const struct param cq_params[] = {P_CQ, {NULL}};
static const struct field destroy_fields[] = {F_ERRVAL, {NULL}};

static const struct step_kind steps[] = {
	{.name = "create_cq", .call = "ibv_create_cq(3)",
	 .doc = "Create a completion queue with a completion channel of its own.",
	 .params = create_params, .fields = create_fields, .makes = OBJECT_CQ, .ok = 1,
	 .run = run_create_cq},
	{.name = "resize_cq", .call = "ibv_resize_cq(3)", .doc = "Resize a completion queue.",
	 .params = resize_params, .fields = resize_fields, .run = run_resize_cq},
	{.name = "destroy_cq", .call = "ibv_destroy_cq(3)", .doc = "Destroy a completion queue.",
	 .params = cq_params, .fields = destroy_fields, .run = run_destroy_cq},
	{NULL},
};

const struct step_family family_cq = {"cq", "Completion queues.", steps};
