/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CALL_PACKET_H
#define VBM_CALL_PACKET_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/*
 * RoCE v2 packets, from the base transport header on: what UDP carries to port
 * 4791. Pure. The numbers of the format are those of IBTA vol 1, chapter 9, and its
 * annex 17.
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
	uint32_t dest_qp;	/* 24 bits, as psn */
	uint32_t psn;
	int ack_req;
	const uint8_t *body;	/* further headers and the payload; any length is padded to 4 */
	size_t body_len;
};

/* What the extended headers of a request say; each operation has some of it. */
struct packet_fields {
	uint32_t qkey, src_qp;		/* datagrams */
	uint64_t remote_addr;		/* RDMA, atomics, flush */
	uint32_t rkey, dma_length;
	uint64_t compare_add, swap;	/* atomics: the first is what FETCH_ADD adds */
	uint32_t flush_type, flush_level;
	uint32_t imm;			/* as in the packet, from its high byte on */
	uint32_t invalidate;		/* the key that SEND with invalidate names */
};

#define PACKET_HEADERS_MAX 32

/*
 * The extended headers of a request, in their order, into @out: how many bytes;
 * -1 where @opcode is no request. *@payload: whether bytes follow.
 */
int packet_headers(uint8_t out[PACKET_HEADERS_MAX], uint8_t opcode, const struct packet_fields *f,
		   int *payload);

/* The packet, with zeros where its invariant CRC goes; its length. */
size_t packet_build(uint8_t out[PACKET_MAX], const struct packet *p);

/*
 * How the invariant CRC is made. PACKET_CRC_RXE_FLUSH covers all of the packet a
 * second time, which is what rxe makes and wants of FLUSH.
 */
enum packet_crc {
	PACKET_CRC,
	PACKET_CRC_RXE_FLUSH,
};

/*
 * Put the invariant CRC at the end of a packet that goes from @from to @to (of
 * one family, with ports). IPv4: the datagram has no options, the identification 0
 * and the flag that forbids fragments.
 */
void packet_seal(uint8_t *packet, size_t len, const struct sockaddr *from,
		 const struct sockaddr *to, enum packet_crc how);

#endif
