/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CODEC_PCAPNG_FORMAT_H
#define VBM_CODEC_PCAPNG_FORMAT_H

/* The numbers of pcapng files, for the part that writes them and the part that reads them. */

#define BYTE_ORDER_MAGIC 0x1a2b3c4d

enum {
	BLOCK_INTERFACE = 1,
	BLOCK_SIMPLE = 3,
	BLOCK_COUNTS = 5,
	BLOCK_PACKET = 6,
	BLOCK_SECTION = 0x0a0d0d0a,	/* the same in both byte orders */
};

/* The options of each type of block; the first two are of all types. */
enum {
	OPTION_END = 0,
	OPTION_COMMENT = 1,
	SECTION_USERAPPL = 4,
	INTERFACE_NAME = 2,
	INTERFACE_DESCRIPTION = 3,
	INTERFACE_RESOLUTION = 9,
	INTERFACE_OFFSET = 14,
	PACKET_FLAGS = 2,
	PACKET_VERDICT = 7,
	COUNTS_START = 2,
	COUNTS_END = 3,
	COUNTS_RECEIVED = 4,
	COUNTS_DROPPED = 5,
};

#endif
