/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a packet can meet all words of a pattern. */
#include "codec/pattern.h"

#include <errno.h>
#include <infiniband/opcode.h>
#include <string.h>

#include "codec/build.h"
#include "codec/header.h"
#include "lib/base/fail.h"
#include "names/consts.h"

uint8_t pattern_opcode(const struct pattern *p)
{
	const char *transport = "RC", *operation = NULL, *name;
	uint8_t opcode = OPCODE_NONE;
	size_t i;

	for (i = 0; i < p->count; i++) {
		const struct pattern_word *word = &p->word[i];

		if (word->kind == WORD_MESSAGE)
			return IBV_OPCODE_UD_SEND_ONLY;
		if (word->kind == WORD_TRANSPORT)
			transport = word->name;
		if (word->kind == WORD_OPERATION)
			operation = word->name;
		if (word->kind == WORD_KIND && !operation)
			operation = "ACKNOWLEDGE";
	}
	for (i = 0; operation && i < const_packet_opcode.count; i++) {
		name = const_packet_opcode.entry[i].name;
		if (!strcmp(name, operation) ||
		    (!strncmp(name, transport, strlen(transport)) && name[strlen(transport)] == '_' &&
		     !strcmp(name + strlen(transport) + 1, operation)))
			opcode = (uint8_t)const_packet_opcode.entry[i].value;
	}
	return opcode;
}

/* The headers of the message with this attribute, or NULL. */
static const struct header *message_header(uint64_t attribute)
{
	const char *name = const_name(&const_cm_message, (int64_t)attribute);
	size_t i;

	for (i = 0; name && header_nth(i); i++)
		if (!strcmp(header_nth(i)->name, name))
			return header_nth(i);
	return NULL;
}

static const struct pattern_word *message_of(const struct pattern *p)
{
	size_t i;

	for (i = 0; i < p->count; i++)
		if (p->word[i].kind == WORD_MESSAGE)
			return &p->word[i];
	return NULL;
}

/* @message: NULL, or the word that names a message. */
static void sample(struct build *b, uint8_t opcode, const struct pattern_word *message, bool ip6)
{
	const struct header *below[] = {&header_ether, ip6 ? &header_ip6 : &header_ip4, &header_udp, &header_bth, NULL};
	const struct header *more[] = {&header_mad, message ? message_header(message->value) : NULL, NULL};

	build_begin(b, below, opcode, message ? more : NULL);
}

void pattern_layout(struct build *b, const struct pattern *p, bool ip6)
{
	sample(b, pattern_opcode(p), message_of(p), ip6);
}

/* A field of messages of the connection manager, in a packet that has a message of any kind. */
static bool is_in_messages(const char *field)
{
	bool behind = false;
	size_t i;

	for (i = 0; header_nth(i); i++) {
		behind |= header_nth(i) == &header_mad;
		if (behind && header_find_field(header_nth(i), field))
			return true;
	}
	return false;
}

/* Also a field that only some values of another one make: the reason of a NAK. */
static bool has_field(const struct packet *p, const char *name)
{
	size_t i;

	for (i = 0; i < p->layers; i++)
		if (header_find_field(p->layer[i].header, name))
			return true;
	return false;
}

/* Whether a packet of this operation may meet the word; the values of its fields do not matter here. */
static bool may_meet(const struct pattern_word *w, const struct packet *p, bool any_message)
{
	switch (w->kind) {
	case WORD_TRANSPORT:
	case WORD_OPERATION:
		return pattern_word_matches(w, p);
	case WORD_MESSAGE:
		return packet_layer(p, &header_mad);
	case WORD_KIND:
		return packet_layer(p, &header_aeth);
	case WORD_FIELD:
		return has_field(p, w->field) || (any_message && is_in_messages(w->field));
	default:
		return true;	/* a VLAN or the checksum may be there with each operation */
	}
}

/* The first word that no packet of this operation can meet; NULL: there is none. */
static const struct pattern_word *obstacle(const struct pattern *p, uint8_t opcode, bool ip6)
{
	const struct pattern_word *message = message_of(p);
	bool datagram = opcode == IBV_OPCODE_UD_SEND_ONLY;
	static struct build b;
	size_t i;

	sample(&b, opcode, datagram ? message : NULL, ip6);
	for (i = 0; i < p->count; i++)
		if (!may_meet(&p->word[i], &b.packet, datagram && (!message || !message->value)))
			return &p->word[i];
	return NULL;
}

static const char *word_name(const struct pattern_word *w)
{
	if (w->kind == WORD_FIELD)
		return w->field;
	if (w->kind == WORD_KIND)
		return const_name(&const_aeth_kind, (int64_t)w->value);
	return w->kind == WORD_MESSAGE ? "CM" : w->name;
}

/* Some operation has to fit all words. The obstacle that is told is that of the operation that fits the most words. */
static int check_operations(const struct pattern *p, struct vbm_error *err)
{
	const struct pattern_word *best = p->word, *now;
	size_t i;
	int ip6;

	if (!p->count)
		return 0;
	for (i = 0; i < const_packet_opcode.count; i++)
		for (ip6 = 0; ip6 < 2; ip6++) {
			now = obstacle(p, (uint8_t)const_packet_opcode.entry[i].value, ip6);
			if (!now)
				return 0;
			best = now > best ? now : best;
		}
	return vbm_fail(err, EINVAL, "no packet that matches the other words %s '%s'",
			best->kind == WORD_FIELD ? "has a field" : "is a", word_name(best));
}

/* Packets that meet a rule have their fields in known places, and the kernel looks at nothing else. */
static int check_rule(const struct pattern *p, struct vbm_error *err)
{
	uint8_t opcode = pattern_opcode(p);
	static struct build b;
	size_t i;

	pattern_layout(&b, p, false);
	for (i = 0; i < p->count; i++) {
		const struct pattern_word *w = &p->word[i];

		if (w->kind == WORD_OPERATION && opcode == OPCODE_NONE)
			return vbm_fail(err, EINVAL, "'%s' is no operation of RC: a rule names the transport of its operation, "
					"unless that is RC", w->name);
		if (w->kind == WORD_LENGTH || w->kind == WORD_ICRC || w->kind == WORD_HEADER)
			return vbm_fail(err, EINVAL, "a rule cannot look at %s",
					w->kind == WORD_LENGTH ? "len" : w->kind == WORD_ICRC ? "icrc" : w->name);
		if (w->kind != WORD_FIELD)
			continue;
		if (w->is_text)
			return vbm_fail(err, EINVAL, "a rule cannot compare '%s'", w->field);
		if (!has_field(&b.packet, w->field))
			return vbm_fail(err, EINVAL, "a rule cannot see '%s' in the packets that it means: name their "
					"operation, with its transport unless that is RC", w->field);
	}
	return 0;
}

/* Whether @value of the same field contradicts no other word about it. */
static bool value_fits(const struct pattern *p, const char *field, uint64_t value)
{
	size_t i;

	for (i = 0; i < p->count; i++) {
		const struct pattern_word *w = &p->word[i];

		if (w->kind == WORD_FIELD && !w->is_text && !strcmp(w->field, field) && !pattern_compare(w->op, value, w->value))
			return false;
	}
	return true;
}

static unsigned int width_of(const char *name)
{
	const struct header_field *f = NULL;
	size_t i;

	for (i = 0; !f && header_nth(i); i++)
		f = header_find_field(header_nth(i), name);
	return f && f->width < 64 ? f->width : 64;
}

/*
 * The words about a field leave some of its values if they leave an end of the field's range, or a
 * value beside one that they name: 2 to each side, as two words may exclude one each.
 */
static bool some_value_fits(const struct pattern *p, const char *field)
{
	uint64_t most = width_of(field) < 64 ? (1ULL << width_of(field)) - 1 : UINT64_MAX, value;
	size_t i;
	int beside;

	if (value_fits(p, field, 0) || value_fits(p, field, most))
		return true;
	for (i = 0; i < p->count; i++)
		for (beside = -2; beside <= 2; beside++) {
			value = p->word[i].value + (uint64_t)(int64_t)beside;
			if (p->word[i].kind == WORD_FIELD && value <= most && value_fits(p, field, value))
				return true;
		}
	return false;
}

int pattern_check(const struct pattern *p, enum pattern_use use, struct vbm_error *err)
{
	size_t i;
	int rc = check_operations(p, err);

	for (i = 0; rc == 0 && i < p->count; i++)
		if (p->word[i].kind == WORD_FIELD && !p->word[i].is_text && !some_value_fits(p, p->word[i].field))
			rc = vbm_fail(err, EINVAL, "no value of '%s' matches all of these words", p->word[i].field);
	return rc == 0 && use == PATTERN_RULE ? check_rule(p, err) : rc;
}
