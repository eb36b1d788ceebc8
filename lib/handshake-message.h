/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_HANDSHAKE_MESSAGE_H
#define VBM_LIB_HANDSHAKE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/qp.h>

/*
 * The messages of docs/handshake.md, version 0: as bytes, and as what they mean.
 * Pure.
 *
 *	 0  version	1 byte, 0
 *	 1  flag	1 byte
 *	 2  length	2 bytes, of the whole message: 50
 *	 4  magic	2 bytes
 *	 6  lid		2 bytes, of the client
 *	 8  peer_lid	2 bytes, of the server
 *	10  qp_num	4 bytes, of the client
 *	14  peer_qp_num	4 bytes, of the server
 *	18  gid		16 bytes, of the client
 *	34  peer_gid	16 bytes, of the server
 *
 * Numbers are in network byte order.
 */
#define HANDSHAKE_BYTES 50
#define HANDSHAKE_MAGIC 0x5642

enum handshake_flag {
	HANDSHAKE_SYNC = 1,
	HANDSHAKE_SYNC_ACK = 3,
	HANDSHAKE_ACK = 2,
};

struct handshake_message {
	uint8_t flag;
	struct vbm_qp_address client, server;
};

void vbm_handshake_encode(uint8_t out[HANDSHAKE_BYTES], const struct handshake_message *m);

/*
 * NULL, or what is wrong with the bytes, in words. Members that are not the
 * sender's to say (the flag tells who sends) are taken as they are.
 */
const char *vbm_handshake_decode(struct handshake_message *m, const uint8_t in[HANDSHAKE_BYTES]);

#endif
