/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/clock.h"
#include "call/work.h"
#include "names/consts.h"

static int mw_release(struct object *o)
{
	return ibv_dealloc_mw(o->mw);
}

STEP(run_alloc_mw)
{
	struct ibv_pd *pd = arg_handle(ctx, args, "pd", OBJECT_PD, err);
	struct ibv_mw *mw;

	if (!pd)
		return -err->code;
	call_begins(ctx);
	mw = ibv_alloc_mw(pd, (enum ibv_mw_type)value_get_int(args, "type", IBV_MW_TYPE_1));
	put_pointer(result, mw);
	if (!mw)
		return 0;
	value_set_int(result, "rkey", mw->rkey);
	value_set_int(result, "type", mw->type);
	value_set_bool(result, "same_pd", mw->pd == pd);
	step_keep(ctx, mw, OBJECT_MW, mw_release);
	return 0;
}

STEP(run_bind_mw)
{
	struct qp_object *q = work_arg_qp(ctx, args, err);
	struct ibv_mw *mw = arg_handle(ctx, args, "mw", OBJECT_MW, err);
	struct ibv_mw_bind bind = {0};
	struct work w;
	int64_t ns;
	int ret;

	if (!q || !mw || work_from_args(ctx, args, q->base.name, &w, err) < 0)
		return -err->code;
	bind.wr_id = (uint64_t)value_get_int(args, "id", 0);
	bind.send_flags = (unsigned)value_get_int(args, "flags", IBV_SEND_SIGNALED);
	bind.bind_info.mw_access_flags = (unsigned)value_get_int(args, "access", 0);
	bind.bind_info.length = w.length;
	if (w.mr) {
		bind.bind_info.mr = w.mr->base.mr;
		bind.bind_info.addr = w.offset +
			(uint64_t)value_get_int(args, "addr", (int64_t)(uintptr_t)w.mr->buffer);
	}
	ns = clock_now_ns();
	ret = ibv_bind_mw(q->base.qp, mw, &bind);
	put_errval(result, ret);
	value_set_int(result, "rkey", mw->rkey);
	if (ret == 0)
		postings_add(&q->posted, work_posted(&w, bind.wr_id, false, ns));
	return 0;
}

static const struct param alloc_params[] = {
	P_OBJECT("pd", OBJECT_PD, "the protection domain; default: pd, or the only one"),
	P_CONST("type", &const_mw_type, "type of the window; default 1"),
	{NULL},
};
static const struct field alloc_fields[] = {
	F_POINTER,
	F_INT("rkey", "its remote key, which each bind changes"),
	F_CONST("type", &const_mw_type, "its type"),
	F_BOOL("same_pd", "whether it points to the domain that it was made in"),
	{NULL},
};
static const struct param mw_params[] = {
	P_OBJECT("mw", OBJECT_MW, "the memory window; default: mw, or the only one"),
	{NULL},
};
static const struct param bind_params[] = {
	P_OBJECT("qp", OBJECT_QP, "the queue pair; default: qp, or the only one"),
	P_OBJECT("mw", OBJECT_MW, "the memory window; default: mw, or the only one"),
	P_U64("id", "wr_id; default 0"),
	P_FLAGS("flags", &const_send_flags, "send flags; default [SIGNALED]"),
	P_OBJECT("mr", OBJECT_MR, "the region of which the window shows a part; default: QP_mr, mr, or the only one"),
	P_INT("offset", 0, INT64_MAX, "first byte of that part; default 0"),
	P_INT("length", 0, INT64_MAX, "its length; 0 unbinds the window; default: the length of the region"),
	P_U64("addr", "address instead of the region's; the step does not check it"),
	P_BOOL("beyond", "allow bytes outside of the region; default false"),
	P_FLAGS("access", &const_access, "rights of the window; default []"),
	{NULL},
};
static const struct field bind_fields[] = {
	F_ERRVAL,
	F_INT("rkey", "the window's key after the call"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "alloc_mw", .call = "ibv_alloc_mw(3)", .doc = "Allocate a memory window.",
	 .params = alloc_params, .fields = alloc_fields, .makes = OBJECT_MW, .ok = 1,
	 .run = run_alloc_mw},
	{.name = "dealloc_mw", .call = "ibv_dealloc_mw(3)", .doc = "Deallocate a memory window.",
	 .params = mw_params, .fields = step_errval_fields, .run = step_destroy},
	{.name = "bind_mw", .call = "ibv_bind_mw(3)",
	 .doc = "Post a request that binds a window of type 1 to a part of a region.",
	 .params = bind_params, .fields = bind_fields, .run = run_bind_mw},
	{NULL},
};

const struct step_family family_mw = {"mw", "Memory windows.", steps, .only_objects = true};
