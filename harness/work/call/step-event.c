/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>

#include "call/step-util.h"
#include "names/consts.h"

struct async_event_object {
	struct object base;
	struct ibv_async_event event;
};

static int async_event_release(struct object *o)
{
	o->target->ack_async_event(&((struct async_event_object *)o)->event);
	return 0;
}

/* Returns 1 when there is no event or the call failed; errno says which. */
static int next_event(struct step_ctx *ctx, struct ibv_context *c, bool wait,
		      struct ibv_async_event *event, struct vbm_error *err)
{
	int ret;

	/* Steps wait with poll(2), so a read must not block. */
	fcntl(c->async_fd, F_SETFL, fcntl(c->async_fd, F_GETFL) | O_NONBLOCK);
	for (;;) {
		errno = 0;
		ret = ctx->target->get_async_event(c, event);
		if (ret == 0 || errno != EAGAIN || !wait)
			return ret ? 1 : 0;
		if (step_await(ctx, c->async_fd, "asynchronous event", err) < 0)
			return -err->code;
	}
}

enum concerns {
	CONCERNS_DEVICE,
	CONCERNS_QP,
	CONCERNS_CQ,
	CONCERNS_SRQ,
	CONCERNS_PORT,
};

/* The member of the event's union that is valid for each event, by the manual page. All others belong to the device. */
static const struct {
	enum ibv_event_type type;
	enum concerns concerns;
} affiliated[] = {
	{IBV_EVENT_QP_FATAL, CONCERNS_QP},
	{IBV_EVENT_QP_REQ_ERR, CONCERNS_QP},
	{IBV_EVENT_QP_ACCESS_ERR, CONCERNS_QP},
	{IBV_EVENT_COMM_EST, CONCERNS_QP},
	{IBV_EVENT_SQ_DRAINED, CONCERNS_QP},
	{IBV_EVENT_PATH_MIG, CONCERNS_QP},
	{IBV_EVENT_PATH_MIG_ERR, CONCERNS_QP},
	{IBV_EVENT_QP_LAST_WQE_REACHED, CONCERNS_QP},
	{IBV_EVENT_CQ_ERR, CONCERNS_CQ},
	{IBV_EVENT_SRQ_ERR, CONCERNS_SRQ},
	{IBV_EVENT_SRQ_LIMIT_REACHED, CONCERNS_SRQ},
	{IBV_EVENT_PORT_ACTIVE, CONCERNS_PORT},
	{IBV_EVENT_PORT_ERR, CONCERNS_PORT},
	{IBV_EVENT_LID_CHANGE, CONCERNS_PORT},
	{IBV_EVENT_PKEY_CHANGE, CONCERNS_PORT},
	{IBV_EVENT_SM_CHANGE, CONCERNS_PORT},
	{IBV_EVENT_CLIENT_REREGISTER, CONCERNS_PORT},
	{IBV_EVENT_GID_CHANGE, CONCERNS_PORT},
};

static enum concerns concerns(enum ibv_event_type type)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(affiliated); i++)
		if (affiliated[i].type == type)
			return affiliated[i].concerns;
	return CONCERNS_DEVICE;
}

/* Adds the name of the object with the address @is, or "?" if no step made that object. */
static void put_name(const struct step_ctx *ctx, struct value *result, const char *field,
		     enum object_kind kind, const void *element)
{
	const struct object *o = objects_of_handle(ctx->objects, kind, element);

	value_set_string(result, field, o && o->name ? o->name : "?");
}

static void put_event(const struct step_ctx *ctx, struct value *result,
		      const struct ibv_async_event *e)
{
	value_set_int(result, "event", (int)e->event_type);
	switch (concerns(e->event_type)) {
	case CONCERNS_QP:
		put_name(ctx, result, "qp", OBJECT_QP, e->element.qp);
		break;
	case CONCERNS_CQ:
		put_name(ctx, result, "cq", OBJECT_CQ, e->element.cq);
		break;
	case CONCERNS_SRQ:
		put_name(ctx, result, "srq", OBJECT_SRQ, e->element.srq);
		break;
	case CONCERNS_PORT:
		value_set_int(result, "port", e->element.port_num);
		break;
	case CONCERNS_DEVICE:
		break;
	}
}

/* Takes the next event; with @of, events that are not about that completion queue are acknowledged and left out. */
static int next_wanted(struct step_ctx *ctx, struct ibv_context *c, bool wait, const struct object *of,
		       struct ibv_async_event *event, struct vbm_error *err)
{
	int ret = next_event(ctx, c, wait, event, err);

	while (ret == 0 && of && (concerns(event->event_type) != CONCERNS_CQ || of->cq != event->element.cq)) {
		ctx->target->ack_async_event(event);
		ret = next_event(ctx, c, wait, event, err);
	}
	return ret;
}

STEP(run_get_async_event)
{
	struct ibv_context *c = arg_handle(ctx, args, "ctx", OBJECT_CONTEXT, err);
	const struct object *of = c && arg_given(args, "cq") ? arg_object(ctx, args, "cq", OBJECT_CQ, err) : NULL;
	struct async_event_object *o;
	struct ibv_async_event event;
	int ret;

	if (!c || (!of && arg_given(args, "cq")))
		return -err->code;
	ret = next_wanted(ctx, c, value_get_bool(args, "wait", true), of, &event, err);
	if (ret < 0)
		return ret;
	put_minus1(result, ret ? -1 : 0);
	if (ret)
		return 0;
	put_event(ctx, result, &event);
	if (value_get_bool(args, "ack", true)) {
		ctx->target->ack_async_event(&event);
		return 0;
	}
	o = xcalloc(1, sizeof(*o));
	o->event = event;
	o->base.release = async_event_release;
	step_keep_object(ctx, &o->base, OBJECT_ASYNC_EVENT);
	return 0;
}

static const struct param get_params[] = {
	P_CTX,
	P_BOOL("wait", "false returns EAGAIN when there is no event now; default true"),
	P_OBJECT("cq", OBJECT_CQ, "only events about this completion queue, others are left out; default: all events"),
	P_BOOL("ack", "false leaves the acknowledgement to ack_async_event: until then, a call that "
			"destroys the event's object waits; default true"),
	{NULL},
};
static const struct field get_fields[] = {
	F_MINUS1,
	F_CONST("event", &const_async_event, "type of the event"),
	F_STRING("qp", "name of the event's queue pair; absent if it is not about one"),
	F_STRING("cq", "name of the event's completion queue; absent if it is not about one"),
	F_STRING("srq", "name of the event's shared receive queue; absent if it is not about one"),
	F_INT("port", "number of the event's port; absent if it is not about one"),
	F_ELAPSED,
	{NULL},
};
static const struct param ack_params[] = {
	P_OBJECT("event", OBJECT_ASYNC_EVENT, "the event; default: async_event, or the only one"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "get_async_event", .call = "ibv_get_async_event(3)",
	 .doc = "Wait for the next asynchronous event of a device, take it and acknowledge it.",
	 .params = get_params, .fields = get_fields, .makes = OBJECT_ASYNC_EVENT, .waits = true,
	 .run = run_get_async_event},
	{.name = "ack_async_event", .call = "ibv_ack_async_event(3)",
	 .doc = "Acknowledge an event that was taken with ack: false.",
	 .params = ack_params, .fields = step_zero_fields, .run = step_free},
	{NULL},
};

const struct step_family family_event = {
	"event", "Asynchronous events of devices.", steps, .only_objects = true
};
