/* SPDX-License-Identifier: BSD-2-Clause */
#include "call/scarcity.h"
#include "call/step-util.h"

static void pd_release(struct object *o)
{
	struct pd_object *p = (struct pd_object *)o;

	p->target->dealloc_pd(p->pd);
}

STEP(run_alloc_pd)
{
	struct object *c = arg_object(ctx, args, "ctx", OBJECT_CONTEXT, err);
	struct ibv_context *context;
	struct scarcity scarcity;
	struct pd_object *o;
	struct ibv_pd *pd;

	if (!c)
		return -err->code;
	context = ((struct context_object *)c)->context;
	scarcity_begin(&scarcity, args);
	call_begins(ctx);
	pd = ctx->target->alloc_pd(context);
	scarcity_end(&scarcity);
	put_pointer(result, pd);
	if (!pd)
		return 0;
	value_set_bool(result, "same_context", pd->context == context);
	o = xcalloc(1, sizeof(*o));
	o->target = ctx->target;
	o->pd = pd;
	o->base.release = pd_release;
	step_keep_object(ctx, &o->base, OBJECT_PD);
	return 0;
}

STEP(run_dealloc_pd)
{
	struct object *o = arg_object(ctx, args, "pd", OBJECT_PD, err);
	int ret;

	if (!o)
		return -err->code;
	call_begins(ctx);
	ret = ctx->target->dealloc_pd(((struct pd_object *)o)->pd);
	put_errval(result, ret);
	if (ret == 0)
		objects_forget(ctx->objects, o);
	return 0;
}

static const struct param alloc_params[] = {
	P_CTX,
	P_NO_MEMORY,
	{NULL},
};
static const struct field alloc_fields[] = {
	F_POINTER,
	F_BOOL("same_context", "whether the domain points to the context that it was made with"),
	{NULL},
};
static const struct param dealloc_params[] = {
	P_OBJECT("pd", OBJECT_PD, "the protection domain; default: pd, or the only one"),
	{NULL},
};
static const struct field dealloc_fields[] = {F_ERRVAL, {NULL}};

static const struct step_kind steps[] = {
	{.name = "alloc_pd", .call = "ibv_alloc_pd(3)", .doc = "Allocate a protection domain.",
	 .params = alloc_params, .fields = alloc_fields, .makes = OBJECT_PD, .ok = 1,
	 .run = run_alloc_pd},
	{.name = "dealloc_pd", .call = "ibv_dealloc_pd(3)", .doc = "Free a protection domain.",
	 .params = dealloc_params, .fields = dealloc_fields, .run = run_dealloc_pd},
	{NULL},
};

const struct step_family family_pd = {"pd", "Protection domains.", steps};
