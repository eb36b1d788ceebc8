/* SPDX-License-Identifier: BSD-2-Clause */
#include <netdb.h>
#include <stdlib.h>

#include "call/step-util.h"
#include "names/consts.h"

STEP(run_libc)
{
	bool datagram = value_get_bool(args, "datagram", false);
	struct addrinfo hints = {
		.ai_family = (int)value_get_int(args, "family", 0),
		.ai_socktype = datagram ? SOCK_DGRAM : SOCK_STREAM,
	};
	struct addrinfo *res = NULL, *a;
	struct value *list = value_list(), *v;
	int ret;

	ret = getaddrinfo(value_get_string(args, "node", NULL),
			  value_get_string(args, "service", NULL), &hints, &res);
	value_set_int(result, "return", ret);
	for (a = ret == 0 ? res : NULL; a; a = a->ai_next) {
		v = value_map();
		value_set_int(v, "family", a->ai_family);
		value_set(v, "addr", step_address_to_value(a->ai_addr, a->ai_addrlen));
		value_set_int(v, "port", step_address_port(a->ai_addr, a->ai_addrlen));
		value_append(list, v);
	}
	if (ret == 0)
		freeaddrinfo(res);
	value_set_int(result, "count", (int64_t)list->list.count);
	value_set(result, "results", list);
	return 0;
}

static const struct param params[] = {
	P_STRING("node", "host name or address; default NULL"),
	P_STRING("service", "service name or port number; default NULL"),
	P_CONST("family", &const_family, "ai_family of the hints; default 0"),
	P_BOOL("datagram", "true asks for SOCK_DGRAM, false for SOCK_STREAM; default false"),
	{NULL},
};
static const struct field entry_fields[] = {
	F_CONST("family", &const_family, "ai_family"),
	F_STRING("addr", "IP address"),
	F_INT("port", "port number"),
	{NULL},
};
static const struct field fields[] = {
	F_CONST("return", &const_return, "0 or an EAI code"),
	F_ELAPSED,
	F_INT("count", "entries of the list"),
	F_LIST("results", entry_fields, "the entries in order"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "libc_getaddrinfo", .call = "getaddrinfo(3)",
	 .doc = "Translate a node and a service with the C library.", .params = params,
	 .fields = fields, .query = true, .deadline_ms = DEADLINE_NAMES_MS, .run = run_libc},
	{NULL},
};

const struct step_family family_libc = {"libc", "The C library, for comparison.", steps};
