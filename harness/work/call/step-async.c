/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "call/addrinfo.h"
#include "call/step-util.h"
#include "call/target.h"

struct resolver_object {
	struct object base;
	struct rdma_event_channel *channel;	/* owned */
};

static int resolver_release(struct object *o)
{
	struct resolver_object *r = (struct resolver_object *)o;
	int ret = o->id ? o->target->destroy_id(o->id) : 0;

	if (r->channel)
		o->target->destroy_event_channel(r->channel);
	return ret;
}

static struct resolver_object *arg_resolver(struct step_ctx *ctx, const struct value *args,
					    struct vbm_error *err)
{
	return (struct resolver_object *)arg_object(ctx, args, "resolver", OBJECT_RESOLVER, err);
}

static int make_resolver(struct resolver_object *r, const struct sockaddr *bind)
{
	const struct target *t = r->base.target;
	union {
		const struct sockaddr *in;
		struct sockaddr *out;
	} address = {bind};

	r->channel = t->create_event_channel();
	if (!r->channel || fcntl(r->channel->fd, F_SETFL, O_NONBLOCK) < 0)
		return -1;
	if (t->create_id(r->channel, &r->base.id, NULL, RDMA_PS_TCP) < 0)
		return -1;
	return bind ? t->bind_addr(r->base.id, address.out) : 0;
}

STEP(run_create_resolver)
{
	const char *bind = value_get_string(args, "bind", NULL);
	struct sockaddr_storage sa;
	struct resolver_object *o;
	int ret;

	if (!ctx->target->resolve_addrinfo)
		return vbm_fail(err, ENOSYS, "the target %s has no rdma_resolve_addrinfo",
				ctx->target->name);
	if (bind && step_address_parse(&sa, bind, 0, err) < 0)
		return -err->code;
	o = xcalloc(1, sizeof(*o));
	o->base.target = ctx->target;
	o->base.release = resolver_release;
	errno = 0;
	ret = make_resolver(o, bind ? (struct sockaddr *)&sa : NULL);
	put_minus1(result, ret);
	if (ret == 0) {
		step_keep_object(ctx, &o->base, OBJECT_RESOLVER);
		return 0;
	}
	resolver_release(&o->base);
	free(o);
	return 0;
}

STEP(run_resolve_addrinfo)
{
	struct resolver_object *r = arg_resolver(ctx, args, err);
	bool null = value_get_bool(args, "null", false);
	struct hints h;
	int ret;

	if (!r || hints_fill(args, &h, err) < 0)
		return -err->code;
	call_begins(ctx);
	ret = ctx->target->resolve_addrinfo(null ? NULL : r->base.id, value_get_string(args, "node", NULL),
			      value_get_string(args, "service", NULL),
			      value_get_bool(args, "hints", true) ? &h.ai : NULL);
	put_minus1(result, ret);
	return 0;
}

/* Returns 1 when there is no event now; errno says why. */
static int next_event(struct step_ctx *ctx, struct resolver_object *r, bool wait,
		      struct rdma_cm_event **event, struct vbm_error *err)
{
	int ret;

	for (;;) {
		errno = 0;
		ret = ctx->target->get_cm_event(r->channel, event);
		if (ret == 0 || errno != EAGAIN || !wait)
			return ret ? 1 : 0;
		if (step_await(ctx, r->channel->fd, "event that ends the translation", err) < 0)
			return -err->code;
	}
}

/* Adds the name of the identifier that the event is of. */
static void put_resolver(struct step_ctx *ctx, struct value *result, const struct rdma_cm_id *id)
{
	struct object *o = NULL;

	while ((o = objects_next(ctx->objects, o, OBJECT_RESOLVER)))
		if (o->id == id && o->name)
			value_set_string(result, "resolver", o->name);
}

STEP(run_get_addrinfo_event)
{
	struct resolver_object *r = arg_resolver(ctx, args, err);
	struct rdma_cm_event *event;
	int ret;

	if (!r)
		return -err->code;
	ret = next_event(ctx, r, value_get_bool(args, "wait", true), &event, err);
	if (ret < 0)
		return ret;
	put_minus1(result, ret ? -1 : 0);
	if (ret)
		return 0;
	value_set_int(result, "event", (int)event->event);
	value_set_int(result, "status", event->status);
	put_resolver(ctx, result, event->id);
	ctx->target->ack_cm_event(event);
	return 0;
}

STEP(run_query_addrinfo)
{
	struct resolver_object *r = arg_resolver(ctx, args, err);
	struct rdma_addrinfo *info = NULL;
	int ret;

	if (!r)
		return -err->code;
	errno = 0;
	ret = ctx->target->query_addrinfo(r->base.id, &info);
	put_minus1(result, ret);
	if (ret == 0 && info)
		addrinfo_keep(ctx, info, result);
	return 0;
}

STEP(run_cancel_resolve)
{
	struct resolver_object *r = arg_resolver(ctx, args, err);

	if (!r)
		return -err->code;
	if (!ctx->target->cancel)
		return vbm_fail(err, ENOSYS, "the target %s cannot cancel", ctx->target->name);
	errno = 0;
	put_minus1(result, ctx->target->cancel(r->base.id));
	return 0;
}

STEP(run_destroy_resolver)
{
	struct resolver_object *r = arg_resolver(ctx, args, err);

	if (!r)
		return -err->code;
	errno = 0;
	put_minus1(result, ctx->target->destroy_id(r->base.id));
	ctx->target->destroy_event_channel(r->channel);
	objects_forget(ctx->objects, &r->base);
	return 0;
}

#define P_RESOLVER P_OBJECT("resolver", OBJECT_RESOLVER, "the identifier; default: resolver, or the only one")

static const struct param create_params[] = {
	P_ADDRESS("bind", "local address to bind the identifier to; default: the identifier is not bound"),
	{NULL},
};
static const struct param resolver_params[] = {P_RESOLVER, {NULL}};
static const struct param resolve_params[] = {
	P_RESOLVER,
	P_BOOL("null", "true passes NULL for the identifier; default false"),
	P_NODE,
	P_HINTS,
	{NULL},
};
static const struct param event_params[] = {
	P_RESOLVER,
	P_BOOL("wait", "false returns EAGAIN when there is no event now; default true"),
	{NULL},
};
static const struct field event_fields[] = {
	F_MINUS1,
	F_CONST("event", &const_cm_event, "type of the event"),
	{.name = "status", .type = FIELD_CONST, .set = &const_return, .or_errno = true,
	 .doc = "its status: 0, an EAI code, or a status of rdma_cm"},
	F_STRING("resolver", "the name of the identifier of the event; absent when it is no resolver with a name"),
	F_ELAPSED,
	{NULL},
};
static const struct field query_fields[] = {
	F_MINUS1,
	F_INT("count", "entries of the list; absent after a failure"),
	F_LIST("results", addrinfo_entry_fields, "the entries in order; absent after a failure"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "create_resolver", .call = "rdma_create_id(3)",
	 .doc = "Make an identifier with an event channel, for asynchronous resolution.",
	 .params = create_params, .fields = step_minus1_fields, .makes = OBJECT_RESOLVER,
	 .needs = "call=rdma_resolve_addrinfo", .run = run_create_resolver},
	{.name = "resolve_addrinfo", .call = "rdma_resolve_addrinfo(3)",
	 .doc = "Start an asynchronous translation.", .params = resolve_params,
	 .fields = step_minus1_elapsed_fields, .deadline_ms = DEADLINE_NAMES_MS, .run = run_resolve_addrinfo},
	{.name = "get_addrinfo_event", .call = "rdma_get_cm_event(3)",
	 .doc = "Wait for the event that ends a translation, and acknowledge it.",
	 .params = event_params, .fields = event_fields, .waits = true,
	 .deadline_ms = DEADLINE_NAMES_MS, .run = run_get_addrinfo_event},
	{.name = "query_addrinfo", .call = "rdma_query_addrinfo(3)",
	 .doc = "Take the result of a translation.", .params = resolver_params,
	 .fields = query_fields, .makes = OBJECT_ADDRINFO, .run = run_query_addrinfo},
	{.name = "cancel_resolve", .call = "vbm_cancel(3)",
	 .doc = "Cancel the running translation.", .params = resolver_params,
	 .fields = step_minus1_fields, .needs = "call=vbm_cancel", .run = run_cancel_resolve},
	{.name = "destroy_resolver", .call = "rdma_destroy_id(3)",
	 .doc = "Destroy the identifier, also during a translation.", .params = resolver_params,
	 .fields = step_minus1_fields, .run = run_destroy_resolver},
	{NULL},
};

const struct step_family family_async = {
	"resolve-async", "Asynchronous address resolution.", steps
};
