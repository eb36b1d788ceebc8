/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/opcode.h"

#include <stddef.h>
#include <infiniband/opcode.h>

#include "codec/header.h"

/* The upper three bits of an opcode are the transport, and the lower five the operation. */
#define OPERATION 0x1f
#define RC (1 << (IBV_OPCODE_RC >> 5))
#define UC (1 << (IBV_OPCODE_UC >> 5))
#define UD (1 << (IBV_OPCODE_UD >> 5))

static const struct operation {
	int transports;		/* those that have the operation; 0: none */
	bool payload, response;
	const struct header *header[2];
} operations[OPERATION + 1] = {
	[IBV_OPCODE_SEND_FIRST] = {RC | UC, true, false, {NULL}},
	[IBV_OPCODE_SEND_MIDDLE] = {RC | UC, true, false, {NULL}},
	[IBV_OPCODE_SEND_LAST] = {RC | UC, true, false, {NULL}},
	[IBV_OPCODE_SEND_LAST_WITH_IMMEDIATE] = {RC | UC, true, false, {&header_immdt}},
	[IBV_OPCODE_SEND_ONLY] = {RC | UC | UD, true, false, {NULL}},
	[IBV_OPCODE_SEND_ONLY_WITH_IMMEDIATE] = {RC | UC | UD, true, false, {&header_immdt}},
	[IBV_OPCODE_RDMA_WRITE_FIRST] = {RC | UC, true, false, {&header_reth}},
	[IBV_OPCODE_RDMA_WRITE_MIDDLE] = {RC | UC, true, false, {NULL}},
	[IBV_OPCODE_RDMA_WRITE_LAST] = {RC | UC, true, false, {NULL}},
	[IBV_OPCODE_RDMA_WRITE_LAST_WITH_IMMEDIATE] = {RC | UC, true, false, {&header_immdt}},
	[IBV_OPCODE_RDMA_WRITE_ONLY] = {RC | UC, true, false, {&header_reth}},
	[IBV_OPCODE_RDMA_WRITE_ONLY_WITH_IMMEDIATE] = {RC | UC, true, false, {&header_reth, &header_immdt}},
	[IBV_OPCODE_RDMA_READ_REQUEST] = {RC, false, false, {&header_reth}},
	[IBV_OPCODE_RDMA_READ_RESPONSE_FIRST] = {RC, true, true, {&header_aeth}},
	[IBV_OPCODE_RDMA_READ_RESPONSE_MIDDLE] = {RC, true, true, {NULL}},
	[IBV_OPCODE_RDMA_READ_RESPONSE_LAST] = {RC, true, true, {&header_aeth}},
	[IBV_OPCODE_RDMA_READ_RESPONSE_ONLY] = {RC, true, true, {&header_aeth}},
	[IBV_OPCODE_ACKNOWLEDGE] = {RC, false, true, {&header_aeth}},
	[IBV_OPCODE_ATOMIC_ACKNOWLEDGE] = {RC, false, true, {&header_aeth, &header_atomic_ack}},
	[IBV_OPCODE_COMPARE_SWAP] = {RC, false, false, {&header_compare_swap}},
	[IBV_OPCODE_FETCH_ADD] = {RC, false, false, {&header_fetch_add}},
	[OPCODE_SEND_LAST_WITH_INVALIDATE] = {RC, true, false, {&header_ieth}},
	[OPCODE_SEND_ONLY_WITH_INVALIDATE] = {RC, true, false, {&header_ieth}},
	[OPCODE_FLUSH] = {RC, false, false, {&header_feth, &header_reth}},
	[OPCODE_ATOMIC_WRITE] = {RC, true, false, {&header_reth}},
};

bool opcode_find(uint8_t number, struct opcode *op)
{
	const struct operation *known = &operations[number & OPERATION];
	int transport = 1 << (number >> 5);
	size_t n = 0, i;

	*op = (struct opcode){.number = number, .payload = known->payload, .response = known->response};
	if (number == OPCODE_CNP) {
		*op = (struct opcode){.number = number, .header = {&header_cnp}};
		return true;
	}
	if (!(known->transports & transport))
		return false;
	if (transport == UD)
		op->header[n++] = &header_deth;
	for (i = 0; i < 2 && known->header[i]; i++)
		op->header[n++] = known->header[i];
	return true;
}

const char *opcode_transport(uint8_t number)
{
	static const char *const names[8] = {"RC", "UC", "", "UD", "", "", "", ""};

	return names[number >> 5];
}
