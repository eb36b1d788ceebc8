/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_HANDSHAKE_MESSAGE_H
#define VBM_LIB_HANDSHAKE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/handshake.h>

/*
 * The messages of docs/handshake.md, versions 0 and 1: as bytes, and as what
 * they mean. vbm_handshake(7) has the offsets. Numbers are in network byte
 * order. Pure.
 */
#define HANDSHAKE_MAGIC_0 0x5642
#define HANDSHAKE_MAGIC_1 0x5643	/* of version 1 and all that come after it */

#define HANDSHAKE_HEAD 6		/* version, flag, length, magic */
#define HANDSHAKE_BYTES_0 50
#define HANDSHAKE_BYTES_1 72		/* without private data */
#define HANDSHAKE_REFUSAL_BYTES 8	/* without private data */
#define HANDSHAKE_24_BITS 0xffffffu	/* what a QPN and a PSN have room for */
#define HANDSHAKE_BYTES_MAX (HANDSHAKE_BYTES_1 + VBM_HANDSHAKE_PRIVATE_MAX)

enum handshake_flag {
	HANDSHAKE_SYNC = 1,
	HANDSHAKE_SYNC_ACK = 3,
	HANDSHAKE_ACK = 2,
	HANDSHAKE_REFUSAL = 4,	/* version 1, of the server */
};

/* Why a server refuses. */
enum handshake_reason {
	HANDSHAKE_NOT_MY_VERSION = 1,
	HANDSHAKE_BUSY = 2,
	HANDSHAKE_BY_PROGRAM = 3,
	HANDSHAKE_REASONS,
};

/* One end, as it describes itself. Version 0 has the address only, the rest is 0. */
struct handshake_end {
	struct vbm_qp_address address;
	uint32_t psn;			/* of the first packet that it sends */
	uint16_t capabilities;		/* VBM_HANDSHAKE_CAN_x */
	uint8_t gid_index;		/* in its own table */
	uint8_t mtu;			/* enum ibv_mtu */
	uint8_t responder_resources;	/* reads and atomics that it answers at a time */
	uint8_t initiator_depth;	/* reads and atomics that it wants to begin at a time */
};

struct handshake_message {
	uint8_t version, flag;
	struct handshake_end client, server;
	uint8_t reason, versions;	/* of a refusal: why, and a bit for each version spoken */
	size_t private_length;
	const uint8_t *private_data;
};

/* How many bytes of @out are the message. */
size_t vbm_handshake_encode(uint8_t out[HANDSHAKE_BYTES_MAX], const struct handshake_message *m);

/*
 * What the first HANDSHAKE_HEAD bytes say: *@length is that of the whole
 * message, HANDSHAKE_BYTES_MAX at most. NULL, or what is wrong in words.
 * A version that is not known is no error here: *@length is then
 * HANDSHAKE_HEAD, and vbm_handshake_decode() must not see it.
 */
const char *vbm_handshake_head(const uint8_t *in, size_t *length);

/*
 * A whole message that vbm_handshake_head() took. NULL, or what is wrong with
 * it, in words. What the sender says of itself is checked; what it says of the
 * other end is taken as it is. @private_data points into @in.
 */
const char *vbm_handshake_decode(struct handshake_message *m, const uint8_t *in);

/* Whether both describe the same end: the members that a message carries. */
bool vbm_handshake_same(const struct handshake_end *a, const struct handshake_end *b);

#endif
