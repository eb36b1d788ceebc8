/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/endpoint/table.h"

#include <errno.h>

#include <verbatim/handshake.h>

#define CM(name) [RDMA_CM_EVENT_##name]

/* Events that end the attempt with one address in any state. Another address may work. */
#define ATTEMPT_ENDS                                   \
	[ENDPOINT_TIMEOUT] = ENDPOINT_TRY_NEXT,        \
	CM(DEVICE_REMOVAL) = ENDPOINT_TRY_NEXT

static const uint8_t actions[ENDPOINT_STATES][ENDPOINT_EVENTS] = {
	[VBM_ENDPOINT_IDLE] = {
		CM(DEVICE_REMOVAL) = ENDPOINT_REMOVE,
	},
	[VBM_ENDPOINT_TRANSLATING] = {
		[ENDPOINT_ADDRINFO_RESOLVED] = ENDPOINT_TAKE_LIST,
		[ENDPOINT_ADDRINFO_ERROR] = ENDPOINT_FAIL,
		[ENDPOINT_TIMEOUT] = ENDPOINT_FAIL,
		CM(DEVICE_REMOVAL) = ENDPOINT_FAIL,
	},
	[VBM_ENDPOINT_RESOLVING_ADDR] = {
		CM(ADDR_RESOLVED) = ENDPOINT_RESOLVE_ROUTE,
		CM(ADDR_ERROR) = ENDPOINT_TRY_NEXT,
		ATTEMPT_ENDS,
	},
	[VBM_ENDPOINT_RESOLVING_ROUTE] = {
		CM(ROUTE_RESOLVED) = ENDPOINT_ASK,
		CM(ROUTE_ERROR) = ENDPOINT_TRY_NEXT,
		ATTEMPT_ENDS,
	},
	[VBM_ENDPOINT_CONNECTING] = {
		CM(ESTABLISHED) = ENDPOINT_SETTLE,
		CM(CONNECT_ERROR) = ENDPOINT_TRY_NEXT,
		CM(UNREACHABLE) = ENDPOINT_TRY_NEXT,
		CM(REJECTED) = ENDPOINT_TRY_NEXT,
		CM(DISCONNECTED) = ENDPOINT_FAIL,
		/*
		 * The peer's program rejected, and its other addresses lead to the same
		 * program.
		 */
		[ENDPOINT_REJECTED_BY_PEER] = ENDPOINT_FAIL,
		ATTEMPT_ENDS,
	},
	[VBM_ENDPOINT_LISTENING] = {
		CM(CONNECT_REQUEST) = ENDPOINT_TAKE_REQUEST,
		CM(DEVICE_REMOVAL) = ENDPOINT_REMOVE,
	},
	[VBM_ENDPOINT_REQUESTED] = {
		CM(CONNECT_ERROR) = ENDPOINT_FAIL,
		CM(UNREACHABLE) = ENDPOINT_FAIL,
		CM(REJECTED) = ENDPOINT_FAIL,
		CM(DISCONNECTED) = ENDPOINT_FAIL,
		[ENDPOINT_REJECTED_BY_PEER] = ENDPOINT_FAIL,
		CM(DEVICE_REMOVAL) = ENDPOINT_REMOVE,
	},
	[VBM_ENDPOINT_ACCEPTING] = {
		CM(ESTABLISHED) = ENDPOINT_SETTLE,
		/* DISCONNECTED came before ESTABLISHED, which will not come any more. */
		CM(DISCONNECTED) = ENDPOINT_ANSWER,
		CM(CONNECT_ERROR) = ENDPOINT_FAIL,
		CM(UNREACHABLE) = ENDPOINT_FAIL,
		CM(REJECTED) = ENDPOINT_FAIL,
		[ENDPOINT_REJECTED_BY_PEER] = ENDPOINT_FAIL,
		[ENDPOINT_TIMEOUT] = ENDPOINT_FAIL,
		CM(DEVICE_REMOVAL) = ENDPOINT_REMOVE,
	},
	[VBM_ENDPOINT_CONNECTED] = {
		CM(DISCONNECTED) = ENDPOINT_ANSWER,
		CM(DEVICE_REMOVAL) = ENDPOINT_REMOVE,
	},
	[VBM_ENDPOINT_DISCONNECTING] = {
		CM(DISCONNECTED) = ENDPOINT_END,
		CM(TIMEWAIT_EXIT) = ENDPOINT_END,
		[ENDPOINT_TIMEOUT] = ENDPOINT_END,
		CM(DEVICE_REMOVAL) = ENDPOINT_REMOVE,
	},
	[VBM_ENDPOINT_DISCONNECTED] = {
		CM(DEVICE_REMOVAL) = ENDPOINT_REMOVE,
	},
	[VBM_ENDPOINT_FAILED] = {
		CM(DEVICE_REMOVAL) = ENDPOINT_REMOVE,
	},
};

enum endpoint_action vbm_endpoint_action(enum vbm_endpoint_state state, int event)
{
	if ((unsigned int)state >= ENDPOINT_STATES || event < 0 || event >= ENDPOINT_EVENTS)
		return ENDPOINT_IGNORE;
	return (enum endpoint_action)actions[state][event];
}

bool vbm_endpoint_is_under_way(enum vbm_endpoint_state state)
{
	return vbm_endpoint_action(state, ENDPOINT_TIMEOUT) != ENDPOINT_IGNORE;
}

/*
 * The sizes for RDMA_PS_TCP and RDMA_PS_UDP are from rdma_connect(3) and rdma_accept(3),
 * that of a rejection is from the message REJ of the InfiniBand specification, and that of
 * the handshake is from docs/handshake.md.
 */
size_t vbm_endpoint_room(enum vbm_way way, enum ibv_qp_type type, enum endpoint_message message)
{
	static const uint8_t room[2][3] = {
		{[ENDPOINT_REQUEST] = 56, [ENDPOINT_ACCEPTANCE] = 196, [ENDPOINT_REJECTION] = 148},
		{[ENDPOINT_REQUEST] = 180, [ENDPOINT_ACCEPTANCE] = 136, [ENDPOINT_REJECTION] = 136},
	};

	if (way == VBM_WAY_HANDSHAKE)
		return VBM_HANDSHAKE_PRIVATE_MAX;
	return room[type == IBV_QPT_UD][message];
}

int vbm_endpoint_code(int event, int status)
{
	static const int codes[ENDPOINT_EVENTS] = {
		CM(ADDR_ERROR) = EHOSTUNREACH,
		CM(ROUTE_ERROR) = EHOSTUNREACH,
		CM(CONNECT_ERROR) = ECONNABORTED,
		CM(UNREACHABLE) = EHOSTUNREACH,
		CM(REJECTED) = ECONNREFUSED,
		CM(DISCONNECTED) = ECONNRESET,
		CM(DEVICE_REMOVAL) = ENODEV,
		[ENDPOINT_ADDRINFO_ERROR] = ENOENT,
		[ENDPOINT_TIMEOUT] = ETIMEDOUT,
		[ENDPOINT_REJECTED_BY_PEER] = ECONNREFUSED,
	};
	bool has_errno = event == RDMA_CM_EVENT_ADDR_ERROR || event == RDMA_CM_EVENT_ROUTE_ERROR ||
			 event == RDMA_CM_EVENT_CONNECT_ERROR || event == RDMA_CM_EVENT_UNREACHABLE;

	/* -1 means that librdmacm failed itself, and not the operation. */
	if (has_errno && status < 0)
		return status == -1 ? EIO : -status;
	/* If an answer of the datagram service has a status, the peer has refused. */
	if (event == RDMA_CM_EVENT_UNREACHABLE && status > 0)
		return ECONNREFUSED;
	return event >= 0 && event < ENDPOINT_EVENTS && codes[event] ? codes[event] : EIO;
}

bool vbm_endpoint_may_mend(int code)
{
	static const int codes[] = {ECONNREFUSED, ECONNRESET, EHOSTUNREACH, ENETUNREACH, ETIMEDOUT};
	size_t i;

	for (i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (code == codes[i])
			return true;
	return false;
}
