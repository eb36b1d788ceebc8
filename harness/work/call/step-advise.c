/* SPDX-License-Identifier: BSD-2-Clause */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "call/step-util.h"
#include "call/verbs-objects.h"

typedef int advise_fn(struct ibv_pd *pd, enum ibv_advise_mr_advice advice, uint32_t flags,
		      struct ibv_sge *sg_list, uint32_t num_sge);

/* The public name is an inline function that calls the provider. */
static int by_provider(struct ibv_pd *pd, enum ibv_advise_mr_advice advice, uint32_t flags,
		       struct ibv_sge *sg_list, uint32_t num_sge)
{
	return ibv_advise_mr(pd, advice, flags, sg_list, num_sge);
}

/*
 * Finds the function of libibverbs that calls the kernel. It is exported for
 * providers. Before rdma-core 59, librxe does not use it, although rxe in the
 * kernel has the call.
 */
static advise_fn *by_kernel(const struct target *target, struct vbm_error *err)
{
	advise_fn *fn;
	void *at = target->handle ? dlsym(target->handle, "ibv_cmd_advise_mr") : NULL;

	if (!at)
		at = dlsym(RTLD_DEFAULT, "ibv_cmd_advise_mr");
	if (!at)
		vbm_fail(err, ENOSYS, "this libibverbs has no ibv_cmd_advise_mr, which by_kernel: needs");
	memcpy(&fn, &at, sizeof(fn));
	return fn;
}

STEP(run_advise_mr)
{
	struct ibv_pd *pd = arg_handle(ctx, args, "pd", OBJECT_PD, err);
	struct mr_object *m = (struct mr_object *)arg_object(ctx, args, "mr", OBJECT_MR, err);
	bool direct = value_get_bool(args, "by_kernel", false);
	advise_fn *fn = direct ? by_kernel(ctx->target, err) : by_provider;
	struct ibv_sge sge;

	if (!pd || !m || !fn)
		return -err->code;
	sge.addr = (uint64_t)(uintptr_t)m->buffer + (uint64_t)value_get_int(args, "offset", 0);
	sge.length = (uint32_t)value_get_int(args, "length", (int64_t)m->length);
	sge.lkey = (uint32_t)value_get_int(args, "lkey", m->base.mr->lkey);
	call_begins(ctx);
	put_errval(result, fn(pd, (enum ibv_advise_mr_advice)value_get_int(args, "advice", 0),
			      (uint32_t)value_get_int(args, "flags", 0), &sge,
			      (uint32_t)value_get_int(args, "num_sge", 1)));
	return 0;
}

static const struct param advise_params[] = {
	{.name = "pd", .type = PARAM_OBJECT, .object = OBJECT_PD,
	 .doc = "the protection domain; default: pd, or the only one"},
	{.name = "mr", .type = PARAM_OBJECT, .object = OBJECT_MR,
	 .doc = "the region; default: mr, or the only one"},
	P_CONST("advice", &const_advice, "the advice; default PREFETCH"),
	P_FLAGS("flags", &const_advise_flag, "the flags; default []"),
	P_INT("offset", 0, INT64_C(1) << 40, "first byte of the range in the region's buffer; default 0"),
	P_INT("length", 0, UINT32_MAX, "bytes of the range; default: the whole region"),
	P_INT("lkey", 0, UINT32_MAX, "the key to pass; default: the region's"),
	P_INT("num_sge", 0, 1, "elements of the list; default 1"),
	P_BOOL("by_kernel", "true calls the kernel directly, also if the provider does not have the call; default false"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "advise_mr", .call = "ibv_advise_mr(3)",
	 .doc = "Tell the device how the pages of a region will be used.",
	 .params = advise_params, .fields = step_errval_fields,
	 .deadline_ms = DEADLINE_MEMORY_MS, .run = run_advise_mr},
	{NULL},
};

const struct step_family family_advise = {
	"advise", "Advice about memory.", steps, .only_objects = true
};
