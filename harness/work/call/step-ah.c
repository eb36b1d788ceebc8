/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "call/qp-attr.h"
#include "call/step-util.h"
#include "names/host.h"

static int ah_release(struct object *o)
{
	return o->target->destroy_ah(o->ah);
}

static void keep_ah(struct step_ctx *ctx, struct ibv_ah *ah, struct value *result)
{
	put_pointer(result, ah);
	if (ah)
		step_keep(ctx, ah, OBJECT_AH, ah_release);
}

STEP(run_create_ah)
{
	struct ibv_pd *pd = arg_handle(ctx, args, "pd", OBJECT_PD, err);
	struct ibv_ah_attr attr;

	if (!pd || qp_av_from_args(ctx, args, &attr, err) < 0)
		return -err->code;
	call_begins(ctx);
	keep_ah(ctx, ctx->target->create_ah(pd, &attr), result);
	return 0;
}

/* The last datagram that a queue pair received. NULL when there is none. */
static struct qp_object *arg_received(struct step_ctx *ctx, const struct value *args,
				      struct vbm_error *err)
{
	struct qp_object *q = (struct qp_object *)arg_object(ctx, args, "qp", OBJECT_QP, err);

	if (!q || (q->datagram.opcode & IBV_WC_RECV))
		return q;
	vbm_fail(err, ENOENT, "poll_cq has not taken a datagram of '%s' yet", q->base.name);
	return NULL;
}

STEP(run_create_ah_from_wc)
{
	struct qp_object *q = arg_received(ctx, args, err);
	struct ibv_pd *pd = q ? arg_handle(ctx, args, "pd", OBJECT_PD, err) : NULL;

	if (!pd)
		return -err->code;
	errno = 0;
	keep_ah(ctx, ctx->target->create_ah_from_wc(pd, &q->datagram, &q->grh,
						    (uint8_t)value_get_int(args, "port", ctx->host->port)),
		result);
	return 0;
}

STEP(run_init_ah_from_wc)
{
	struct qp_object *q = arg_received(ctx, args, err);
	struct ibv_ah_attr attr;
	int ret;

	if (!q)
		return -err->code;
	memset(&attr, 0xaa, sizeof(attr));
	errno = 0;
	ret = ctx->target->init_ah_from_wc(q->base.qp->context,
					   (uint8_t)value_get_int(args, "port", ctx->host->port),
					   &q->datagram, &q->grh, &attr);
	put_minus1(result, ret);
	if (ret)
		return 0;
	value_set(result, "dest_gid", step_gid_to_value(&attr.grh.dgid));
	value_set_int(result, "gid_index", attr.grh.sgid_index);
	value_set_int(result, "hop_limit", attr.grh.hop_limit);
	value_set_int(result, "traffic_class", attr.grh.traffic_class);
	value_set_int(result, "flow_label", attr.grh.flow_label);
	value_set_bool(result, "is_global", attr.is_global);
	value_set_int(result, "dlid", attr.dlid);
	value_set_int(result, "sl", attr.sl);
	value_set_int(result, "av_port", attr.port_num);
	return 0;
}

static const struct param create_params[] = {
	P_OBJECT("pd", OBJECT_PD, "the protection domain; default: pd, or the only one"),
	P_AV,
	{NULL},
};
static const struct field create_fields[] = {F_POINTER, {NULL}};
#define P_RECEIVED                                                            \
	P_OBJECT("qp", OBJECT_QP, "the queue pair whose last datagram, taken by poll_cq, is used; default: qp, or the only one"), \
	P_INT("port", 0, 255, "port number; default: the host's port")
static const struct param init_params[] = {P_RECEIVED, {NULL}};
static const struct param from_wc_params[] = {
	P_OBJECT("pd", OBJECT_PD, "the protection domain; default: pd, or the only one"),
	P_RECEIVED,
	{NULL},
};
static const struct field init_fields[] = {
	F_MINUS1,
	F_STRING("dest_gid", "GID of the sender"),
	F_INT("gid_index", "index of this side's GID"),
	F_INT("hop_limit", "hop limit"),
	F_INT("traffic_class", "traffic class"),
	F_INT("flow_label", "flow label"),
	F_BOOL("is_global", "whether the GRH is used"),
	F_INT("dlid", "LID of the sender"),
	F_INT("sl", "service level"),
	F_INT("av_port", "port number"),
	{NULL},
};
static const struct param destroy_params[] = {
	P_OBJECT("ah", OBJECT_AH, "the address handle; default: ah, or the only one"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "create_ah", .call = "ibv_create_ah(3)",
	 .doc = "Create an address handle for datagrams to a port.", .params = create_params,
	 .fields = create_fields, .makes = OBJECT_AH, .ok = 1, .run = run_create_ah},
	{.name = "create_ah_from_wc", .call = "ibv_create_ah_from_wc(3)",
	 .doc = "Create an address handle for the sender of a datagram.",
	 .params = from_wc_params, .fields = create_fields, .makes = OBJECT_AH, .ok = 1,
	 .run = run_create_ah_from_wc},
	{.name = "init_ah_from_wc", .call = "ibv_create_ah_from_wc(3)",
	 .doc = "Fill in an address vector for the sender of a datagram.",
	 .params = init_params, .fields = init_fields, .run = run_init_ah_from_wc},
	{.name = "destroy_ah", .call = "ibv_destroy_ah(3)", .doc = "Destroy an address handle.",
	 .params = destroy_params, .fields = step_errval_fields, .run = step_destroy},
	{NULL},
};

const struct step_family family_ah = {"ah", "Address handles.", steps, .only_objects = true};
