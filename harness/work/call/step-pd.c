/* SPDX-License-Identifier: BSD-2-Clause */
#include "call/scarcity.h"
#include "call/step-util.h"

int pd_release(struct object *o)
{
	return o->target->dealloc_pd(o->pd);
}

STEP(run_alloc_pd)
{
	struct ibv_context *context = arg_handle(ctx, args, "ctx", OBJECT_CONTEXT, err);
	struct scarcity scarcity;
	struct ibv_pd *pd;

	if (!context)
		return -err->code;
	scarcity_begin(&scarcity, args);
	call_begins(ctx);
	pd = ctx->target->alloc_pd(context);
	scarcity_end(&scarcity);
	put_pointer(result, pd);
	if (!pd)
		return 0;
	value_set_bool(result, "same_context", pd->context == context);
	step_keep(ctx, pd, OBJECT_PD, pd_release);
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

static const struct step_kind steps[] = {
	{.name = "alloc_pd", .call = "ibv_alloc_pd(3)", .doc = "Allocate a protection domain.",
	 .params = alloc_params, .fields = alloc_fields, .makes = OBJECT_PD, .ok = 1,
	 .run = run_alloc_pd},
	{.name = "dealloc_pd", .call = "ibv_dealloc_pd(3)", .doc = "Free a protection domain.",
	 .params = dealloc_params, .fields = step_errval_fields, .run = step_destroy},
	{NULL},
};

const struct step_family family_pd = {"pd", "Protection domains.", steps, .only_objects = true};
