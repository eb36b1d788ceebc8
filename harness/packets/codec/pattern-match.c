/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/pattern.h"

#include <string.h>

#include "base/text.h"
#include "codec/line.h"
#include "names/consts.h"

bool pattern_compare(enum pattern_op op, uint64_t there, uint64_t wanted)
{
	switch (op) {
	case PATTERN_EQ:
		return there == wanted;
	case PATTERN_NE:
		return there != wanted;
	case PATTERN_LT:
		return there < wanted;
	case PATTERN_GT:
		return there > wanted;
	case PATTERN_LE:
		return there <= wanted;
	default:
		return there >= wanted;
	}
}

static bool text_is(const struct packet *p, const struct layer *layer, const struct header_field *f, const char *wanted)
{
	auto_text struct text shown = {0};

	line_value(&shown, p, layer, f);
	return !strcmp(shown.s, wanted);
}

static bool field_matches(const struct pattern_word *w, const struct packet *p)
{
	const struct layer *layer;
	const struct header_field *f = packet_field(p, w->field, &layer);

	if (!f)
		return false;
	if (w->is_text)
		return text_is(p, layer, f, w->text) == (w->op == PATTERN_EQ);
	return f->width <= 64 && pattern_compare(w->op, packet_value(p, layer, f), w->value);
}

/* "SEND_ONLY" matches RC_SEND_ONLY, and "RC_SEND_ONLY" matches only that. */
static bool operation_matches(const char *wanted, const struct packet *p)
{
	const char *name = const_name(&const_packet_opcode, p->opcode.number);
	size_t prefix = strlen(opcode_transport(p->opcode.number));

	if (!p->known || !name)
		return false;
	return !strcmp(name, wanted) || (prefix && !strcmp(name + prefix + 1, wanted));
}

static bool message_matches(uint64_t attribute, const struct packet *p)
{
	return packet_get(p, "class", 0) == PACKET_CLASS_CM &&
	       (!attribute || packet_get(p, "attribute", 0) == attribute);
}

static bool transport_matches(const char *wanted, const struct packet *p)
{
	if (!p->rdma)
		return false;
	if (p->known && p->opcode.number == OPCODE_CNP)
		return !strcmp(wanted, "CNP");
	return !strcmp(opcode_transport(p->opcode.number), wanted);
}

static bool has_header(const char *name, const struct packet *p)
{
	size_t i;

	for (i = 0; i < p->layers; i++)
		if (!strcmp(p->layer[i].header->name, name))
			return true;
	return false;
}

bool pattern_word_matches(const struct pattern_word *w, const struct packet *p)
{
	switch (w->kind) {
	case WORD_TRANSPORT:
		return transport_matches(w->name, p);
	case WORD_OPERATION:
		return operation_matches(w->name, p);
	case WORD_MESSAGE:
		return message_matches(w->value, p);
	case WORD_KIND:
		return packet_layer(p, &header_aeth) && packet_get(p, "kind", 0) == w->value;
	case WORD_HEADER:
		return has_header(w->name, p);
	case WORD_LENGTH:
		return p->rdma && pattern_compare(w->op, p->payload_len, w->value);
	case WORD_ICRC:
		return p->rdma && !strcmp(line_icrc(p), w->name) == (w->op == PATTERN_EQ);
	default:
		return field_matches(w, p);
	}
}

bool pattern_matches(const struct pattern *pattern, const struct packet *p)
{
	size_t i;

	for (i = 0; i < pattern->count; i++)
		if (!pattern_word_matches(&pattern->word[i], p))
			return false;
	return true;
}
