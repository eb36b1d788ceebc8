/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "call/step-util.h"
#include "names/consts.h"
#include "names/host.h"

static int channel_release(struct object *o)
{
	o->target->destroy_event_channel(o->channel);
	return 0;
}

STEP(run_create_event_channel)
{
	struct rdma_event_channel *channel;

	errno = 0;
	channel = ctx->target->create_event_channel();
	put_pointer(result, channel);
	if (!channel)
		return 0;
	/* Steps wait with poll(2), so a read must not block. */
	fcntl(channel->fd, F_SETFL, fcntl(channel->fd, F_GETFL) | O_NONBLOCK);
	step_keep(ctx, channel, OBJECT_CHANNEL, channel_release);
	return 0;
}

struct rdma_cm_id *cm_arg_id(struct step_ctx *ctx, const struct value *args, struct vbm_error *err)
{
	return arg_handle(ctx, args, "id", OBJECT_CM_ID, err);
}

static int id_release(struct object *o)
{
	return o->target->destroy_id(o->id);
}

static int ep_release(struct object *o)
{
	o->target->destroy_ep(o->id);
	return 0;
}

struct object *cm_keep_id(struct step_ctx *ctx, struct rdma_cm_id *id, bool is_ep)
{
	return step_keep(ctx, id, OBJECT_CM_ID, is_ep ? ep_release : id_release);
}

STEP(run_create_id)
{
	struct rdma_event_channel *channel = arg_handle(ctx, args, "channel", OBJECT_CHANNEL, err);
	struct rdma_cm_id *id = NULL;
	int ret;

	if (!channel)
		return -err->code;
	errno = 0;
	ret = ctx->target->create_id(channel, &id, NULL,
				     (enum rdma_port_space)value_get_int(args, "port_space", RDMA_PS_TCP));
	put_minus1(result, ret);
	if (ret == 0)
		cm_keep_id(ctx, id, false);
	return 0;
}

STEP(run_destroy_id)
{
	struct object *o = arg_object(ctx, args, "id", OBJECT_CM_ID, err);
	int ret;

	if (!o)
		return -err->code;
	call_begins(ctx);
	ret = ctx->target->destroy_id(o->id);
	put_minus1(result, ret);
	if (ret == 0)
		objects_forget(ctx->objects, o);
	return 0;
}

STEP(run_migrate_id)
{
	bool sync = value_get_bool(args, "sync", false);
	struct rdma_event_channel *channel = sync ? NULL : arg_handle(ctx, args, "channel", OBJECT_CHANNEL, err);
	struct rdma_cm_id *id = cm_arg_id(ctx, args, err);

	if ((!channel && !sync) || !id)
		return -err->code;
	errno = 0;
	put_minus1(result, ctx->target->migrate_id(id, channel));
	return 0;
}

STEP(run_bind_addr)
{
	const char *addr = value_get_string(args, "addr", ctx->host->ip4);
	struct rdma_cm_id *id = cm_arg_id(ctx, args, err);
	struct sockaddr_storage sa;

	if (!id || step_address_parse(&sa, addr, (int)value_get_int(args, "port", 0), err) < 0)
		return -err->code;
	errno = 0;
	put_minus1(result, ctx->target->bind_addr(id, (struct sockaddr *)&sa));
	value_set_string(result, "device", id->verbs ?
			 ctx->target->get_device_name(id->verbs->device) : "");
	return 0;
}

/* The source: the given one; null means NULL; the default is the host's address of that family. */
static int arg_source(const struct step_ctx *ctx, const struct value *args, int family,
		      struct sockaddr_storage *sa, struct sockaddr **at, struct vbm_error *err)
{
	const struct value *v = value_get(args, "src_addr");
	const char *text = family == AF_INET6 ? ctx->host->ip6 : ctx->host->ip4;

	*at = NULL;
	if (v && v->type != VALUE_STRING)
		return 0;
	if (step_address_parse(sa, v ? v->s : text, 0, err) < 0)
		return vbm_wrap(err, "src_addr");
	*at = (struct sockaddr *)sa;
	return 0;
}

/* Scaled by the factor. A negative timeout is passed unchanged. */
static int timeout_of(const struct value *args)
{
	int ms = (int)value_get_int(args, "timeout_ms", 2000);

	return ms < 0 ? ms : ms * clock_factor();
}

STEP(run_resolve_addr)
{
	struct rdma_cm_id *id = cm_arg_id(ctx, args, err);
	int ms = timeout_of(args);
	struct sockaddr_storage src, dst;
	struct sockaddr *from;

	if (!id || step_address_parse(&dst, value_get_string(args, "dst_addr", ""),
				(int)value_get_int(args, "port", 0), err) < 0 ||
	    arg_source(ctx, args, dst.ss_family, &src, &from, err) < 0)
		return -err->code;
	call_begins(ctx);
	put_minus1(result, ctx->target->resolve_addr(id, from, (struct sockaddr *)&dst, ms));
	return 0;
}

STEP(run_resolve_route)
{
	struct rdma_cm_id *id = cm_arg_id(ctx, args, err);
	int ms = timeout_of(args);

	if (!id)
		return -err->code;
	call_begins(ctx);
	put_minus1(result, ctx->target->resolve_route(id, ms));
	return 0;
}

STEP(run_listen)
{
	struct rdma_cm_id *id = cm_arg_id(ctx, args, err);

	if (!id)
		return -err->code;
	errno = 0;
	put_minus1(result, ctx->target->listen(id, (int)value_get_int(args, "backlog", 8)));
	value_set_int(result, "port", be16toh(ctx->target->get_src_port(id)));
	return 0;
}

STEP(run_get_addresses)
{
	struct rdma_cm_id *id = cm_arg_id(ctx, args, err);
	const struct rdma_addr *a;

	if (!id)
		return -err->code;
	a = &id->route.addr;
	value_set_int(result, "return", 0);
	value_set(result, "src_addr", step_address_to_value(&a->src_addr, sizeof(a->src_storage)));
	value_set_int(result, "src_port", be16toh(ctx->target->get_src_port(id)));
	value_set(result, "dst_addr", step_address_to_value(&a->dst_addr, sizeof(a->dst_storage)));
	value_set_int(result, "dst_port", be16toh(ctx->target->get_dst_port(id)));
	value_set_string(result, "device", id->verbs ?
			 ctx->target->get_device_name(id->verbs->device) : "");
	value_set_bool(result, "has_qp", id->qp != NULL);
	return 0;
}

static const struct field pointer_fields[] = {F_POINTER, {NULL}};
static const struct param channel_params[] = {P_CHANNEL, {NULL}};
static const struct param create_id_params[] = {
	P_CHANNEL,
	P_CONST("port_space", &const_port_space, "port space; default TCP"),
	{NULL},
};
static const struct param migrate_params[] = {
	P_ID,
	P_CHANNEL,
	P_BOOL("sync", "true passes NULL for the channel, so that the calls of the identifier block; default false"),
	{NULL},
};
static const struct param bind_params[] = {
	P_ID,
	P_ADDRESS("addr", "IP or IP:PORT; default: the host's IPv4 address"),
	P_INT("port", 0, 65535, "port when addr has none; default 0"),
	{NULL},
};
static const struct field bind_fields[] = {
	F_MINUS1,
	F_STRING("device", "the device that it is bound to; empty if there is none"),
	{NULL},
};
static const struct param resolve_params[] = {
	P_ID,
	{.name = "dst_addr", .type = PARAM_ADDRESS, .required = true, .doc = "peer, IP or IP:PORT"},
	P_INT("port", 0, 65535, "port when dst_addr has none; default 0"),
	P_STRING("src_addr", "source IP address; null passes NULL; default: the host's address of that family"),
	P_INT("timeout_ms", -1, 3600000, "the longest time for the resolution in milliseconds, or -1; default 2000"),
	{NULL},
};
static const struct param addrinfo_route_params[] = {
	P_ID,
	P_INT("timeout_ms", -1, 3600000, "the longest time for the resolution in milliseconds, or -1; default 2000"),
	{NULL},
};
static const struct param listen_params[] = {
	P_ID,
	P_INT("backlog", INT32_MIN, INT32_MAX, "backlog of connection requests; default 8"),
	{NULL},
};
static const struct field listen_fields[] = {
	F_MINUS1,
	F_INT("port", "port that it listens on"),
	{NULL},
};
static const struct field address_fields[] = {
	F_INT("return", "always 0"),
	F_STRING("src_addr", "local IP address"),
	F_INT("src_port", "local port, from rdma_get_src_port(3)"),
	F_STRING("dst_addr", "the peer's IP address"),
	F_INT("dst_port", "the peer's port, from rdma_get_dst_port(3)"),
	F_STRING("device", "the device that it is bound to; empty if there is none"),
	F_BOOL("has_qp", "whether it has a queue pair"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "create_event_channel", .call = "rdma_create_event_channel(3)",
	 .doc = "Create a channel for connection events.",
	 .fields = pointer_fields, .makes = OBJECT_CHANNEL, .ok = 1,
	 .run = run_create_event_channel},
	{.name = "destroy_event_channel", .call = "rdma_destroy_event_channel(3)",
	 .doc = "Destroy an event channel.", .params = channel_params, .fields = step_void_fields,
	 .run = step_free},
	{.name = "create_id", .call = "rdma_create_id(3)", .doc = "Create a connection identifier.",
	 .params = create_id_params, .fields = step_minus1_fields, .makes = OBJECT_CM_ID,
	 .run = run_create_id},
	{.name = "destroy_id", .call = "rdma_destroy_id(3)", .doc = "Destroy a connection identifier.",
	 .params = step_id_params, .fields = step_minus1_elapsed_fields, .run = run_destroy_id},
	{.name = "migrate_id", .call = "rdma_migrate_id(3)",
	 .doc = "Move an identifier to an event channel, so that its calls no longer block.",
	 .params = migrate_params, .fields = step_minus1_fields, .run = run_migrate_id},
	{.name = "bind_addr", .call = "rdma_bind_addr(3)", .doc = "Bind an identifier to an address.",
	 .params = bind_params, .fields = bind_fields, .run = run_bind_addr},
	{.name = "resolve_addr", .call = "rdma_resolve_addr(3)",
	 .doc = "Begin to resolve the peer's address; an event reports the result.",
	 .params = resolve_params, .fields = step_minus1_elapsed_fields,
	 .deadline_ms = DEADLINE_CONNECT_MS, .run = run_resolve_addr},
	{.name = "resolve_route", .call = "rdma_resolve_route(3)",
	 .doc = "Begin to resolve the route to the peer; an event reports the result.",
	 .params = addrinfo_route_params, .fields = step_minus1_elapsed_fields,
	 .deadline_ms = DEADLINE_CONNECT_MS, .run = run_resolve_route},
	{.name = "listen", .call = "rdma_listen(3)", .doc = "Listen for connection requests.",
	 .params = listen_params, .fields = listen_fields, .run = run_listen},
	{.name = "get_addresses", .call = "rdma_get_local_addr(3)",
	 .doc = "Read the local and the remote address of an identifier.", .params = step_id_params,
	 .fields = address_fields, .query = true, .run = run_get_addresses},
	{NULL},
};

const struct step_family family_cm = {"cm", "Identifiers and addresses of rdma_cm.", steps};
