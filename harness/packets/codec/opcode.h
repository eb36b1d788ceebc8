/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CODEC_OPCODE_H
#define VBM_CODEC_OPCODE_H

#include <stdbool.h>
#include <stdint.h>

#include "codec/header.h"
#include "names/consts.h"	/* the numbers of opcodes that <infiniband/opcode.h> of older releases lacks */

struct header;

#define OPCODE_NONE 0xff		/* no opcode has this number, so no header follows the base transport header */

#define OPCODE_HEADERS_MAX 3

/* An opcode of the base transport header, and what it says about the rest of its packet. */
struct opcode {
	uint8_t number;
	bool payload;		/* bytes may follow the headers */
	bool response;
	const struct header *header[OPCODE_HEADERS_MAX + 1];	/* after BTH; the last one is NULL */
};

/* False: no such opcode for RC, UC, UD or congestion notifications. */
bool opcode_find(uint8_t number, struct opcode *op);

/* "RC", "UC", "UD"; "" for other opcodes. */
const char *opcode_transport(uint8_t number);

struct packet;

/*
 * The order of headers: @from is followed by @to if the bits of @mask in @field have
 * the value @is. The rules read packets, and a packet that is built gets these values.
 */
struct follow_rule {
	const struct header *from, *to;
	const char *field;
	uint64_t mask, is;
	const char *within;	/* @to begins with this field of @from; NULL: behind @from */
};

/* The rule for the header after the last layer of @p; NULL: none, or none that is known. */
const struct follow_rule *follow_rule_find(const struct packet *p);

/* The rule for @to directly after @from, or NULL. */
const struct follow_rule *follow_rule(const struct header *from, const struct header *to);

#endif
