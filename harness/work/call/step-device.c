/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "call/scarcity.h"
#include "call/step-util.h"
#include "names/consts.h"
#include "names/host.h"

static int device_list_release(struct object *o)
{
	o->target->free_device_list(o->devices);
	return 0;
}

struct value *device_guid_to_value(__be64 guid)
{
	uint64_t g = be64toh(guid);

	return value_format_string("%04x:%04x:%04x:%04x", (unsigned)(g >> 48),
				   (unsigned)(g >> 32) & 0xffff, (unsigned)(g >> 16) & 0xffff,
				   (unsigned)g & 0xffff);
}

STEP(run_get_device_list)
{
	bool with_num = value_get_bool(args, "num", true);
	struct ibv_device **list;
	struct value *devices, *d;
	struct scarcity scarcity;
	int num = -1, i;

	scarcity_begin(&scarcity, args);
	list = ctx->target->get_device_list(with_num ? &num : NULL);
	scarcity_end(&scarcity);
	put_pointer(result, list);
	if (with_num)
		value_set_int(result, "num_devices", num);
	if (!list)
		return 0;
	devices = value_list();
	for (i = 0; list[i]; i++) {
		d = value_map();
		value_set_string(d, "name", ctx->target->get_device_name(list[i]));
		value_set(d, "guid", device_guid_to_value(ctx->target->get_device_guid(list[i])));
		value_append(devices, d);
	}
	value_set_int(result, "count", i);
	value_set(result, "devices", devices);
	step_keep(ctx, list, OBJECT_DEVICE_LIST, device_list_release);
	return 0;
}

static int context_release(struct object *o)
{
	return o->target->close_device(o->context);
}

STEP(run_open_device)
{
	const char *name = value_get_string(args, "name", ctx->host->dev);
	struct ibv_device **list = ctx->target->get_device_list(NULL), **d;
	struct scarcity scarcity;
	struct ibv_context *c;

	if (!list)
		return vbm_fail(err, errno ? errno : EIO, "there is no device list to open '%s' from", name);
	for (d = list; *d && strcmp(ctx->target->get_device_name(*d), name) != 0; d++)
		;
	if (!*d) {
		ctx->target->free_device_list(list);
		return vbm_fail(err, ENODEV, "the device '%s' is not in the list", name);
	}
	scarcity_begin(&scarcity, args);
	c = ctx->target->open_device(*d);
	scarcity_end(&scarcity);
	put_pointer(result, c);
	value_set_string(result, "name", name);
	if (c) {
		value_set_bool(result, "same_device", c->device == *d);
		value_set_int(result, "num_comp_vectors", c->num_comp_vectors);
	}
	ctx->target->free_device_list(list);
	if (c)
		step_keep(ctx, c, OBJECT_CONTEXT, context_release);
	return 0;
}

/* As a program does that closes descriptors which are not its own. */
STEP(run_lose_descriptor)
{
	struct ibv_context *c = arg_handle(ctx, args, "ctx", OBJECT_CONTEXT, err);

	if (!c)
		return -err->code;
	errno = 0;
	put_minus1(result, close(c->cmd_fd));
	return 0;
}

#define PORT_INTS(X)                                                          \
	X(gid_tbl_len, "length of the GID table")                             \
	X(port_cap_flags, "capability bits of the port")                      \
	X(max_msg_sz, "largest message, bytes")                               \
	X(bad_pkey_cntr, "packets with a bad P_Key")                          \
	X(qkey_viol_cntr, "packets with a wrong Q_Key")                       \
	X(pkey_tbl_len, "length of the partition table")                      \
	X(lid, "base LID; 0 on RoCE")                                         \
	X(sm_lid, "LID of the subnet manager")                                \
	X(lmc, "LID mask control")                                            \
	X(max_vl_num, "virtual lanes, encoded")                               \
	X(sm_sl, "service level towards the subnet manager")                  \
	X(subnet_timeout, "propagation delay exponent")                       \
	X(init_type_reply, "kind of initialisation done")                     \
	X(active_width, "link width in use, encoded")                         \
	X(active_speed, "link speed in use, encoded")                         \
	X(phys_state, "physical state: 5 is LinkUp")                          \
	X(flags, "port flags: 1 says that a GRH is required")                 \
	X(port_cap_flags2, "further capability bits")

/* Since rdma-core 49. */
#ifdef HAVE_STRUCT_IBV_PORT_ATTR_ACTIVE_SPEED_EX
#define SPEED_EX(attr) ((attr).active_speed_ex)
#else
#define SPEED_EX(attr) 0
#endif

STEP(run_query_port)
{
	int port = (int)value_get_int(args, "port", ctx->host->port);
	struct ibv_context *c = arg_handle(ctx, args, "ctx", OBJECT_CONTEXT, err);
	struct ibv_port_attr attr;
	int ret;

	if (!c)
		return -err->code;
	memset(&attr, 0xaa, sizeof(attr));
	ret = ctx->target->query_port(c, (uint8_t)port, &attr);
	put_errval(result, ret);
	if (ret)
		return 0;
	value_set_int(result, "state", attr.state);
	value_set_int(result, "max_mtu", attr.max_mtu);
	value_set_int(result, "active_mtu", attr.active_mtu);
	value_set_int(result, "link_layer", attr.link_layer);
#define PUT(name, doc) value_set_int(result, #name, (int64_t)attr.name);
	PORT_INTS(PUT)
#undef PUT
	value_set_int(result, "active_speed_ex", SPEED_EX(attr));
	return 0;
}

STEP(run_query_gid)
{
	int port = (int)value_get_int(args, "port", ctx->host->port);
	int64_t index = value_get_int(args, "index", ctx->host->gid_index4);
	struct ibv_context *c = arg_handle(ctx, args, "ctx", OBJECT_CONTEXT, err);
	union ibv_gid gid;
	int ret;

	if (!c)
		return -err->code;
	memset(&gid, 0xaa, sizeof(gid));
	errno = 0;
	ret = ctx->target->query_gid(c, (uint8_t)port, (int)index, &gid);
	put_minus1(result, ret);
	if (ret == 0)
		value_set(result, "gid", step_gid_to_value(&gid));
	return 0;
}

STEP(run_query_pkey)
{
	int port = (int)value_get_int(args, "port", ctx->host->port);
	struct ibv_context *c = arg_handle(ctx, args, "ctx", OBJECT_CONTEXT, err);
	__be16 pkey = 0;
	int ret;

	if (!c)
		return -err->code;
	errno = 0;
	ret = ctx->target->query_pkey(c, (uint8_t)port, (int)value_get_int(args, "index", 0), &pkey);
	put_minus1(result, ret);
	if (ret == 0)
		value_set_int(result, "pkey", be16toh(pkey));
	return 0;
}

#define P_PORT P_INT("port", 0, 255, "port number, from 1; default: the host's port")

static const struct param device_list_params[] = {
	P_BOOL("num", "false passes NULL for num_devices; default true"),
	P_SPARE_FDS,
	P_NO_MEMORY,
	{NULL},
};
static const struct field device_fields[] = {
	F_STRING("name", "name of the device"),
	F_STRING("guid", "its node GUID as four groups of hex digits"),
	{NULL},
};
static const struct field device_list_fields[] = {
	F_POINTER,
	F_INT("num_devices", "the number that the call stored; absent with num: false"),
	F_INT("count", "entries before the terminating NULL"),
	F_LIST("devices", device_fields, "the entries in order"),
	{NULL},
};
static const struct param free_list_params[] = {
	P_OBJECT("devices", OBJECT_DEVICE_LIST, "the list; default: devices, or the only one"),
	{NULL},
};
static const struct param open_params[] = {
	P_STRING("name", "name of the device in the list; default: the host's RDMA device"),
	P_SPARE_FDS,
	P_NO_MEMORY,
	{NULL},
};
static const struct field open_fields[] = {
	F_POINTER,
	F_STRING("name", "name of the device that was opened"),
	F_BOOL("same_device", "whether the context points to the device in the list"),
	F_INT("num_comp_vectors", "completion vectors of the context"),
	{NULL},
};
static const struct param ctx_params[] = {P_CTX, {NULL}};

#define FIELD_OF(name, doc) F_INT(#name, doc),
static const struct param port_params[] = {P_CTX, P_PORT, {NULL}};
static const struct field port_fields[] = {
	F_ERRVAL,
	F_CONST("state", &const_port_state, "logical state of the port"),
	F_CONST("max_mtu", &const_mtu, "largest MTU that the port supports"),
	F_CONST("active_mtu", &const_mtu, "MTU in effect"),
	F_CONST("link_layer", &const_link_layer, "protocol of the link layer"),
	PORT_INTS(FIELD_OF)
	F_INT("active_speed_ex", "link speed in use, also if active_speed has no code for it; 0 if the "
			"program was built without this field"),
	{NULL},
};
static const struct param gid_params[] = {
	P_CTX,
	P_PORT,
	P_INT("index", INT32_MIN, INT32_MAX, "index in the GID table; default: the index of the host's IPv4 address"),
	{NULL},
};
static const struct field gid_fields[] = {
	F_MINUS1,
	F_STRING("gid", "the GID in IPv6 notation; absent after a failure"),
	{NULL},
};
static const struct param pkey_params[] = {
	P_CTX,
	P_PORT,
	P_INT("index", INT32_MIN, INT32_MAX, "index in the partition table; default 0"),
	{NULL},
};
static const struct field pkey_fields[] = {
	F_MINUS1,
	F_INT("pkey", "the partition key in host order; absent after a failure"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "get_device_list", .call = "ibv_get_device_list(3)",
	 .doc = "List the RDMA devices that are there now.", .params = device_list_params,
	 .fields = device_list_fields, .makes = OBJECT_DEVICE_LIST, .ok = 1,
	 .run = run_get_device_list},
	{.name = "free_device_list", .call = "ibv_free_device_list(3)",
	 .doc = "Free a device list.", .params = free_list_params, .fields = step_void_fields,
	 .run = step_free},
	{.name = "open_device", .call = "ibv_open_device(3)",
	 .doc = "Open the device with the given name.", .params = open_params, .fields = open_fields,
	 .makes = OBJECT_CONTEXT, .ok = 1, .run = run_open_device},
	{.name = "close_device", .call = "ibv_close_device(3)", .doc = "Close an open device.",
	 .params = ctx_params, .fields = step_minus1_fields, .run = step_destroy},
	{.name = "lose_descriptor", .call = "close(2)",
	 .doc = "Close the descriptor of an open device, as a program does by mistake.",
	 .params = ctx_params, .fields = step_minus1_fields, .run = run_lose_descriptor},
	{.name = "query_port", .call = "ibv_query_port(3)", .doc = "Read the attributes of a port.",
	 .params = port_params, .fields = port_fields, .query = true, .run = run_query_port},
	{.name = "query_gid", .call = "ibv_query_gid(3)",
	 .doc = "Read one entry of a port's GID table.", .params = gid_params,
	 .fields = gid_fields, .query = true, .run = run_query_gid},
	{.name = "query_pkey", .call = "ibv_query_pkey(3)",
	 .doc = "Read one entry of a port's partition table.", .params = pkey_params,
	 .fields = pkey_fields, .query = true, .run = run_query_pkey},
	{NULL},
};

const struct step_family family_device = {"device", "Devices, ports and their GIDs.", steps, .only_objects = true};
