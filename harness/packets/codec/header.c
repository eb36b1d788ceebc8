/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/header.h"

#include <string.h>

#include "base/xalloc.h"

static const struct header *const headers[] = {
	&header_ether, &header_vlan, &header_cooked, &header_cooked2,
	&header_ip4, &header_ip6, &header_grh, &header_udp,
	&header_bth, &header_deth, &header_reth, &header_aeth,
	&header_compare_swap, &header_fetch_add, &header_atomic_ack,
	&header_immdt, &header_ieth, &header_feth, &header_cnp,
	&header_mad,
	&header_cm_req, &header_cm_mra, &header_cm_rej, &header_cm_rep,
	&header_cm_rtu, &header_cm_dreq, &header_cm_drep,
	&header_cm_sidr_req, &header_cm_sidr_rep, &header_cm_lap, &header_cm_apr,
	&header_ip_cm,
};

const struct header *header_nth(size_t i)
{
	return i < ARRAY_SIZE(headers) ? headers[i] : NULL;
}

const struct header_field *header_find_field(const struct header *header, const char *name)
{
	const struct header_field *f;

	for (f = header->fields; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

/* How many bits can be taken from one byte: @at is the first one, @left are wanted. */
static size_t piece_of(size_t at, size_t left)
{
	size_t rest = 8 - at % 8;

	return left < rest ? left : rest;
}

uint64_t header_get_bits(const uint8_t *bytes, size_t at, size_t width)
{
	uint64_t value = 0;
	size_t n;

	for (; width; at += n, width -= n) {
		n = piece_of(at, width);
		value = value << n | (bytes[at / 8] >> (8 - at % 8 - n) & ((1u << n) - 1));
	}
	return value;
}

void header_set_bits(uint8_t *bytes, size_t at, size_t width, uint64_t value)
{
	unsigned mask, shift;
	size_t n;

	for (; width; at += n, width -= n) {
		n = piece_of(at, width);
		shift = (unsigned)(8 - at % 8 - n);
		mask = ((1u << n) - 1) << shift;
		bytes[at / 8] = (uint8_t)((bytes[at / 8] & ~mask) |
					  ((unsigned)(value >> (width - n)) << shift & mask));
	}
}
