/* SPDX-License-Identifier: BSD-2-Clause */
#include "step/step.h"

#include <stddef.h>

static const struct {
	const char *name, *kind;
} object_name[] = {
	[OBJECT_NONE] = {NULL, "record"},
	[OBJECT_DEVICE_LIST] = {"devices", "device list"},
	[OBJECT_CONTEXT] = {"ctx", "device context"},
	[OBJECT_PD] = {"pd", "protection domain"},
	[OBJECT_CQ] = {"cq", "completion queue"},
	[OBJECT_MR] = {"mr", "memory region"},
	[OBJECT_QP] = {"qp", "queue pair"},
	[OBJECT_AH] = {"ah", "address handle"},
	[OBJECT_SRQ] = {"srq", "shared receive queue"},
	[OBJECT_MW] = {"mw", "memory window"},
	[OBJECT_ADDRINFO] = {"ai", "address list"},
	[OBJECT_CHANNEL] = {"channel", "event channel"},
	[OBJECT_CM_ID] = {"id", "connection identifier"},
	[OBJECT_RESOLVER] = {"resolver", "resolver"},
	[OBJECT_EVENT] = {"event", "connection event"},
	[OBJECT_ASYNC_EVENT] = {"async_event", "asynchronous event"},
	[OBJECT_COMP_CHANNEL] = {"comp", "completion channel"},
	[OBJECT_MANY] = {"many", "set of objects"},
	[OBJECT_PROGRAM] = {"program", "program"},
	[OBJECT_TCP_LISTENER] = {"tcp_listener", "TCP listener"},
	[OBJECT_TCP] = {"tcp", "TCP connection"},
	[OBJECT_WATCH] = {"watch", "watch of packets"},
	[OBJECT_RULE] = {"rule", "rule for packets"},
};

const char *step_default_name(enum object_kind kind)
{
	return object_name[kind].name;
}

const char *step_object_kind_name(enum object_kind kind)
{
	return object_name[kind].kind;
}
