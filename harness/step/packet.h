/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_STEP_PACKET_H
#define VBM_STEP_PACKET_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/*
 * RoCE v2 packets, from the base transport header on: what UDP carries to port
 * 4791. Pure. The numbers of the format are those of IBTA vol 1, 9.2, and its
 * annex 17.
 */
#define PACKET_UDP_PORT 4791
#define PACKET_BODY_MAX 4096
#define PACKET_MAX (12 + PACKET_BODY_MAX + 4)

struct packet {
	uint8_t opcode;		/* IBV_OPCODE_* */
	uint16_t pkey;
	uint32_t dest_qp;	/* 24 bits, as psn */
	uint32_t psn;
	int ack_req;
	const uint8_t *body;	/* further headers and the payload; any length is padded to 4 */
	size_t body_len;
};

/* The packet, with zeros where its invariant CRC goes; its length. */
size_t packet_build(uint8_t out[PACKET_MAX], const struct packet *p);

/*
 * Put the invariant CRC at the end of a packet that goes from @from to @to (of
 * one family, with ports). IPv4: the datagram has no options, the identification 0
 * and the flag that forbids fragments.
 */
void packet_seal(uint8_t *packet, size_t len, const struct sockaddr *from,
		 const struct sockaddr *to);

#endif
