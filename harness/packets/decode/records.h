/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_DECODE_RECORDS_H
#define VBM_DECODE_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

#include "codec/packet.h"

/*
 * The packets in the bytes of a capture: pcapng (IETF draft-ietf-opsawg-pcapng) or pcap, in either byte order, with any
 * resolution of time. Pure, and safe for any bytes.
 */
enum record_way { RECORD_UNKNOWN, RECORD_IN, RECORD_OUT };

struct records_packet {
	uint64_t number;	/* from 1, in the file */
	uint64_t ns;		/* since 1970 */
	uint32_t interface;
	enum record_way way;
	const uint8_t *bytes;	/* borrowed from the capture */
	size_t kept, len;	/* the packet had @len bytes on the wire */
	const char *comment;	/* borrowed; NULL: none */
	size_t comment_len;
};

/* A source of packets. pcap has exactly one, without a name. */
struct record_interface {
	char *name, *description;	/* owned; "" */
	int64_t link;			/* a LINKTYPE */
	uint64_t per_second;		/* units of its times */
	int64_t offset_s;
};

struct records {
	const uint8_t *data;		/* borrowed */
	size_t len, at;
	const struct records_format *format;
	bool swapped;			/* the file has the other byte order */
	uint64_t count;
	struct record_interface *interface;	/* owned */
	size_t interfaces;
};

#define NS_PER_S UINT64_C(1000000000)

/* A kind of file: its beginning, then its packets. */
struct records_format {
	bool (*is)(const uint8_t *data, size_t len);
	int (*begin)(struct records *r, struct vbm_error *err);
	int (*next)(struct records *r, struct records_packet *record, struct vbm_error *err);
};

extern const struct records_format records_pcap, records_pcapng;

/* -EINVAL: no capture, with a message that says what the bytes seem to be. */
int records_begin(struct records *r, const void *data, size_t len, struct vbm_error *err);

/* 1: a packet; 0: no more; -EINVAL: the file is damaged or cut, at the byte that the message names. */
int records_next(struct records *r, struct records_packet *record, struct vbm_error *err);
void records_end(struct records *r);

/* The first header of packets of a link type. False: packets of that type are not understood. */
bool records_start(int64_t link, enum packet_start *start);

/* For the formats: numbers in the byte order of the file, times, and a new interface. */
uint16_t records_u16(const struct records *r, size_t at);
uint32_t records_u32(const struct records *r, size_t at);
uint64_t records_ns(const struct record_interface *i, uint64_t units);
struct record_interface *records_add_interface(struct records *r, int64_t link);
void records_forget_interfaces(struct records *r);

#endif
