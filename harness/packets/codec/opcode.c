/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/opcode.h"

#include <infiniband/opcode.h>
#include <stddef.h>

#include "base/xalloc.h"
#include "codec/header.h"
#include "codec/packet.h"

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

#define ALL UINT64_MAX
#define PROTOCOL_UDP 17
#define GRH_NEXT_BTH 0x1b
#define QP_OF_MANAGEMENT 1

/* rdma_cm puts this in front of a service's port: annex A11. */
#define IP_CM_MASK 0xffffffffff000000
#define IP_CM_SERVICE 0x0000000001000000

#define ETHER_TYPES(from, field)                                               \
	{from, &header_vlan, field, ALL, 0x8100, NULL},                              \
	{from, &header_vlan, field, ALL, 0x88a8, NULL},                              \
	{from, &header_ip4, field, ALL, 0x0800, NULL},                               \
	{from, &header_ip6, field, ALL, 0x86dd, NULL},                               \
	{from, &header_grh, field, ALL, 0x8915, NULL}

static const struct follow_rule rules[] = {
	ETHER_TYPES(&header_ether, "ether_type"),
	ETHER_TYPES(&header_vlan, "vlan_type"),
	ETHER_TYPES(&header_cooked, "cooked_type"),
	ETHER_TYPES(&header_cooked2, "cooked_type"),
	{&header_ip4, &header_udp, "protocol", ALL, PROTOCOL_UDP, NULL},
	{&header_ip6, &header_udp, "protocol", ALL, PROTOCOL_UDP, NULL},
	{&header_grh, &header_bth, "protocol", ALL, GRH_NEXT_BTH, NULL},
	{&header_udp, &header_bth, "dst_port", ALL, PACKET_UDP_PORT, NULL},
	{&header_deth, &header_mad, "qp", ALL, QP_OF_MANAGEMENT, NULL},
	{&header_mad, &header_cm_req, "attribute", ALL, 0x10, NULL},
	{&header_mad, &header_cm_mra, "attribute", ALL, 0x11, NULL},
	{&header_mad, &header_cm_rej, "attribute", ALL, 0x12, NULL},
	{&header_mad, &header_cm_rep, "attribute", ALL, 0x13, NULL},
	{&header_mad, &header_cm_rtu, "attribute", ALL, 0x14, NULL},
	{&header_mad, &header_cm_dreq, "attribute", ALL, 0x15, NULL},
	{&header_mad, &header_cm_drep, "attribute", ALL, 0x16, NULL},
	{&header_mad, &header_cm_sidr_req, "attribute", ALL, 0x17, NULL},
	{&header_mad, &header_cm_sidr_rep, "attribute", ALL, 0x18, NULL},
	{&header_mad, &header_cm_lap, "attribute", ALL, 0x19, NULL},
	{&header_mad, &header_cm_apr, "attribute", ALL, 0x1a, NULL},
	{&header_cm_req, &header_ip_cm, "service_id", IP_CM_MASK, IP_CM_SERVICE, "private_data"},
	{&header_cm_sidr_req, &header_ip_cm, "service_id", IP_CM_MASK, IP_CM_SERVICE, "private_data"},
};

/* A fragment after the first one has no header of UDP, and only class 7 has messages of the CM. */
static bool is_stopped(const struct packet *p, const struct header *last)
{
	if (last == &header_ip4)
		return packet_get(p, "fragment_offset", 0) != 0;
	return last == &header_mad && packet_get(p, "class", 0) != PACKET_CLASS_CM;
}

/* By the last header if it has the field, because there may be two VLANs. */
static uint64_t deciding(const struct packet *p, const char *field)
{
	const struct layer *last = &p->layer[p->layers - 1];
	const struct header_field *f = header_find_field(last->header, field);

	return f ? packet_value(p, last, f) : packet_get(p, field, 0);
}

const struct follow_rule *follow_rule_find(const struct packet *p)
{
	const struct header *last = p->layer[p->layers - 1].header;
	size_t i;

	if (is_stopped(p, last))
		return NULL;
	for (i = 0; i < ARRAY_SIZE(rules); i++)
		if (rules[i].from == last && (deciding(p, rules[i].field) & rules[i].mask) == rules[i].is)
			return &rules[i];
	return NULL;
}

const struct follow_rule *follow_rule(const struct header *from, const struct header *to)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rules); i++)
		if (rules[i].from == from && rules[i].to == to)
			return &rules[i];
	return NULL;
}
