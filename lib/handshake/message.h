/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_HANDSHAKE_MESSAGE_H
#define VBM_LIB_HANDSHAKE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/handshake.h>

/*
 * The messages of docs/handshake.md, versions 0 and 1: encoding, decoding and checks.
 * vbm_handshake(7) has the offsets. Numbers are in network byte order. The same for the
 * plain struct, whose @plain has no member with its default of 0. Pure.
 */
#define HANDSHAKE_MAGIC_0 0x5642
#define HANDSHAKE_MAGIC_1 0x5643	/* of version 1 and of all later ones */

#define HANDSHAKE_HEAD 6		/* version, flag, length, magic */
#define HANDSHAKE_BYTES_0 50
#define HANDSHAKE_PLAIN_BYTES 46	/* of the plain struct without its header */
#define HANDSHAKE_BYTES_1 72		/* without private data */
#define HANDSHAKE_REFUSAL_BYTES 8	/* without private data */
#define HANDSHAKE_24_BITS 0xffffffu	/* the largest QPN and PSN */
#define HANDSHAKE_BYTES_MAX (HANDSHAKE_BYTES_1 + VBM_HANDSHAKE_PRIVATE_MAX)

enum handshake_flag {
	HANDSHAKE_SYNC = 1,
	HANDSHAKE_SYNC_ACK = 3,
	HANDSHAKE_ACK = 2,
	HANDSHAKE_REFUSAL = 4,	/* version 1 only, from the server */
};

/* The server's reasons for a refusal. */
enum handshake_reason {
	HANDSHAKE_NOT_MY_VERSION = 1,
	HANDSHAKE_BUSY = 2,
	HANDSHAKE_BY_PROGRAM = 3,
	HANDSHAKE_REASONS,
};

/* The values of one end, as it tells them. Version 0 has only the address; the rest is 0. */
struct handshake_end {
	struct vbm_qp_address address;
	uint32_t psn;			/* of the first packet that it sends */
	uint16_t capabilities;		/* VBM_HANDSHAKE_CAN_x */
	uint8_t gid_index;		/* in its own table */
	uint8_t mtu;			/* enum ibv_mtu */
	uint8_t responder_resources;	/* reads and atomics that it answers at the same time */
	uint8_t initiator_depth;	/* reads and atomics that it wants to start at the same time */
};

struct handshake_message {
	uint8_t version, flag;
	struct handshake_end client, server;
	uint8_t reason, versions;	/* of a refusal: why, and a bit for each known version */
	size_t private_length;
	const uint8_t *private_data;
};

/* Encode @m. Returns the length. */
size_t vbm_handshake_encode(uint8_t out[HANDSHAKE_BYTES_MAX], const struct handshake_message *m);

/*
 * Read the first HANDSHAKE_HEAD bytes: *@length is the length of the whole message, at
 * most HANDSHAKE_BYTES_MAX. Returns NULL, or the mistake in words. An unknown version is
 * no mistake here: *@length is then HANDSHAKE_HEAD, and the message must not be passed to
 * vbm_handshake_decode().
 */
const char *vbm_handshake_head(const uint8_t *in, size_t *length);

/* Set the members that are 0 to their defaults. */
void vbm_handshake_complete(struct vbm_handshake_plain *plain);

/* The length of each message with the plain struct. */
static inline size_t vbm_handshake_plain_length(const struct vbm_handshake_plain *plain)
{
	return (size_t)plain->header_length + HANDSHAKE_PLAIN_BYTES;
}

/*
 * Decode a whole message whose head vbm_handshake_head() has accepted. Returns NULL, or
 * the mistake in words. The sender's own values are checked; its values for the other end
 * are not. @private_data points into @in.
 */
const char *vbm_handshake_decode(struct handshake_message *m, const uint8_t *in);

/* plain.c: the same for the plain struct, which has no length that could be wrong. */
size_t vbm_handshake_encode_plain(uint8_t out[HANDSHAKE_BYTES_MAX], const struct handshake_message *m,
				  const struct vbm_handshake_plain *plain);
const char *vbm_handshake_decode_plain(struct handshake_message *m, const uint8_t *in,
				       const struct vbm_handshake_plain *plain);

/* Check the values that a sender of any message says of itself. */
const char *vbm_handshake_check_end(const struct handshake_end *e);

/* Whether @a and @b have the same values in all members that a message carries. */
bool vbm_handshake_same(const struct handshake_end *a, const struct handshake_end *b);

#endif
