/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/pcapng.h"

#include <string.h>

#include "base/text.h"

#define LENGTH_UNKNOWN UINT64_MAX	/* the length of a section */
#define LINKTYPE_ETHERNET 1
#define VERDICT_XDP 2	/* the type of a verdict */
#define TSRESOL_NS 9	/* ten to the power of -9 seconds */

static void add16(struct text *out, uint16_t n)
{
	text_add_bytes(out, (const char *)&n, sizeof(n));
}

static void add32(struct text *out, uint32_t n)
{
	text_add_bytes(out, (const char *)&n, sizeof(n));
}

static void add64(struct text *out, uint64_t n)
{
	text_add_bytes(out, (const char *)&n, sizeof(n));
}

/* A time is written as its upper half, then its lower half. */
static void add_time(struct text *out, uint64_t ns)
{
	add32(out, (uint32_t)(ns >> 32));
	add32(out, (uint32_t)ns);
}

/* Fill up to a multiple of four bytes. */
static void pad(struct text *out, size_t len)
{
	static const char zeros[4];

	text_add_bytes(out, zeros, (4 - len % 4) % 4);
}

static void add_option(struct text *out, uint16_t code, const void *data, size_t len)
{
	add16(out, code);
	add16(out, (uint16_t)len);
	text_add_bytes(out, data, len);
	pad(out, len);
}

/* The length of an option has 16 bits. */
static void add_string(struct text *out, uint16_t code, const char *s)
{
	size_t len = strlen(s);

	add_option(out, code, s, len < UINT16_MAX ? len : UINT16_MAX);
}

static void add_option_time(struct text *out, uint16_t code, uint64_t ns)
{
	const uint32_t halves[] = {(uint32_t)(ns >> 32), (uint32_t)ns};

	add_option(out, code, halves, sizeof(halves));
}

/* One byte for the type, and the verdict in 64 bits. */
static void add_verdict(struct text *out, enum pcapng_verdict verdict)
{
	const uint64_t number = verdict;
	char bytes[1 + sizeof(number)] = {VERDICT_XDP};

	memcpy(bytes + 1, &number, sizeof(number));
	add_option(out, PACKET_VERDICT, bytes, sizeof(bytes));
}

static void end_options(struct text *out)
{
	add_option(out, OPTION_END, "", 0);
}

/* A block has its type, its length, its contents, and its length again. */
static size_t begin_block(struct text *out, uint32_t type)
{
	size_t start = out->len;

	add32(out, type);
	add32(out, 0);
	return start;
}

static void end_block(struct text *out, size_t start)
{
	uint32_t len = (uint32_t)(out->len + sizeof(len) - start);

	memcpy(out->s + start + sizeof(uint32_t), &len, sizeof(len));
	add32(out, len);
}

size_t pcapng_whole(const char *blocks, size_t len)
{
	size_t at = 0;
	uint32_t block;

	while (len - at >= 2 * sizeof(block)) {
		memcpy(&block, blocks + at + sizeof(block), sizeof(block));
		if (block > len - at)
			break;
		at += block;
	}
	return at;
}

void pcapng_section(struct text *out, const char *program)
{
	size_t start = begin_block(out, BLOCK_SECTION);

	add32(out, BYTE_ORDER_MAGIC);
	add16(out, 1);
	add16(out, 0);
	add64(out, LENGTH_UNKNOWN);
	add_string(out, SECTION_USERAPPL, program);
	end_options(out);
	end_block(out, start);
}

void pcapng_interface(struct text *out, const char *name, const char *description)
{
	const uint8_t resolution = TSRESOL_NS;
	size_t start = begin_block(out, BLOCK_INTERFACE);

	add16(out, LINKTYPE_ETHERNET);
	add16(out, 0);
	add32(out, 0);	/* no limit for the length of packets */
	add_string(out, INTERFACE_NAME, name);
	add_string(out, INTERFACE_DESCRIPTION, description);
	add_option(out, INTERFACE_RESOLUTION, &resolution, sizeof(resolution));
	end_options(out);
	end_block(out, start);
}

void pcapng_packet(struct text *out, const struct pcapng_packet *p)
{
	uint32_t flags = p->way;
	size_t start = begin_block(out, BLOCK_PACKET);

	add32(out, p->interface);
	add_time(out, p->ns);
	add32(out, p->kept);
	add32(out, p->len);
	text_add_bytes(out, p->data, p->kept);
	pad(out, p->kept);
	if (p->comment)
		add_string(out, OPTION_COMMENT, p->comment);
	add_option(out, PACKET_FLAGS, &flags, sizeof(flags));
	if (p->verdict != PCAPNG_NO_VERDICT)
		add_verdict(out, p->verdict);
	end_options(out);
	end_block(out, start);
}

void pcapng_counts(struct text *out, uint32_t interface, const struct pcapng_counts *c)
{
	size_t start = begin_block(out, BLOCK_COUNTS);

	add32(out, interface);
	add_time(out, c->end_ns);
	add_option_time(out, COUNTS_START, c->begin_ns);
	add_option_time(out, COUNTS_END, c->end_ns);
	add_option(out, COUNTS_RECEIVED, &c->seen, sizeof(c->seen));
	add_option(out, COUNTS_DROPPED, &c->lost, sizeof(c->lost));
	end_options(out);
	end_block(out, start);
}
