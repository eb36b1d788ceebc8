/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>

#include "call/scarcity.h"
#include "call/step-util.h"

/* Completion channels and their events, one call in each step. */

static int comp_channel_release(struct object *o)
{
	return o->target->destroy_comp_channel(o->comp);
}

STEP(run_create_comp_channel)
{
	struct ibv_context *context = arg_handle(ctx, args, "ctx", OBJECT_CONTEXT, err);
	struct ibv_comp_channel *channel;
	struct scarcity scarcity;

	if (!context)
		return -err->code;
	scarcity_begin(&scarcity, args);
	channel = ctx->target->create_comp_channel(context);
	scarcity_end(&scarcity);
	put_pointer(result, channel);
	if (!channel)
		return 0;
	value_set_bool(result, "same_context", channel->context == context);
	/* Steps wait with poll(2), so a read must not block. */
	fcntl(channel->fd, F_SETFL, fcntl(channel->fd, F_GETFL) | O_NONBLOCK);
	step_keep(ctx, channel, OBJECT_COMP_CHANNEL, comp_channel_release);
	return 0;
}

static struct cq_object *arg_cq(struct step_ctx *ctx, const struct value *args,
				struct vbm_error *err)
{
	return (struct cq_object *)arg_object(ctx, args, "cq", OBJECT_CQ, err);
}

STEP(run_req_notify_cq)
{
	struct cq_object *c = arg_cq(ctx, args, err);

	if (!c)
		return -err->code;
	put_errval(result, ibv_req_notify_cq(c->base.cq, value_get_bool(args, "solicited_only", false)));
	return 0;
}

/* The channel of "comp:", or else the one of "cq:". */
static struct ibv_comp_channel *arg_channel(struct step_ctx *ctx, const struct value *args,
					    struct vbm_error *err)
{
	struct cq_object *c;
	struct object *o;

	if (arg_object_opt(ctx, args, "comp", OBJECT_COMP_CHANNEL, &o, err) < 0)
		return NULL;
	if (o)
		return o->comp;
	c = arg_cq(ctx, args, err);
	if (c && !c->channel)
		vbm_fail(err, EINVAL, "'%s' has no completion channel", c->base.name);
	return c ? c->channel : NULL;
}

STEP(run_get_cq_event)
{
	struct ibv_comp_channel *channel = arg_channel(ctx, args, err);
	struct ibv_cq *cq = NULL;
	void *context = NULL;
	struct cq_object *c;
	int ret;

	if (!channel)
		return -err->code;
	if (value_get_bool(args, "wait", true)) {
		if (step_await(ctx, channel->fd, "completion event", err) < 0)
			return -err->code;
	}
	errno = 0;
	ret = ctx->target->get_cq_event(channel, &cq, &context);
	put_minus1(result, ret);
	if (ret)
		return 0;
	c = (struct cq_object *)objects_of_handle(ctx->objects, OBJECT_CQ, cq);
	if (c)
		c->events++;
	value_set(result, "cq", c && c->base.name ? value_string(c->base.name) : value_null());
	value_set_bool(result, "same_cq_context", c && context == c);
	return 0;
}

STEP(run_ack_cq_events)
{
	struct cq_object *c = arg_cq(ctx, args, err);

	if (!c)
		return -err->code;
	cq_acknowledge(c, (unsigned)value_get_int(args, "count", 1));
	value_set_int(result, "return", 0);
	return 0;
}

static const struct param create_params[] = {
	P_CTX,
	P_SPARE_FDS,
	{NULL},
};
static const struct field create_fields[] = {
	F_POINTER,
	F_BOOL("same_context", "whether the channel points to the context that it was made with"),
	{NULL},
};
static const struct param destroy_params[] = {
	P_OBJECT("comp", OBJECT_COMP_CHANNEL, "the channel; default: comp, or the only one"),
	{NULL},
};
static const struct param notify_params[] = {
	P_CQ,
	P_BOOL("solicited_only", "whether only solicited completions count; default false"),
	{NULL},
};
static const struct param get_params[] = {
	P_CQ,
	P_OBJECT("comp", OBJECT_COMP_CHANNEL, "the channel; default: the channel of cq"),
	P_BOOL("wait", "false returns EAGAIN when there is no event now; default true"),
	{NULL},
};
static const struct field get_fields[] = {
	F_MINUS1,
	F_STRING("cq", "name of the queue of the event"),
	F_BOOL("same_cq_context", "whether the context pointer is the one that the queue was made with"),
	F_ELAPSED,
	{NULL},
};
static const struct param ack_params[] = {
	P_CQ,
	P_INT("count", 0, UINT32_MAX, "how many events; default 1"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "create_comp_channel", .call = "ibv_create_comp_channel(3)",
	 .doc = "Create a completion channel that several queues can share.",
	 .params = create_params, .fields = create_fields, .makes = OBJECT_COMP_CHANNEL, .ok = 1,
	 .run = run_create_comp_channel},
	{.name = "destroy_comp_channel", .call = "ibv_destroy_comp_channel(3)",
	 .doc = "Destroy a completion channel.", .params = destroy_params,
	 .fields = step_errval_fields, .run = step_destroy},
	{.name = "req_notify_cq", .call = "ibv_req_notify_cq(3)",
	 .doc = "Ask for an event when the next completion comes.", .params = notify_params,
	 .fields = step_errval_fields, .run = run_req_notify_cq},
	{.name = "get_cq_event", .call = "ibv_get_cq_event(3)",
	 .doc = "Wait for a completion event and take it.", .params = get_params,
	 .fields = get_fields, .waits = true, .run = run_get_cq_event},
	{.name = "ack_cq_events", .call = "ibv_ack_cq_events(3)",
	 .doc = "Acknowledge completion events that were taken.", .params = ack_params,
	 .fields = step_void_fields, .run = run_ack_cq_events},
	{NULL},
};

const struct step_family family_cq_event = {
	"cq-event", "Completion channels and their events.", steps, .only_objects = true
};
