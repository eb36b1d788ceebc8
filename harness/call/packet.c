/* SPDX-License-Identifier: BSD-2-Clause */
#include "call/packet.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <infiniband/opcode.h>

#include "base/deflate.h"

#define BTH_BYTES 12
#define ICRC_BYTES 4
#define UDP_BYTES 8
#define PROTOCOL_UDP 17

/* A router may change these bytes, so the CRC counts them as ones. */
#define ANY 0xff

static void put16(uint8_t *p, unsigned v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static void put24(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 16);
	put16(p + 1, v & 0xffff);
}

static void put32(uint8_t *p, uint32_t v)
{
	put16(p, v >> 16);
	put16(p + 2, v & 0xffff);
}

static void put64(uint8_t *p, uint64_t v)
{
	put32(p, (uint32_t)(v >> 32));
	put32(p + 4, (uint32_t)v);
}

static size_t put_deth(uint8_t *p, const struct packet_fields *f)
{
	put32(p, f->qkey);
	put32(p + 4, f->src_qp);
	return 8;
}

static size_t put_feth(uint8_t *p, const struct packet_fields *f)
{
	put32(p, f->flush_level << 4 | f->flush_type);
	return 4;
}

static size_t put_reth(uint8_t *p, const struct packet_fields *f)
{
	put64(p, f->remote_addr);
	put32(p + 8, f->rkey);
	put32(p + 12, f->dma_length);
	return 16;
}

/* COMPARE_SWAP has the new value at the position where FETCH_ADD has its addend. */
static size_t put_compare_swap(uint8_t *p, const struct packet_fields *f)
{
	put64(p, f->remote_addr);
	put32(p + 8, f->rkey);
	put64(p + 12, f->swap);
	put64(p + 20, f->compare_add);
	return 28;
}

static size_t put_fetch_add(uint8_t *p, const struct packet_fields *f)
{
	put64(p, f->remote_addr);
	put32(p + 8, f->rkey);
	put64(p + 12, f->compare_add);
	put64(p + 20, 0);
	return 28;
}

static size_t put_imm(uint8_t *p, const struct packet_fields *f)
{
	put32(p, f->imm);
	return 4;
}

static size_t put_ieth(uint8_t *p, const struct packet_fields *f)
{
	put32(p, f->invalidate);
	return 4;
}

/* Requests by the low five bits of their opcode: IBTA vol 1, chapter 9, table of BTH opcodes. */
#define OPERATION 0x1f
#define UNRELIABLE_DATAGRAM 0x60

typedef size_t (*header)(uint8_t *p, const struct packet_fields *f);

static const struct operation {
	bool request, payload;
	header headers[2];
} operations[OPERATION + 1] = {
	[IBV_OPCODE_SEND_FIRST] = {true, true, {NULL}},
	[IBV_OPCODE_SEND_MIDDLE] = {true, true, {NULL}},
	[IBV_OPCODE_SEND_LAST] = {true, true, {NULL}},
	[IBV_OPCODE_SEND_LAST_WITH_IMMEDIATE] = {true, true, {put_imm}},
	[IBV_OPCODE_SEND_ONLY] = {true, true, {NULL}},
	[IBV_OPCODE_SEND_ONLY_WITH_IMMEDIATE] = {true, true, {put_imm}},
	[IBV_OPCODE_RDMA_WRITE_FIRST] = {true, true, {put_reth}},
	[IBV_OPCODE_RDMA_WRITE_MIDDLE] = {true, true, {NULL}},
	[IBV_OPCODE_RDMA_WRITE_LAST] = {true, true, {NULL}},
	[IBV_OPCODE_RDMA_WRITE_LAST_WITH_IMMEDIATE] = {true, true, {put_imm}},
	[IBV_OPCODE_RDMA_WRITE_ONLY] = {true, true, {put_reth}},
	[IBV_OPCODE_RDMA_WRITE_ONLY_WITH_IMMEDIATE] = {true, true, {put_reth, put_imm}},
	[IBV_OPCODE_RDMA_READ_REQUEST] = {true, false, {put_reth}},
	[IBV_OPCODE_COMPARE_SWAP] = {true, false, {put_compare_swap}},
	[IBV_OPCODE_FETCH_ADD] = {true, false, {put_fetch_add}},
	[PACKET_SEND_LAST_WITH_INVALIDATE] = {true, true, {put_ieth}},
	[PACKET_SEND_ONLY_WITH_INVALIDATE] = {true, true, {put_ieth}},
	[PACKET_FLUSH] = {true, false, {put_feth, put_reth}},
	[PACKET_ATOMIC_WRITE] = {true, true, {put_reth}},
};

int packet_headers(uint8_t out[PACKET_HEADERS_MAX], uint8_t opcode, const struct packet_fields *f,
		   int *payload)
{
	const struct operation *op = &operations[opcode & OPERATION];
	size_t len = 0, i;

	if (!op->request)
		return -1;
	if ((opcode & ~OPERATION) == UNRELIABLE_DATAGRAM)
		len = put_deth(out, f);
	for (i = 0; i < 2 && op->headers[i]; i++)
		len += op->headers[i](out + len, f);
	*payload = op->payload;
	return (int)len;
}

size_t packet_build(uint8_t out[PACKET_MAX], const struct packet *p)
{
	size_t pad = -p->body_len & 3;
	size_t len = BTH_BYTES + p->body_len + pad + ICRC_BYTES;

	memset(out, 0, len);
	out[0] = p->opcode;
	out[1] = (uint8_t)(pad << 4);
	put16(out + 2, p->pkey);
	put24(out + 5, p->dest_qp);
	out[8] = p->ack_req ? 0x80 : 0;
	put24(out + 9, p->psn);
	if (p->body_len)
		memcpy(out + BTH_BYTES, p->body, p->body_len);
	return len;
}

static size_t ip4_header(uint8_t *h, const struct sockaddr *from, const struct sockaddr *to,
			 size_t udp_len)
{
	h[0] = 0x45;
	h[1] = ANY;			/* type of service */
	put16(h + 2, (unsigned)(20 + udp_len));
	put16(h + 6, 0x4000);		/* not to be fragmented */
	h[8] = ANY;			/* time to live */
	h[9] = PROTOCOL_UDP;
	memset(h + 10, ANY, 2);		/* checksum */
	memcpy(h + 12, &((const struct sockaddr_in *)from)->sin_addr, 4);
	memcpy(h + 16, &((const struct sockaddr_in *)to)->sin_addr, 4);
	return 20;
}

static size_t ip6_header(uint8_t *h, const struct sockaddr *from, const struct sockaddr *to,
			 size_t udp_len)
{
	h[0] = 0x6f;
	memset(h + 1, ANY, 3);		/* traffic class and flow label */
	put16(h + 4, (unsigned)udp_len);
	h[6] = PROTOCOL_UDP;
	h[7] = ANY;			/* hop limit */
	memcpy(h + 8, &((const struct sockaddr_in6 *)from)->sin6_addr, 16);
	memcpy(h + 24, &((const struct sockaddr_in6 *)to)->sin6_addr, 16);
	return 40;
}

/* sin_port and sin6_port have the same offset. */
static unsigned port_of(const struct sockaddr *sa)
{
	return ntohs(((const struct sockaddr_in *)sa)->sin_port);
}

static size_t udp_header(uint8_t *h, const struct sockaddr *from, const struct sockaddr *to,
			 size_t udp_len)
{
	put16(h, port_of(from));
	put16(h + 2, port_of(to));
	put16(h + 4, (unsigned)udp_len);
	memset(h + 6, ANY, 2);		/* checksum */
	return UDP_BYTES;
}

void packet_seal(uint8_t *packet, size_t len, const struct sockaddr *from,
		 const struct sockaddr *to, enum packet_crc how)
{
	size_t udp_len = UDP_BYTES + len, n = 8;
	uint8_t above[8 + 40 + UDP_BYTES + BTH_BYTES] = {0};
	uint32_t crc;
	int i;

	memset(above, ANY, 8);		/* in place of InfiniBand's local route header */
	n += from->sa_family == AF_INET ? ip4_header(above + n, from, to, udp_len) :
					  ip6_header(above + n, from, to, udp_len);
	n += udp_header(above + n, from, to, udp_len);
	memcpy(above + n, packet, BTH_BYTES);
	above[n + 4] = ANY;		/* congestion marks */
	crc = deflate_crc32_add(0, above, n + BTH_BYTES);
	crc = deflate_crc32_add(crc, packet + BTH_BYTES, len - BTH_BYTES - ICRC_BYTES);
	if (how == PACKET_CRC_RXE_FLUSH)
		crc = deflate_crc32_add(crc, packet, len - ICRC_BYTES);
	for (i = 0; i < ICRC_BYTES; i++)
		packet[len - ICRC_BYTES + (size_t)i] = (uint8_t)(crc >> 8 * i);
}
