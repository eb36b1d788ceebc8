/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/deflate.h"
#include "base/xalloc.h"
#include "codec/packet.h"

/* A router may change these fields, so the CRC counts their bits as ones: annex A17. */
static const struct {
	const struct header *header;
	const char *field;
} changeable[] = {
	{&header_ip4, "dscp"}, {&header_ip4, "ecn"}, {&header_ip4, "ttl"}, {&header_ip4, "ip_checksum"},
	{&header_ip6, "dscp"}, {&header_ip6, "ecn"}, {&header_ip6, "flow_label"}, {&header_ip6, "ttl"},
	{&header_grh, "dscp"}, {&header_grh, "ecn"}, {&header_grh, "flow_label"}, {&header_grh, "ttl"},
	{&header_udp, "udp_checksum"},
	{&header_bth, "fecn"}, {&header_bth, "becn"}, {&header_bth, "resv6"},
};

#define ROUTE_HEADER_BYTES 8	/* InfiniBand's local route header, as ones */
#define HEADERS_BYTES_MAX (60 + 8 + 12)

/* The headers from IP to BTH, with ones. Returns their bytes. */
static size_t masked(const struct packet *p, size_t from, size_t to, uint8_t out[HEADERS_BYTES_MAX])
{
	const struct layer *layer;
	const struct header_field *f;
	size_t i;

	memcpy(out, p->bytes + from, to - from);
	for (i = 0; i < ARRAY_SIZE(changeable); i++) {
		layer = packet_layer(p, changeable[i].header);
		if (!layer)
			continue;
		f = header_find_field(layer->header, changeable[i].field);
		header_set_bits(out + layer->at - from, f->at, f->width, UINT64_MAX);
	}
	return to - from;
}

bool packet_icrc_covers(const struct packet *p, size_t bit)
{
	const struct layer *ip = packet_layer(p, &header_ip4), *layer;
	const struct header_field *f;
	size_t i, at;

	ip = ip ? ip : packet_layer(p, &header_ip6);
	for (i = 0; i < ARRAY_SIZE(changeable); i++) {
		layer = packet_layer(p, changeable[i].header);
		f = header_find_field(changeable[i].header, changeable[i].field);
		at = layer ? layer->at * 8 + f->at : 0;
		if (layer && bit >= at && bit < at + f->width)
			return false;
	}
	return ip && bit >= ip->at * 8;
}

bool packet_icrc(const struct packet *p, enum packet_crc how, uint32_t *computed, uint32_t *there)
{
	static const uint8_t ones[ROUTE_HEADER_BYTES] = {255, 255, 255, 255, 255, 255, 255, 255};
	const struct layer *bth = packet_layer(p, &header_bth), *ip = packet_layer(p, &header_ip4);
	uint8_t headers[HEADERS_BYTES_MAX];
	size_t body, end;
	uint32_t crc;

	ip = ip ? ip : packet_layer(p, &header_ip6);
	ip = ip ? ip : packet_layer(p, &header_grh);
	if (!bth || !ip || !p->whole || p->end < bth->at + header_bth.bytes + PACKET_ICRC_BYTES)
		return false;
	body = bth->at + header_bth.bytes;
	end = p->end - PACKET_ICRC_BYTES;
	crc = deflate_crc32_add(0, ones, sizeof(ones));
	crc = deflate_crc32_add(crc, headers, masked(p, ip->at, body, headers));
	crc = deflate_crc32_add(crc, p->bytes + body, end - body);
	if (how == PACKET_CRC_RXE_FLUSH)
		crc = deflate_crc32_add(crc, p->bytes + bth->at, end - bth->at);
	*computed = crc;
	/* The CRC is the only number with its low byte first. */
	*there = (uint32_t)p->bytes[end] | (uint32_t)p->bytes[end + 1] << 8 |
		 (uint32_t)p->bytes[end + 2] << 16 | (uint32_t)p->bytes[end + 3] << 24;
	return true;
}

#define SUM_AT 6
#define SUM_BYTES 2

void packet_udp_sum_remove(uint8_t *frame, size_t len)
{
	struct packet p;
	const struct layer *udp;

	packet_read(&p, PACKET_ETHERNET, frame, len);
	udp = packet_layer(&p, &header_udp);
	if (udp && udp->at + SUM_AT + SUM_BYTES <= len)
		memset(frame + udp->at + SUM_AT, 0, SUM_BYTES);
}
