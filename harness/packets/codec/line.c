/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/line.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "base/value.h"
#include "names/consts.h"

#define ADDRESS_MAX 48
#define EXACT_BITS 53	/* larger numbers are not exact in many readers of JSON */

static void add_hex(struct text *out, const uint8_t *bytes, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		text_addf(out, "%02x", bytes[i]);
}

static void add_name(struct text *out, const struct const_set *set, uint64_t value)
{
	const char *name = const_name(set, (int64_t)value);

	if (name)
		text_add(out, name);
	else
		text_addf(out, "%" PRIu64, value);
}

static void add_address(struct text *out, int family, const uint8_t *bytes)
{
	char address[ADDRESS_MAX];

	text_add(out, inet_ntop(family, bytes, address, sizeof(address)));
}

static void add_mac(struct text *out, const uint8_t *b)
{
	text_addf(out, "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3], b[4], b[5]);
}

void line_value(struct text *out, const struct packet *p, const struct layer *layer, const struct header_field *f)
{
	const uint8_t *bytes = packet_field_bytes(p, layer, f);

	switch (f->show) {
	case SHOW_IP4:
		add_address(out, AF_INET, bytes);
		break;
	case SHOW_IP6:
		add_address(out, AF_INET6, bytes);
		break;
	case SHOW_MAC:
		add_mac(out, bytes);
		break;
	case SHOW_BYTES:
		add_hex(out, bytes, f->width / 8);
		break;
	case SHOW_NAME:
		add_name(out, f->names, packet_value(p, layer, f));
		break;
	case SHOW_HEX:
		text_addf(out, "0x%" PRIx64, packet_value(p, layer, f));
		break;
	default:
		text_addf(out, "%" PRIu64, packet_value(p, layer, f));
	}
}

static bool add_by_name(struct text *out, const struct packet *p, const char *name)
{
	const struct layer *layer;
	const struct header_field *f = packet_field(p, name, &layer);

	if (f)
		line_value(out, p, layer, f);
	return f != NULL;
}

void line_way(struct text *out, const struct packet *p)
{
	bool ip = packet_layer(p, &header_ip4) || packet_layer(p, &header_ip6) || packet_layer(p, &header_grh);

	if (!add_by_name(out, p, ip ? "src" : "src_mac"))
		text_add(out, "?");
	text_add(out, " > ");
	if (!add_by_name(out, p, ip ? "dst" : "dst_mac"))
		text_add(out, "?");
}

const char *line_icrc(const struct packet *p)
{
	uint32_t computed, there;

	if (!packet_icrc(p, PACKET_CRC, &computed, &there))
		return "unknown";
	if (computed == there)
		return "right";
	packet_icrc(p, PACKET_CRC_RXE_FLUSH, &computed, &there);
	return computed == there ? "rxe" : "wrong";
}

/* Private data is mostly zeros at its end, which say little. */
static void add_bytes(struct text *out, const uint8_t *bytes, size_t len)
{
	size_t used = len;

	while (used && !bytes[used - 1])
		used--;
	add_hex(out, bytes, used);
	if (used < len)
		text_addf(out, "%s%zu zeros", used ? "+" : "", len - used);
}

static void add_field(struct text *out, const struct packet *p, const struct layer *layer, const struct header_field *f)
{
	if (out->len && out->s[out->len - 1] != ' ')
		text_add(out, " ");
	if (f->show == SHOW_FLAG && packet_value(p, layer, f)) {
		text_add(out, f->name);
		return;
	}
	text_addf(out, "%s=", f->name);
	if (f->show == SHOW_BYTES)
		add_bytes(out, packet_field_bytes(p, layer, f), f->width / 8);
	else
		line_value(out, p, layer, f);
}

/* @which: LINE_ALWAYS for the fields of both kinds, LINE_UNUSUAL only for those. */
static bool is_in_line(const struct packet *p, const struct layer *layer, const struct header_field *f,
		       enum field_line which)
{
	if (f->line == LINE_NEVER || !packet_has(p, layer, f))
		return false;
	return f->line == LINE_ALWAYS ? which == LINE_ALWAYS : packet_value(p, layer, f) != f->usual;
}

static void add_layer(struct text *out, const struct packet *p, const struct layer *layer, enum field_line which)
{
	const struct header_field *f;

	for (f = layer->header->fields; f->name; f++)
		if (is_in_line(p, layer, f, which))
			add_field(out, p, layer, f);
}

/* "CM REQ", "MAD SUBN_ADM GET", "RC SEND_ONLY". Returns the first layer whose fields are wanted. */
static size_t add_title(struct text *out, const struct packet *p)
{
	const struct layer *mad = packet_layer(p, &header_mad), *last = &p->layer[p->layers - 1];
	uint8_t opcode = (uint8_t)packet_get(p, "opcode", 0);
	const char *name;

	if (mad && packet_get(p, "class", 0) == PACKET_CLASS_CM) {
		text_add(out, "CM ");
		add_name(out, &const_cm_message, packet_get(p, "attribute", 0));
		return (size_t)(mad - p->layer);
	}
	if (mad) {
		text_add(out, "MAD ");
		add_name(out, &const_mad_class, packet_get(p, "class", 0));
		text_add(out, " ");
		add_name(out, &const_mad_method, packet_get(p, "method", 0));
		text_addf(out, " attribute=0x%" PRIx64, packet_get(p, "attribute", 0));
		return (size_t)(mad - p->layer);
	}
	if (!p->rdma) {
		text_add(out, last->header->name);
		return p->layers;
	}
	name = const_name(&const_packet_opcode, opcode);
	if (!name)
		text_addf(out, "opcode=0x%02x", opcode);
	else if (*opcode_transport(opcode))
		text_addf(out, "%s %s", opcode_transport(opcode), name + strlen(opcode_transport(opcode)) + 1);
	else
		text_add(out, name);
	return (size_t)(packet_layer(p, &header_bth) - p->layer);
}

/* Adds what belongs to no header: the length of the payload, and the faults of the packet. */
static void add_rest(struct text *out, const struct packet *p)
{
	const char *icrc = p->rdma ? line_icrc(p) : "right";

	if (p->problem)
		text_addf(out, " (%s)", p->problem);
	else if (p->rdma && (!p->known || p->opcode.payload || p->payload_len) && !packet_layer(p, &header_mad))
		text_addf(out, " len=%zu", p->payload_len);
	if (strcmp(icrc, "right") && (strcmp(icrc, "unknown") || p->whole))
		text_addf(out, " icrc=%s", icrc);
	if (!p->whole && !p->problem)
		text_add(out, " (cut)");
}

void line_short(struct text *out, const struct packet *p)
{
	size_t i, from;

	if (!p->layers) {
		text_addf(out, "%zu bytes (%s)", p->len, p->problem ? p->problem : "empty");
		return;
	}
	from = add_title(out, p);
	for (i = 0; p->rdma && i < from; i++)
		add_layer(out, p, &p->layer[i], LINE_UNUSUAL);
	for (i = from; i < p->layers; i++)
		add_layer(out, p, &p->layer[i], LINE_ALWAYS);
	add_rest(out, p);
}

void line_details(struct text *out, const struct packet *p)
{
	auto_text struct text line = {0};
	const struct header_field *f;
	size_t i;

	for (i = 0; i < p->layers; i++) {
		text_clear(&line);
		for (f = p->layer[i].header->fields; f->name; f++)
			if (packet_has(p, &p->layer[i], f))
				add_field(&line, p, &p->layer[i], f);
		text_addf(out, "    %s: %s\n", p->layer[i].header->name, line.s);
	}
	if (p->rdma && p->payload_len) {
		text_addf(out, "    payload: %zu bytes: ", p->payload_len);
		add_hex(out, p->bytes + p->payload, p->payload_len);
		text_add(out, "\n");
	}
}

static struct value *field_value(const struct packet *p, const struct layer *layer, const struct header_field *f)
{
	auto_text struct text shown = {0};
	bool number = f->show == SHOW_NUMBER || f->show == SHOW_HEX;

	if (f->show == SHOW_FLAG)
		return value_bool(packet_value(p, layer, f) != 0);
	if (number && f->width <= EXACT_BITS)
		return value_int((int64_t)packet_value(p, layer, f));
	line_value(&shown, p, layer, f);
	return value_string(shown.s);
}

void line_map(struct value *map, const struct packet *p)
{
	struct value *headers = value_map(), *header;
	auto_text struct text payload = {0};
	const struct header_field *f;
	size_t i;

	for (i = 0; i < p->layers; i++) {
		header = value_map();
		for (f = p->layer[i].header->fields; f->name; f++)
			if (packet_has(p, &p->layer[i], f))
				value_set(header, f->name, field_value(p, &p->layer[i], f));
		value_set(headers, p->layer[i].header->name, header);	/* of two VLANs the inner one stays */
	}
	value_set(map, "headers", headers);
	if (p->rdma) {
		value_set_int(map, "opcode", p->opcode.number);
		add_hex(&payload, p->bytes + p->payload, p->payload_len);
		value_set_int(map, "len", (int64_t)p->payload_len);
		value_set_string(map, "payload", payload.s ? payload.s : "");
		value_set_string(map, "icrc", line_icrc(p));
	}
	if (p->problem)
		value_set_string(map, "problem", p->problem);
	if (!p->whole)
		value_set_bool(map, "cut", true);
}
