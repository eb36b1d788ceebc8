/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CODEC_OPCODE_H
#define VBM_CODEC_OPCODE_H

#include <stdbool.h>
#include <stdint.h>

struct header;

/* The opcodes that <infiniband/opcode.h> of older releases lacks, without the transport. */
#define OPCODE_SEND_LAST_WITH_INVALIDATE 0x16
#define OPCODE_SEND_ONLY_WITH_INVALIDATE 0x17
#define OPCODE_FLUSH 0x1c
#define OPCODE_ATOMIC_WRITE 0x1d
#define OPCODE_CNP 0x81

#define OPCODE_HEADERS_MAX 3

/* What an opcode of the base transport header says about the rest of its packet. */
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

#endif
