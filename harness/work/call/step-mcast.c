/* SPDX-License-Identifier: BSD-2-Clause */
#include "call/step-util.h"

typedef int (*mcast_fn)(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid);

static int call_with_group(struct step_ctx *ctx, const struct value *args, mcast_fn call,
			   struct value *result, struct vbm_error *err)
{
	struct ibv_qp *qp = arg_handle(ctx, args, "qp", OBJECT_QP, err);
	union ibv_gid gid;

	if (!qp || step_gid_parse(&gid, value_get_string(args, "gid", ""), err) < 0)
		return -err->code;
	put_errval(result, call(qp, &gid, (uint16_t)value_get_int(args, "lid", 0)));
	return 0;
}

STEP(run_attach_mcast)
{
	return call_with_group(ctx, args, ctx->target->attach_mcast, result, err);
}

STEP(run_detach_mcast)
{
	return call_with_group(ctx, args, ctx->target->detach_mcast, result, err);
}

static const struct param params[] = {
	P_OBJECT("qp", OBJECT_QP, "the queue pair; default: qp, or the only one"),
	{.name = "gid", .type = PARAM_STRING, .required = true,
	 .doc = "the group's GID, or its IP address"},
	P_INT("lid", 0, 65535, "the group's LID; default 0, which is right on RoCE"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "attach_mcast", .call = "ibv_attach_mcast(3)",
	 .doc = "Attach a queue pair to a multicast group.", .params = params, .fields = step_errval_fields,
	 .run = run_attach_mcast},
	{.name = "detach_mcast", .call = "ibv_attach_mcast(3)",
	 .doc = "Detach a queue pair from a multicast group.", .params = params, .fields = step_errval_fields,
	 .run = run_detach_mcast},
	{NULL},
};

const struct step_family family_mcast = {"mcast", "Multicast groups.", steps, .only_objects = true};
