/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/packet.h"

#include "codec/opcode.h"

/* The bytes of a header. IPv4 may have options. */
static size_t bytes_of(const struct packet *p, const struct layer *l)
{
	size_t words;

	if (l->header != &header_ip4)
		return l->header->bytes;
	words = (size_t)packet_get(p, "header_length", 0);
	return words < 5 ? 0 : words * 4;
}

/* A header that has the length of the rest: set @p->end by it. */
static void limit(struct packet *p, const struct layer *l)
{
	size_t end = p->end;

	if (l->header == &header_ip4)
		end = l->at + (size_t)packet_get(p, "ip_length", 0);
	else if (l->header == &header_ip6 || l->header == &header_grh)
		end = l->at + l->header->bytes + (size_t)packet_get(p, "ip_length", 0);
	else if (l->header == &header_udp)
		end = l->at + (size_t)packet_get(p, "udp_length", 0);
	else
		return;
	/* The length in UDP may only be shorter than that of IP. */
	if (l->header != &header_udp || end < p->end)
		p->end = end;
	p->whole = p->end <= p->len;
}

/* Adds a header at *@at, and moves *@at behind it. False: it is not there as a whole. */
static bool read_header(struct packet *p, const struct header *header, size_t *at)
{
	struct layer *l = &p->layer[p->layers];
	size_t room = p->end < p->len ? p->end : p->len, bytes;

	if (p->layers == PACKET_LAYERS_MAX || *at > room || header->bytes > room - *at) {
		p->problem = p->layers == PACKET_LAYERS_MAX ? "too many headers" :
			     p->end > p->len ? "the capture has no more of its bytes" :
					       "it ends inside a header";
		return false;
	}
	*l = (struct layer){header, *at};
	p->layers++;
	limit(p, l);
	room = p->end < p->len ? p->end : p->len;
	bytes = bytes_of(p, l);
	if (!bytes || *at + bytes > room) {
		p->problem = p->end > p->len && bytes ? "the capture has no more of its bytes" :
							"a length in a header is too short";
		return false;
	}
	*at += bytes;
	return true;
}

/* A header inside the one before it, which is there as a whole. */
static void add_within(struct packet *p, const struct follow_rule *rule)
{
	size_t at = p->layer[p->layers - 1].at + header_find_field(rule->from, rule->within)->at / 8;

	read_header(p, rule->to, &at);
}

/* The headers that the opcode asks for. */
static bool add_extended(struct packet *p, size_t *at)
{
	size_t i;

	p->rdma = true;
	p->known = opcode_find(p->bytes[p->layer[p->layers - 1].at], &p->opcode);
	for (i = 0; p->known && p->opcode.header[i]; i++)
		if (!read_header(p, p->opcode.header[i], at))
			return false;
	return true;
}

/* The bytes between the headers and the invariant CRC. */
static void take_payload(struct packet *p, size_t at)
{
	size_t tail = PACKET_ICRC_BYTES + (size_t)packet_get(p, "pad", 0), end = p->end;

	p->payload = at;
	if (!p->rdma) {
		p->payload_len = (end < p->len ? end : p->len) - at;
		return;
	}
	if (end < at + tail) {
		p->problem = end < at + PACKET_ICRC_BYTES ? "there is no room for its invariant CRC" :
							    "it has less payload than padding";
		return;
	}
	p->payload_len = end - tail - at;
	if (at + p->payload_len > p->len)
		p->payload_len = p->len > at ? p->len - at : 0;
}

static const struct header *first_header(enum packet_start start, const uint8_t *bytes, size_t len)
{
	static const struct header *const known[] = {
		[PACKET_ETHERNET] = &header_ether,
		[PACKET_COOKED] = &header_cooked,
		[PACKET_COOKED2] = &header_cooked2,
	};

	if (start != PACKET_IP)
		return known[start];
	return len && bytes[0] >> 4 == 6 ? &header_ip6 : &header_ip4;
}

void packet_read(struct packet *p, enum packet_start start, const uint8_t *bytes, size_t len)
{
	const struct header *next = first_header(start, bytes, len);
	const struct follow_rule *rule;
	size_t at = 0;

	*p = (struct packet){.bytes = bytes, .len = len, .end = len, .whole = true};
	while (next) {
		if (!read_header(p, next, &at))
			return;
		if (next == &header_bth && !add_extended(p, &at))
			return;
		rule = follow_rule_find(p);
		if (rule && rule->within) {
			add_within(p, rule);
			rule = NULL;
		}
		next = rule ? rule->to : NULL;
	}
	take_payload(p, at);
}
