/* SPDX-License-Identifier: BSD-2-Clause */
#include "call/step-util.h"
#include "names/consts.h"

/* Reads the identifier and the group of @args. */
static struct rdma_cm_id *arg_group(struct step_ctx *ctx, const struct value *args,
				      struct sockaddr_storage *group, struct vbm_error *err)
{
	struct rdma_cm_id *id = cm_arg_id(ctx, args, err);

	if (!id || step_address_parse(group, value_get_string(args, "group", ""), 0, err) < 0)
		return NULL;
	return id;
}

STEP(run_join_multicast)
{
	struct sockaddr_storage group;
	struct rdma_cm_id *id = arg_group(ctx, args, &group, err);
	struct rdma_cm_join_mc_attr_ex attr = {
		.comp_mask = RDMA_CM_JOIN_MC_ATTR_ADDRESS | RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS,
		.join_flags = (uint32_t)value_get_int(args, "flags", 0),
		.addr = (struct sockaddr *)&group,
	};

	if (!id)
		return -err->code;
	call_begins(ctx);
	if (arg_given(args, "flags"))
		put_minus1(result, ctx->target->join_multicast_ex(id, &attr, NULL));
	else
		put_minus1(result, ctx->target->join_multicast(id, (struct sockaddr *)&group,
							       NULL));
	return 0;
}

STEP(run_leave_multicast)
{
	struct sockaddr_storage group;
	struct rdma_cm_id *id = arg_group(ctx, args, &group, err);

	if (!id)
		return -err->code;
	errno = 0;
	put_minus1(result, ctx->target->leave_multicast(id, (struct sockaddr *)&group));
	return 0;
}

#define P_GROUP                                                               \
	{.name = "group", .type = PARAM_ADDRESS, .required = true, .doc = "the group's IP address"}

static const struct param join_params[] = {
	P_ID,
	P_GROUP,
	P_CONST("flags", &const_join_flags, "calls rdma_join_multicast_ex(3) with this flag; default: rdma_join_multicast(3)"),
	{NULL},
};
static const struct param leave_params[] = {P_ID, P_GROUP, {NULL}};

static const struct step_kind steps[] = {
	{.name = "join_multicast", .call = "rdma_join_multicast(3)",
	 .doc = "Begin to join a multicast group; an event reports the result.", .params = join_params,
	 .fields = step_minus1_fields, .deadline_ms = DEADLINE_CONNECT_MS, .run = run_join_multicast},
	{.name = "leave_multicast", .call = "rdma_leave_multicast(3)",
	 .doc = "Leave a multicast group.", .params = leave_params, .fields = step_minus1_fields,
	 .run = run_leave_multicast},
	{NULL},
};

const struct step_family family_cm_mcast = {
	"cm-mcast", "Multicast groups of rdma_cm.", steps
};
