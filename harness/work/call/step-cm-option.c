/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "call/step-util.h"
#include "names/consts.h"

STEP(run_set_option)
{
	struct rdma_cm_id *id = cm_arg_id(ctx, args, err);
	int option = (int)value_get_int(args, "option", 0);
	int number = (int)value_get_int(args, "value", 0);
	bool byte = option == RDMA_OPTION_ID_TOS || option == RDMA_OPTION_ID_ACK_TIMEOUT;
	size_t len = byte ? sizeof(uint8_t) : sizeof(int);
	unsigned char bytes[64] = {0};

	if (!id)
		return -err->code;
	if (byte)
		bytes[0] = (unsigned char)number;
	else
		memcpy(bytes, &number, sizeof(number));
	errno = 0;
	put_minus1(result, ctx->target->set_option(id,
						   (int)value_get_int(args, "level", RDMA_OPTION_ID),
						   option, bytes,
						   (size_t)value_get_int(args, "length", (int64_t)len)));
	return 0;
}

STEP(run_establish)
{
	struct rdma_cm_id *id = cm_arg_id(ctx, args, err);

	if (!id)
		return -err->code;
	errno = 0;
	put_minus1(result, ctx->target->establish(id));
	return 0;
}

/* As librdmacm does it for a queue pair that rdma_cm made. */
STEP(run_init_qp_attr)
{
	struct rdma_cm_id *id = cm_arg_id(ctx, args, err);
	struct qp_object *q = id ? (struct qp_object *)arg_object(ctx, args, "qp", OBJECT_QP, err) : NULL;
	struct ibv_qp_attr attr = {.qp_state = (enum ibv_qp_state)value_get_int(args, "state", 0)};
	int mask = 0, ret;

	if (!q)
		return -err->code;
	errno = 0;
	ret = ctx->target->init_qp_attr(id, &attr, &mask);
	if (ret == 0) {
		errno = ctx->target->modify_qp(q->base.qp, &attr, mask);
		ret = errno ? -1 : 0;
	}
	put_minus1(result, ret);
	value_set_int(result, "mask", mask);
	value_set_int(result, "state", q->base.qp->state);
	return 0;
}

STEP(run_notify)
{
	struct rdma_cm_id *id = cm_arg_id(ctx, args, err);

	if (!id)
		return -err->code;
	errno = 0;
	put_minus1(result, ctx->target->notify(id, (enum ibv_event_type)value_get_int(
							      args, "event", IBV_EVENT_COMM_EST)));
	return 0;
}

static const struct param option_params[] = {
	P_ID,
	{.name = "option", .type = PARAM_CONST, .set = &const_cm_option, .required = true,
	 .doc = "the option"},
	P_INT("value", INT32_MIN, INT32_MAX, "its value; default 0"),
	P_INT("level", INT32_MIN, INT32_MAX, "level of the option; default 0, RDMA_OPTION_ID"),
	P_INT("length", 0, 64, "length of the value in bytes; default: that of the option's type"),
	{NULL},
};
static const struct param attr_params[] = {
	P_ID,
	P_OBJECT("qp", OBJECT_QP, "the queue pair; default: qp, or the only one"),
	{.name = "state", .type = PARAM_CONST, .set = &const_qp_state, .required = true, .doc = "the new state"},
	{NULL},
};
static const struct param notify_params[] = {
	P_ID,
	P_CONST("event", &const_async_event, "type of the asynchronous event; default COMM_EST"),
	{NULL},
};
static const struct field attr_fields[] = {
	F_MINUS1,
	F_FLAGS("mask", &const_qp_attr_mask, "the attributes that the identifier had for this state"),
	F_CONST("state", &const_qp_state, "the queue pair's state afterwards"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "set_option", .call = "rdma_set_option(3)", .doc = "Set an option of an identifier.",
	 .params = option_params, .fields = step_minus1_fields, .run = run_set_option},
	{.name = "establish", .call = "rdma_establish(3)",
	 .doc = "Complete a connection whose queue pair was made without rdma_cm.",
	 .params = step_id_params, .fields = step_minus1_fields, .run = run_establish},
	{.name = "init_qp_attr", .call = "rdma_init_qp_attr(3)",
	 .doc = "Move a queue pair that was made without rdma_cm to a state, by ibv_modify_qp(3) with the attributes that "
		"the identifier of its connection has for it.",
	 .params = attr_params, .fields = attr_fields, .run = run_init_qp_attr},
	{.name = "notify", .call = "rdma_notify(3)",
	 .doc = "Tell rdma_cm about an asynchronous event of an identifier's queue pair.",
	 .params = notify_params, .fields = step_minus1_fields, .run = run_notify},
	{NULL},
};

const struct step_family family_cm_option = {
	"cm-option", "Options of rdma_cm, and calls that tell it about queue pairs.", steps
};
