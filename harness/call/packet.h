/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CALL_PACKET_H
#define VBM_CALL_PACKET_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/*
 * RoCE v2 packets from the base transport header on: the payload of UDP port
 * 4791. Pure. The formats are from IBTA vol 1, chapter 9, and its annex 17.
 */
#define PACKET_UDP_PORT 4791
#define PACKET_BODY_MAX 4096
#define PACKET_MAX (12 + PACKET_BODY_MAX + 4)

/* The opcodes that <infiniband/opcode.h> of older releases lacks, without the transport. */
#define PACKET_SEND_LAST_WITH_INVALIDATE 0x16
#define PACKET_SEND_ONLY_WITH_INVALIDATE 0x17
#define PACKET_FLUSH 0x1c
#define PACKET_ATOMIC_WRITE 0x1d

struct packet {
	uint8_t opcode;		/* IBV_OPCODE_* */
	uint16_t pkey;
	uint32_t dest_qp;	/* 24 bits, like psn */
	uint32_t psn;
	int ack_req;
	const uint8_t *body;	/* further headers and the payload; padded to a multiple of 4 */
	size_t body_len;
};

/* The fields of the extended headers of a request. Each operation uses some of them. */
struct packet_fields {
	uint32_t qkey, src_qp;		/* datagrams */
	uint64_t remote_addr;		/* RDMA, atomics, flush */
	uint32_t rkey, dma_length;
	uint64_t compare_add, swap;	/* atomics; compare_add is the addend of FETCH_ADD */
	uint32_t flush_type, flush_level;
	uint32_t imm;			/* written with its high byte first */
	uint32_t invalidate;		/* the key that SEND with invalidate names */
};

#define PACKET_HEADERS_MAX 32

/*
 * Writes the extended headers of a request, in order, to @out. Returns their size
 * in bytes, or -1 when @opcode is not a request. *@payload: whether a payload
 * follows.
 */
int packet_headers(uint8_t out[PACKET_HEADERS_MAX], uint8_t opcode, const struct packet_fields *f,
		   int *payload);

/* Writes the packet, with zeros in place of its invariant CRC. Returns its length. */
size_t packet_build(uint8_t out[PACKET_MAX], const struct packet *p);

/*
 * How the invariant CRC is computed. PACKET_CRC_RXE_FLUSH covers the whole packet
 * a second time: rxe computes and expects that for FLUSH.
 */
enum packet_crc {
	PACKET_CRC,
	PACKET_CRC_RXE_FLUSH,
};

/*
 * Writes the invariant CRC at the end of a packet from @from to @to, which have
 * the same family, and ports. With IPv4, the datagram has no options, the
 * identification 0, and the flag that forbids fragments.
 */
void packet_seal(uint8_t *packet, size_t len, const struct sockaddr *from,
		 const struct sockaddr *to, enum packet_crc how);

#endif
