/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "call/addrinfo.h"
#include "call/scarcity.h"
#include "call/step-util.h"

/* The text of @key, repeated as often as @times says; NULL without it. The caller frees it. */
static char *repeated(const struct value *args, const char *key, const char *times)
{
	const char *text = value_get_string(args, key, NULL);
	size_t n = (size_t)value_get_int(args, times, 1), len, i;
	char *all;

	if (!text)
		return NULL;
	len = strlen(text);
	all = xcalloc(n * len + 1, 1);
	for (i = 0; i < n; i++)
		memcpy(all + i * len, text, len);
	return all;
}

static bool sets_errno(int ret)
{
	return ret == -1 || ret == EAI_SYSTEM;
}

STEP(run_getaddrinfo)
{
	bool null_hints = !value_get_bool(args, "hints", true);
	/* *res points here before the call, so that the result shows if the call stored nothing. */
	struct rdma_addrinfo untouched = {0}, *res = &untouched, before;
	auto_free char *node = repeated(args, "node", "node_times");
	auto_free char *service = repeated(args, "service", "service_times");
	struct scarcity scarcity;
	struct hints h;
	int ret;

	if (hints_fill(args, &h, err) < 0)
		return -err->code;
	before = h.ai;
	scarcity_begin(&scarcity, args);
	call_begins(ctx);
	ret = ctx->target->getaddrinfo(node, service, null_hints ? NULL : &h.ai,
				       value_get_bool(args, "res", true) ? &res : NULL);
	scarcity_end(&scarcity);
	value_set_int(result, "return", ret);
	value_set_int(result, "errno", sets_errno(ret) ? errno : 0);
	value_set_int(result, "elapsed_ms", step_elapsed_ms_since(ctx->began_ns));
	value_set_bool(result, "hints_unchanged", memcmp(&before, &h.ai, sizeof(before)) == 0);
	value_set_bool(result, "res_untouched", res == &untouched);
	value_set_bool(result, "res_null", !res);
	if (ret == 0 && res && res != &untouched)
		addrinfo_keep(ctx, res, result);
	return 0;
}

STEP(run_freeaddrinfo)
{
	struct object *o = NULL;

	if (!value_get_bool(args, "null", false)) {
		o = arg_object(ctx, args, "ai", OBJECT_ADDRINFO, err);
		if (!o)
			return -err->code;
	}
	ctx->target->freeaddrinfo(o ? o->ai : NULL);
	if (o)
		objects_forget(ctx->objects, o);
	value_set_int(result, "return", 0);
	return 0;
}

/* rdma_freeaddrinfo(3) frees this, so it must come from malloc(3). */
STEP(run_set_connect_data)
{
	struct rdma_addrinfo *ai = arg_handle(ctx, args, "ai", OBJECT_ADDRINFO, err);
	auto_free uint8_t *data = NULL;
	size_t len;

	if (!ai || arg_bytes(args, "data", &data, &len, err) < 0)
		return -err->code;
	free(ai->ai_connect);
	ai->ai_connect = steal(&data);
	ai->ai_connect_len = len;
	if ((size_t)value_get_int(args, "len", INT64_MAX) < len)
		ai->ai_connect_len = (size_t)value_get_int(args, "len", 0);
	value_set_int(result, "return", 0);
	return 0;
}

/* Changes the first entry, as a program may do with a list of its own. */
STEP(run_set_addrinfo)
{
	struct rdma_addrinfo *ai = arg_handle(ctx, args, "ai", OBJECT_ADDRINFO, err);

	if (!ai)
		return -err->code;
	ai->ai_port_space = (int)value_get_int(args, "port_space", ai->ai_port_space);
	ai->ai_qp_type = (int)value_get_int(args, "qp_type", ai->ai_qp_type);
	value_set_int(result, "return", 0);
	return 0;
}

STEP(run_gai_strerror)
{
	const int code = (int)value_get_int(args, "code", 0);
	const char *s = ctx->target->gai_strerror(code), *other;
	int64_t alike = 0;
	size_t i;

	value_set_int(result, "return", s ? 1 : 0);
	value_set(result, "text", addrinfo_text_or_null(s));
	value_set_int(result, "length", s ? (int64_t)strlen(s) : 0);
	for (i = 0; i < const_return.count; i++) {
		if (strncmp(const_return.entry[i].name, "EAI_", 4) != 0 ||
		    const_return.entry[i].value == code)
			continue;
		other = ctx->target->gai_strerror((int)const_return.entry[i].value);
		alike += s && other && strcmp(s, other) == 0;
	}
	value_set_int(result, "alike", alike);
	return 0;
}

static const struct param getaddrinfo_params[] = {
	P_NODE,
	P_HINTS,
	P_BOOL("res", "false passes NULL for res; default true"),
	P_INT("node_times", 0, 16 << 20, "how often the text of node is repeated; default 1"),
	P_INT("service_times", 0, 16 << 20, "how often the text of service is repeated; default 1"),
	P_SPARE_FDS,
	P_NO_MEMORY,
	{NULL},
};
static const struct field getaddrinfo_fields[] = {
	F_CONST("return", &const_return, "0, an EAI code, or -1 with errno"),
	F_CONST("errno", &const_errno, "errno after a return of -1 or EAI_SYSTEM, else 0"),
	F_ELAPSED,
	F_INT("count", "entries of the list; absent after a failure"),
	F_LIST("results", addrinfo_entry_fields, "the entries in order; absent after a failure"),
	F_BOOL("hints_unchanged", "whether the hints have the same bytes as before the call"),
	F_BOOL("res_untouched", "whether *res still has the caller's value"),
	F_BOOL("res_null", "whether *res is NULL afterwards"),
	{NULL},
};
static const struct param free_params[] = {
	P_OBJECT("ai", OBJECT_ADDRINFO, "the list; default: ai, or the only one"),
	P_BOOL("null", "true passes NULL; default false"),
	{NULL},
};
static const struct param connect_data_params[] = {
	P_OBJECT("ai", OBJECT_ADDRINFO, "the list; default: ai, or the only one"),
	{.name = "data", .type = PARAM_BYTES, .required = true, .doc = "the bytes"},
	P_INT("len", 0, 4096, "ai_connect_len, at most the length of data; default: the length of data"),
	{NULL},
};
static const struct param set_params[] = {
	P_OBJECT("ai", OBJECT_ADDRINFO, "the list; default: ai, or the only one"),
	P_CONST("port_space", &const_port_space, "the new ai_port_space; default: no change"),
	P_CONST("qp_type", &const_qp_type, "the new ai_qp_type; default: no change"),
	{NULL},
};
static const struct param strerror_params[] = {
	{.name = "code", .type = PARAM_CONST, .set = &const_return, .required = true,
	 .doc = "an EAI code"},
	{NULL},
};
static const struct field strerror_fields[] = {
	F_CONST("return", &const_pointer, "whether the call returned a text"),
	F_STRING("text", "the text"),
	F_INT("length", "bytes of the text; 0 when there is none"),
	F_INT("alike", "how many other codes have the same text"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "getaddrinfo", .call = "rdma_getaddrinfo(3)",
	 .doc = "Translate a node and a service into addresses for rdma_cm.",
	 .params = getaddrinfo_params, .fields = getaddrinfo_fields, .makes = OBJECT_ADDRINFO,
	 .deadline_ms = DEADLINE_NAMES_MS, .run = run_getaddrinfo},
	{.name = "freeaddrinfo", .call = "rdma_freeaddrinfo(3)", .doc = "Free an address list.",
	 .params = free_params, .fields = step_void_fields, .run = run_freeaddrinfo},
	{.name = "set_connect_data", .call = "malloc(3)",
	 .doc = "Put connect data into the first entry of an address list.",
	 .params = connect_data_params, .fields = step_void_fields, .run = run_set_connect_data},
	{.name = "set_addrinfo", .call = "rdma_getaddrinfo(3)",
	 .doc = "Change the first entry of an address list.", .params = set_params,
	 .fields = step_void_fields, .run = run_set_addrinfo},
	{.name = "gai_strerror", .call = "gai_strerror(3)", .doc = "Get the text for an EAI code.",
	 .params = strerror_params, .fields = strerror_fields, .ok = 1,
	 .query = true, .run = run_gai_strerror},
	{NULL},
};

const struct step_family family_resolve = {"resolve", "Address resolution.", steps};
