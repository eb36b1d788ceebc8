/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "decode/records.h"
#include "lib/base/fail.h"

#define MAGIC_US 0xa1b2c3d4
#define MAGIC_NS 0xa1b23c4d
#define HEAD_BYTES 24
#define HEAD_LINK 20
#define LINK_MASK 0xffff	/* above it: whether frames end with their checksum */
#define RECORD_BYTES 16

static uint32_t magic_of(const uint8_t *data)
{
	uint32_t magic;

	memcpy(&magic, data, sizeof(magic));
	return magic;
}

static bool is_magic(uint32_t magic)
{
	return magic == MAGIC_US || magic == MAGIC_NS;
}

static bool is_pcap(const uint8_t *data, size_t len)
{
	return len >= sizeof(uint32_t) &&
	       (is_magic(magic_of(data)) || is_magic(__builtin_bswap32(magic_of(data))));
}

static int read_pcap_head(struct records *r, struct vbm_error *err)
{
	r->swapped = !is_magic(magic_of(r->data));
	if (r->len < HEAD_BYTES)
		return vbm_fail(err, EINVAL, "it ends inside its header of %d bytes", HEAD_BYTES);
	records_add_interface(r, records_u32(r, HEAD_LINK) & LINK_MASK);
	if (records_u32(r, 0) == MAGIC_NS)
		r->interface[0].per_second = NS_PER_S;
	r->at = HEAD_BYTES;
	return 0;
}

static int read_pcap_record(struct records *r, struct records_packet *record, struct vbm_error *err)
{
	const struct record_interface *i = &r->interface[0];
	size_t left = r->len - r->at;
	uint32_t seconds;

	if (!left)
		return 0;
	if (left < RECORD_BYTES)
		return vbm_fail(err, EINVAL, "byte %zu: the file ends inside the header of a packet", r->at);
	seconds = records_u32(r, r->at);
	record->kept = records_u32(r, r->at + 8);
	record->len = records_u32(r, r->at + 12);
	record->ns = records_ns(i, seconds * i->per_second + records_u32(r, r->at + 4));
	if (record->kept > left - RECORD_BYTES)
		return vbm_fail(err, EINVAL, "byte %zu: a packet has %zu bytes there, and the file has %zu more", r->at,
				record->kept, left - RECORD_BYTES);
	record->bytes = r->data + r->at + RECORD_BYTES;
	r->at += RECORD_BYTES + record->kept;
	return 1;
}

const struct records_format records_pcap = {is_pcap, read_pcap_head, read_pcap_record};
