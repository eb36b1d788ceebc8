/* SPDX-License-Identifier: BSD-2-Clause */
#include "step/qp-attr.h"
#include "step/step-util.h"

static void ah_release(struct object *o)
{
	struct ah_object *a = (struct ah_object *)o;

	a->target->destroy_ah(a->ah);
}

static int run_create_ah(struct step_ctx *ctx, const struct value *args,
			 struct value *result, struct vbm_error *err)
{
	struct object *p = arg_object(ctx, args, "pd", OBJECT_PD, err);
	struct ibv_ah_attr attr;
	struct ah_object *o;
	struct ibv_ah *ah;

	if (!p || av_from_args(ctx, args, &attr, err) < 0)
		return -err->code;
	errno = 0;
	ah = ctx->target->create_ah(((struct pd_object *)p)->pd, &attr);
	put_pointer(result, ah);
	if (!ah)
		return 0;
	o = xcalloc(1, sizeof(*o));
	o->target = ctx->target;
	o->ah = ah;
	o->base.release = ah_release;
	keep_object(ctx, &o->base, OBJECT_AH);
	return 0;
}

static int run_destroy_ah(struct step_ctx *ctx, const struct value *args,
			  struct value *result, struct vbm_error *err)
{
	struct object *o = arg_object(ctx, args, "ah", OBJECT_AH, err);
	int ret;

	if (!o)
		return -err->code;
	ret = ctx->target->destroy_ah(((struct ah_object *)o)->ah);
	put_errval(result, ret);
	if (ret == 0)
		objects_forget(ctx->objects, o);
	return 0;
}

static const struct param create_params[] = {
	P_OBJECT("pd", OBJECT_PD, "the protection domain; default: pd, or the only one"),
	P_AV,
	{NULL},
};
static const struct field create_fields[] = {F_POINTER, {NULL}};
static const struct param destroy_params[] = {
	P_OBJECT("ah", OBJECT_AH, "the address handle; default: ah, or the only one"),
	{NULL},
};
static const struct field destroy_fields[] = {F_ERRVAL, {NULL}};

static const struct step_kind steps[] = {
	{.name = "create_ah", .call = "ibv_create_ah(3)",
	 .doc = "Create an address handle for datagrams to a port.", .params = create_params,
	 .fields = create_fields, .makes = OBJECT_AH, .ok = 1, .run = run_create_ah},
	{.name = "destroy_ah", .call = "ibv_destroy_ah(3)", .doc = "Destroy an address handle.",
	 .params = destroy_params, .fields = destroy_fields, .run = run_destroy_ah},
	{NULL},
};

const struct step_family family_ah = {"ah", "Address handles.", steps};
