/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CODEC_PCAPNG_H
#define VBM_CODEC_PCAPNG_H

#include <stddef.h>
#include <stdint.h>

struct text;

/*
 * The file format of Wireshark and tcpdump: pcapng, version 1.0 (IETF
 * draft-ietf-opsawg-pcapng), with one section in this machine's byte order, which the
 * format allows. Only writing is here. Pure: each function adds one block of the file to
 * @out. Times are nanoseconds since 1970.
 *
 * A file has the section, one interface for each source of packets (numbered from 0), the
 * packets, and the counters of each interface at the end.
 */
void pcapng_section(struct text *out, const char *program);

/* An Ethernet interface. */
void pcapng_interface(struct text *out, const char *name, const char *description);

enum pcapng_way {
	PCAPNG_IN = 1,	/* the interface received it */
	PCAPNG_OUT = 2,	/* the interface sent it */
};

/* The verdict of a program of XDP (bpf(2)) on it, with the kernel's numbers. */
enum pcapng_verdict {
	PCAPNG_NO_VERDICT = 0,
	PCAPNG_DROPPED = 1,
	PCAPNG_PASSED = 2,
};

struct pcapng_packet {
	uint32_t interface;
	uint64_t ns;
	enum pcapng_way way;
	const void *data;	/* the first @kept bytes of the packet */
	uint32_t kept, len;	/* the packet has @len bytes */
	const char *comment;	/* NULL: none */
	enum pcapng_verdict verdict;
};

void pcapng_packet(struct text *out, const struct pcapng_packet *p);

/* @seen: packets of the interface, including the @lost ones that are not in the file. */
struct pcapng_counts {
	uint64_t begin_ns, end_ns;
	uint64_t seen, lost;
};

void pcapng_counts(struct text *out, uint32_t interface, const struct pcapng_counts *c);

/* How many of the first @len bytes are whole blocks. */
size_t pcapng_whole(const char *blocks, size_t len);

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
