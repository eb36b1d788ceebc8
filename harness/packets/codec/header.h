/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CODEC_HEADER_H
#define VBM_CODEC_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct const_set;

/*
 * The headers of packets as tables. Each bit of a header belongs to exactly one field, apart
 * from aliases, which name bits of other fields once more. Bits are counted from the first
 * one on the wire. The same tables read, write, print and name fields. The formats are from
 * IBTA vol 1, chapters 9 and 12, and annexes A11, A14, A17 and A19.
 */
enum field_show {
	SHOW_NUMBER,
	SHOW_HEX,
	SHOW_FLAG,	/* one bit */
	SHOW_NAME,	/* by @names; another value as a number */
	SHOW_IP4,
	SHOW_IP6,	/* 128 bits */
	SHOW_MAC,
	SHOW_BYTES,	/* whole bytes */
};

/* When the line about a packet has the field. All of a packet's fields are in its details. */
enum field_line {
	LINE_NEVER,
	LINE_ALWAYS,
	LINE_UNUSUAL,	/* if the value is not @usual */
};

struct header_field {
	const char *name;
	uint16_t at, width;	/* bits */
	enum field_show show;
	enum field_line line;
	const struct const_set *names;
	uint32_t usual;		/* the value in packets that are built and do not set it */
	bool alias;
	/* The field exists if the @if_width bits at @if_at are @if_is. Width 0: always. */
	uint8_t if_at, if_width, if_is;
	const char *doc;
};

struct header {
	const char *name;
	const char *doc;
	size_t bytes;
	const struct header_field *fields;	/* the last one has no name */
};

extern const struct header header_ether, header_vlan, header_cooked, header_cooked2;
extern const struct header header_ip4, header_ip6, header_grh, header_udp;
extern const struct header header_bth, header_deth, header_reth, header_aeth;
extern const struct header header_compare_swap, header_fetch_add, header_atomic_ack;
extern const struct header header_immdt, header_ieth, header_feth, header_cnp;
extern const struct header header_mad;
extern const struct header header_cm_req, header_cm_mra, header_cm_rej, header_cm_rep;
extern const struct header header_cm_rtu, header_cm_dreq, header_cm_drep;
extern const struct header header_cm_sidr_req, header_cm_sidr_rep, header_cm_lap, header_cm_apr;
extern const struct header header_ip_cm;

/* Layout number @i of all; NULL after the last one. */
const struct header *header_nth(size_t i);

/* The field of this name; NULL if the header has none. */
const struct header_field *header_find_field(const struct header *header, const char *name);

/* @width bits, at most 64, from bit @at of @bytes. */
uint64_t header_get_bits(const uint8_t *bytes, size_t at, size_t width);
void header_set_bits(uint8_t *bytes, size_t at, size_t width, uint64_t value);

#endif
