/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "codec/pcapng.h"
#include "decode/records.h"
#include "lib/base/fail.h"

#define BLOCK_MIN 12		/* type, length, and the length again */
#define BODY 8			/* where the contents begin */
#define TAIL 4
#define SECTION_BYTES 16	/* of the contents, without options; so for the others */
#define INTERFACE_BYTES 8
#define PACKET_BYTES 20
#define SIMPLE_BYTES 4
#define OPTION_BYTES 4
#define WAY_MASK 3
#define EXPONENT_MAX 63

struct block {
	size_t at, len;		/* of the whole block */
	uint32_t type;
};

struct option {
	uint16_t code, len;
	const uint8_t *data;
	size_t at;
};

static bool is_pcapng(const uint8_t *data, size_t len)
{
	uint32_t type;

	if (len < sizeof(type))
		return false;
	memcpy(&type, data, sizeof(type));
	return type == BLOCK_SECTION;
}

/* A section has its own byte order, which the magic after its length tells. */
static int find_order(struct records *r, struct vbm_error *err)
{
	uint32_t magic;

	if (r->len - r->at < BODY + sizeof(magic))
		return vbm_fail(err, EINVAL, "byte %zu: the file ends inside the header of a section", r->at);
	memcpy(&magic, r->data + r->at + BODY, sizeof(magic));
	if (magic != BYTE_ORDER_MAGIC && __builtin_bswap32(magic) != BYTE_ORDER_MAGIC)
		return vbm_fail(err, EINVAL, "byte %zu: the section does not tell its byte order", r->at);
	r->swapped = magic != BYTE_ORDER_MAGIC;
	return 0;
}

/* Where the contents of each kind of block have their options; 0: other kinds. */
static size_t fixed_bytes(uint32_t type)
{
	return type == BLOCK_SECTION ? SECTION_BYTES : type == BLOCK_INTERFACE ? INTERFACE_BYTES :
	       type == BLOCK_PACKET ? PACKET_BYTES : type == BLOCK_SIMPLE ? SIMPLE_BYTES : 0;
}

/* 1: a block; 0: the end of the file. */
static int next_block(struct records *r, struct block *b, struct vbm_error *err)
{
	size_t left = r->len - r->at;

	if (!left)
		return 0;
	if (left < BLOCK_MIN)
		return vbm_fail(err, EINVAL, "byte %zu: the file ends inside a block", r->at);
	*b = (struct block){.at = r->at, .type = records_u32(r, r->at)};
	if (b->type == BLOCK_SECTION && find_order(r, err) < 0)
		return -EINVAL;
	b->len = records_u32(r, r->at + 4);
	if (b->len > left)
		return vbm_fail(err, EINVAL, "byte %zu: a block has %zu bytes there, and the file has %zu more", r->at,
				b->len, left);
	if (b->len % 4 || b->len < BLOCK_MIN + fixed_bytes(b->type))
		return vbm_fail(err, EINVAL, "byte %zu: %zu bytes are no length for a block of type %u", r->at, b->len,
				b->type);
	if (records_u32(r, b->at + b->len - TAIL) != b->len)
		return vbm_fail(err, EINVAL, "byte %zu: a block has two lengths, %zu and %u", r->at, b->len,
				records_u32(r, b->at + b->len - TAIL));
	r->at += b->len;
	return 1;
}

/* The option at *@at of a block, or false at the end. An option that is too long ends the options. */
static bool next_option(const struct records *r, const struct block *b, size_t *at, struct option *o)
{
	size_t end = b->at + b->len - TAIL, room;

	if (*at > end || end - *at < OPTION_BYTES)
		return false;
	o->code = records_u16(r, *at);
	o->len = records_u16(r, *at + 2);
	o->at = *at + OPTION_BYTES;
	o->data = r->data + o->at;
	room = ((size_t)o->len + 3) / 4 * 4;
	if (!o->code || room > end - o->at)
		return false;
	*at = o->at + room;
	return true;
}

/* Ten or two to a power. One second if a 64-bit number cannot hold it. */
static uint64_t resolution(uint8_t code)
{
	uint64_t n = 1;
	int power = code & 0x7f;

	if (code & 0x80)
		return power <= EXPONENT_MAX ? 1ULL << power : 1;
	for (; power > 0 && n <= UINT64_MAX / 10; power--)
		n *= 10;
	return power ? 1 : n;
}

static uint64_t number64(const struct records *r, size_t at)
{
	uint64_t n;

	memcpy(&n, r->data + at, sizeof(n));
	return r->swapped ? __builtin_bswap64(n) : n;
}

static void replace_text(char **text, const struct option *o)
{
	free(*text);
	*text = xstrndup((const char *)o->data, o->len);
}

static void read_interface(struct records *r, const struct block *b)
{
	struct record_interface *i = records_add_interface(r, records_u16(r, b->at + BODY));
	size_t at = b->at + BODY + INTERFACE_BYTES;
	struct option o;

	while (next_option(r, b, &at, &o)) {
		if (o.code == INTERFACE_NAME)
			replace_text(&i->name, &o);
		else if (o.code == INTERFACE_DESCRIPTION)
			replace_text(&i->description, &o);
		else if (o.code == INTERFACE_RESOLUTION && o.len == 1)
			i->per_second = resolution(o.data[0]);
		else if (o.code == INTERFACE_OFFSET && o.len == 8)
			i->offset_s = (int64_t)number64(r, o.at);
	}
}

static void read_packet_options(struct records *r, const struct block *b, size_t at, struct records_packet *record)
{
	struct option o;

	while (next_option(r, b, &at, &o)) {
		if (o.code == PACKET_FLAGS && o.len == 4)
			record->way = (enum record_way)(records_u32(r, o.at) & WAY_MASK) % (RECORD_OUT + 1);
		else if (o.code == OPTION_COMMENT && !record->comment) {
			record->comment = (const char *)o.data;
			record->comment_len = o.len;
		}
	}
}

static int read_packet(struct records *r, const struct block *b, struct records_packet *record, struct vbm_error *err)
{
	size_t head = b->at + BODY, room = b->len - BLOCK_MIN - PACKET_BYTES;

	record->interface = records_u32(r, head);
	record->kept = records_u32(r, head + 12);
	record->len = records_u32(r, head + 16);
	if (record->interface >= r->interfaces)
		return vbm_fail(err, EINVAL, "byte %zu: a packet of interface %u, and the section has %zu", b->at,
				record->interface, r->interfaces);
	if (record->kept > room)
		return vbm_fail(err, EINVAL, "byte %zu: a packet of %zu bytes in a block with room for %zu", b->at,
				record->kept, room);
	record->ns = records_ns(&r->interface[record->interface],
				(uint64_t)records_u32(r, head + 4) << 32 | records_u32(r, head + 8));
	record->bytes = r->data + head + PACKET_BYTES;
	read_packet_options(r, b, head + PACKET_BYTES + (record->kept + 3) / 4 * 4, record);
	return 1;
}

/* A simple packet has no time, and belongs to the first interface. */
static int read_simple(struct records *r, const struct block *b, struct records_packet *record, struct vbm_error *err)
{
	size_t room = b->len - BLOCK_MIN - SIMPLE_BYTES;

	if (!r->interfaces)
		return vbm_fail(err, EINVAL, "byte %zu: a packet, and the section has no interface", b->at);
	record->len = records_u32(r, b->at + BODY);
	record->kept = record->len < room ? record->len : room;
	record->bytes = r->data + b->at + BODY + SIMPLE_BYTES;
	return 1;
}

static int read_pcapng_record(struct records *r, struct records_packet *record, struct vbm_error *err)
{
	struct block b;
	int rc;

	while ((rc = next_block(r, &b, err)) > 0) {
		if (b.type == BLOCK_SECTION)
			records_forget_interfaces(r);
		else if (b.type == BLOCK_INTERFACE)
			read_interface(r, &b);
		else if (b.type == BLOCK_PACKET)
			return read_packet(r, &b, record, err);
		else if (b.type == BLOCK_SIMPLE)
			return read_simple(r, &b, record, err);
	}
	return rc;
}

/* The first section is a block like the later ones. */
static int read_first_section(struct records *r, struct vbm_error *err)
{
	struct block b;

	return next_block(r, &b, err) < 0 ? -EINVAL : 0;
}

const struct records_format records_pcapng = {is_pcapng, read_first_section, read_pcapng_record};
