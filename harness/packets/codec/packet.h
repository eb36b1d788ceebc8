/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CODEC_PACKET_H
#define VBM_CODEC_PACKET_H

/*
 * Runs in: any process, in the thread of the caller; no state of its own.
 * Owns:    the values that it returns belong to the caller.
 * Ends:    with the call.
 * Tests:   unit/test_codec, test_codec_build, test_pattern; fuzz/fuzz_capture.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/header.h"
#include "codec/opcode.h"

/*
 * Reads and builds packets. Pure. A packet is a row of
 * layers, one header each; the values of fields stay in the bytes. An RDMA packet has a
 * base transport header ("bth"): RoCE v2 in UDP over IPv4 or IPv6, with or without VLANs, or
 * RoCE v1.
 */
#define PACKET_LAYERS_MAX 12
#define PACKET_UDP_PORT 4791
#define PACKET_ICRC_BYTES 4
#define PACKET_CLASS_CM 7	/* of management datagrams: the connection manager */

struct layer {
	const struct header *header;
	size_t at;
};

struct packet {
	const uint8_t *bytes;	/* borrowed */
	size_t len;
	struct layer layer[PACKET_LAYERS_MAX];
	size_t layers;
	/* Where the packet ends by the lengths in its headers: Ethernet may add bytes. */
	size_t end;
	bool whole;		/* all bytes up to @end are there */
	bool rdma;		/* there is a base transport header */
	bool known;		/* and its opcode is known */
	struct opcode opcode;
	size_t payload, payload_len;	/* without its padding and the invariant CRC */
	const char *problem;	/* why the rest could not be read; NULL: everything was read */
};

/* The header that begins with the first byte of a packet. */
enum packet_start {
	PACKET_ETHERNET,
	PACKET_COOKED,
	PACKET_COOKED2,
	PACKET_IP,		/* IPv4 or IPv6, by the version */
};

/* Finds the layers. @bytes stay borrowed. @len may be less than the packet had on the wire. */
void packet_read(struct packet *p, enum packet_start start, const uint8_t *bytes, size_t len);

/* The layer of this header, or NULL. */
const struct layer *packet_layer(const struct packet *p, const struct header *header);

/*
 * The field of this name in the packet, with its layer; NULL if the packet has none.
 * packet_value() is for fields of up to 64 bits, packet_field_bytes() for whole bytes.
 */
const struct header_field *packet_field(const struct packet *p, const char *name, const struct layer **layer);
bool packet_has(const struct packet *p, const struct layer *layer, const struct header_field *f);
uint64_t packet_value(const struct packet *p, const struct layer *layer, const struct header_field *f);
const uint8_t *packet_field_bytes(const struct packet *p, const struct layer *layer, const struct header_field *f);

/* The value of the field of this name; @fallback if the packet has none. */
uint64_t packet_get(const struct packet *p, const char *name, uint64_t fallback);

/*
 * The invariant CRC: of the bytes, and the one in the packet. False if the packet has none or is not
 * whole. How: PACKET_CRC_RXE_FLUSH covers the whole packet a second time, because rxe
 * computes and expects that for FLUSH.
 */
enum packet_crc {
	PACKET_CRC,
	PACKET_CRC_RXE_FLUSH,
};
bool packet_icrc_covers(const struct packet *p, size_t bit);	/* counted from the first one of the packet */
bool packet_icrc(const struct packet *p, enum packet_crc how, uint32_t *computed, uint32_t *there);

/*
 * Takes the checksum of UDP out of an Ethernet frame, which is to be sent once more: 0 means that there is none, and RoCE
 * has its invariant CRC. The kernel leaves that of an ordinary socket's datagram unfinished for the interface, so
 * in a copy of such a frame it is wrong.
 */
void packet_udp_sum_remove(uint8_t *frame, size_t len);

/* A number by which a packet is found again: FNV-1a of its length and its first bytes, of which a rule tells no more. */
#define MARK_BYTES 128

uint64_t packet_mark(const uint8_t *bytes, size_t len);

#endif
