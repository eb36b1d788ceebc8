/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/build.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "codec/opcode.h"
#include "lib/base/fail.h"

static bool add_header(struct build *b, const struct header *header)
{
	struct packet *p = &b->packet;
	struct layer *last = p->layers ? &p->layer[p->layers - 1] : NULL, *l = &p->layer[p->layers];
	const struct follow_rule *rule = last ? follow_rule(last->header, header) : NULL;
	const struct header_field *f;
	size_t at = p->len;

	if (rule && rule->within)
		at = last->at + header_find_field(last->header, rule->within)->at / 8;
	if (p->layers == PACKET_LAYERS_MAX || at + header->bytes + PACKET_ICRC_BYTES > BUILD_MAX)
		return false;
	*l = (struct layer){header, at};
	p->layers++;
	if (at == p->len)
		p->len += header->bytes;
	for (f = header->fields; f->name; f++)
		if (!f->alias && f->usual)
			header_set_bits(b->bytes + at, f->at, f->width, f->usual);
	/* By its layer, because of two VLANs only the outer one can be found by name. */
	if (rule) {
		f = header_find_field(rule->from, rule->field);
		if (f)
			header_set_bits(b->bytes + last->at, f->at, f->width, rule->is);
		else
			build_set(b, rule->field, rule->is);
	}
	return true;
}

bool build_begin(struct build *b, const struct header *const *below, uint8_t opcode, const struct header *const *more)
{
	struct packet *p = &b->packet;
	size_t i;

	*b = (struct build){.packet = {.whole = true, .rdma = true}};
	p->bytes = b->bytes;
	p->known = opcode_find(opcode, &p->opcode);
	for (; *below; below++)
		if (!add_header(b, *below))
			return false;
	for (i = 0; p->known && p->opcode.header[i]; i++)
		if (!add_header(b, p->opcode.header[i]))
			return false;
	for (; more && *more; more++)
		if (!add_header(b, *more))
			return false;
	p->payload = p->len;
	return build_set(b, "opcode", opcode);
}

const struct header_field *build_field(const struct build *b, const char *name, const struct layer **layer)
{
	const struct packet *p = &b->packet;
	const struct header_field *f = NULL;
	size_t i;

	for (i = 0; !f && i < p->layers; i++) {
		*layer = &p->layer[i];
		f = header_find_field(p->layer[i].header, name);
	}
	return f;
}

bool build_set(struct build *b, const char *field, uint64_t value)
{
	const struct layer *layer;
	const struct header_field *f = build_field(b, field, &layer);

	if (!f || f->width > 64)
		return false;
	header_set_bits(b->bytes + layer->at, f->at, f->width, value);
	return true;
}

bool build_set_bytes(struct build *b, const char *field, const void *value)
{
	const struct layer *layer;
	const struct header_field *f = build_field(b, field, &layer);

	if (!f || f->width % 8 || f->at % 8)
		return false;
	memcpy(b->bytes + layer->at + f->at / 8, value, f->width / 8);
	return true;
}

uint8_t *build_payload_room(struct build *b, size_t len)
{
	struct packet *p = &b->packet;
	size_t pad = -len & 3;

	if (len > BUILD_MAX || p->payload + len + pad + PACKET_ICRC_BYTES > BUILD_MAX)
		return NULL;
	p->payload_len = len;
	p->len = p->payload + len + pad;
	build_set(b, "pad", pad);
	return b->bytes + p->payload;
}

bool build_payload(struct build *b, const void *data, size_t len)
{
	uint8_t *to = build_payload_room(b, len);

	if (to && len)
		memcpy(to, data, len);
	return to != NULL;
}

static void checksum_ip4(struct build *b, const struct layer *ip)
{
	uint32_t sum = 0;
	size_t i;

	build_set(b, "ip_checksum", 0);
	for (i = 0; i < header_ip4.bytes; i += 2)
		sum += (uint32_t)header_get_bits(b->bytes + ip->at, i * 8, 16);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	build_set(b, "ip_checksum", ~sum & 0xffff);
}

static void set_lengths(struct build *b)
{
	const struct packet *p = &b->packet;
	const struct layer *ip4 = packet_layer(p, &header_ip4), *ip6 = packet_layer(p, &header_ip6);
	const struct layer *udp = packet_layer(p, &header_udp), *grh = packet_layer(p, &header_grh);

	if (udp)
		build_set(b, "udp_length", p->end - udp->at);
	if (ip4)
		build_set(b, "ip_length", p->end - ip4->at);
	ip6 = ip6 ? ip6 : grh;
	if (ip6)
		build_set(b, "ip_length", p->end - ip6->at - ip6->header->bytes);
	if (ip4)
		checksum_ip4(b, ip4);
}

void build_cut(struct build *b, size_t left)
{
	struct packet *p = &b->packet;
	const struct layer *bth = packet_layer(p, &header_bth);
	size_t len = (bth ? bth->at : 0) + left;

	if (len >= p->len)
		return;
	p->len = len;
	memset(b->bytes + len, 0, sizeof(b->bytes) - len);
}

void build_end(struct build *b, enum packet_crc how)
{
	struct packet *p = &b->packet;
	uint32_t crc, there;
	size_t i;

	p->len += PACKET_ICRC_BYTES;
	p->end = p->len;
	set_lengths(b);
	if (!packet_icrc(p, how, &crc, &there))
		return;
	for (i = 0; i < PACKET_ICRC_BYTES; i++)
		b->bytes[p->end - PACKET_ICRC_BYTES + i] = (uint8_t)(crc >> 8 * i);
}

#define FIELD_BYTES_MAX 256
#define IP6_BYTES 16

static const struct header *const below[] = {
	&header_ether, &header_vlan, &header_cooked, &header_cooked2, &header_ip4, &header_ip6, &header_grh, &header_udp,
};

static bool is_below(const struct header *header)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(below); i++)
		if (below[i] == header)
			return true;
	return false;
}

/* Whether a header behind UDP has the field. */
static bool is_transport(const char *field)
{
	const struct header *h;
	size_t i;

	for (i = 0; (h = header_nth(i)); i++)
		if (!is_below(h) && header_find_field(h, field))
			return true;
	return false;
}

int build_setting_add(struct pattern *settings, const char *word, struct vbm_error *err)
{
	const struct pattern_word *w;
	int rc = pattern_add(settings, word, err);

	if (rc < 0)
		return rc;
	w = &settings->word[--settings->count];
	if (w->kind != WORD_FIELD || w->op != PATTERN_EQ)
		return vbm_fail(err, EINVAL, "'%s': expected FIELD=VALUE, as in psn=5", word);
	if (!is_transport(w->field))
		return vbm_fail(err, EINVAL, "'%s' cannot be set: the kernel makes the headers up to UDP", w->field);
	settings->count++;
	return 0;
}

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c | ('A' ^ 'a')) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Hexadecimal digits, two for each byte. Returns the number of bytes, or -1. */
static int read_hex(const char *text, uint8_t *out, size_t room)
{
	size_t n;

	for (n = 0; text[2 * n]; n++) {
		if (n == room || hex_digit(text[2 * n]) < 0 || hex_digit(text[2 * n + 1]) < 0)
			return -1;
		out[n] = (uint8_t)(hex_digit(text[2 * n]) << 4 | hex_digit(text[2 * n + 1]));
	}
	return (int)n;
}

/* An IPv4 address is in the last four bytes. */
static int read_address(const char *text, uint8_t out[IP6_BYTES])
{
	if (strchr(text, ':'))
		return inet_pton(AF_INET6, text, out) == 1 ? IP6_BYTES : -1;
	return inet_pton(AF_INET, text, out + IP6_BYTES - sizeof(struct in_addr)) == 1 ? IP6_BYTES : -1;
}

static int apply_text(struct build *b, const struct pattern_word *w, const struct header_field *f, struct vbm_error *err)
{
	uint8_t bytes[FIELD_BYTES_MAX] = {0};
	int n = f->show == SHOW_IP6 ? read_address(w->text, bytes) : read_hex(w->text, bytes, f->width / 8);

	if (f->width / 8 > sizeof(bytes) || n < 0 || !build_set_bytes(b, w->field, bytes))
		return vbm_fail(err, EINVAL, "'%s' is no value of %s, which has %u bytes", w->text, w->field, f->width / 8);
	return 0;
}

static int apply_word(struct build *b, const struct pattern_word *w, struct vbm_error *err)
{
	const struct layer *layer;
	const struct header_field *f = build_field(b, w->field, &layer);

	if (!f || is_below(layer->header))
		return vbm_fail(err, EINVAL, "the packet has no field '%s'", w->field);
	if (w->is_text)
		return apply_text(b, w, f, err);
	if (f->width < 64 && w->value >> f->width)
		return vbm_fail(err, EINVAL, "%llu is too large: %s of this packet has %u bits",
				(unsigned long long)w->value, w->field, f->width);
	if (f->if_width)
		header_set_bits(b->bytes + layer->at, f->if_at, f->if_width, f->if_is);
	build_set(b, w->field, w->value);
	return 0;
}

int build_settings_apply(struct build *b, const struct pattern *settings, struct vbm_error *err)
{
	int rc = 0;
	size_t i;

	for (i = 0; rc == 0 && i < settings->count; i++)
		rc = apply_word(b, &settings->word[i], err);
	return rc;
}
