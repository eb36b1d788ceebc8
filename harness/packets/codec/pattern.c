/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/pattern.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "codec/header.h"
#include "codec/line.h"
#include "lib/base/fail.h"
#include "names/consts.h"

#define ADDRESS_BYTES_MAX 16

static const char *const transports[] = {"RC", "UC", "UD", "CNP"};
static const char *const checks[] = {"right", "wrong", "rxe", "unknown"};

static const struct {
	const char *text;
	enum pattern_op op;
} operators[] = {
	{"!=", PATTERN_NE}, {"<=", PATTERN_LE}, {">=", PATTERN_GE},
	{"=", PATTERN_EQ}, {"<", PATTERN_LT}, {">", PATTERN_GT},
};

/* "RC_SEND_ONLY" without "RC_". */
static const char *operation_of(const char *name)
{
	return strlen(name) > 3 && name[2] == '_' ? name + 3 : name;
}

static bool is_operation(const char *word, struct pattern_word *w)
{
	size_t i;

	for (i = 0; i < const_packet_opcode.count; i++) {
		const char *name = const_packet_opcode.entry[i].name;

		if (strcmp(name, word) && strcmp(operation_of(name), word))
			continue;
		*w = (struct pattern_word){.kind = WORD_OPERATION, .name = strcmp(name, word) ? operation_of(name) : name};
		return true;
	}
	return false;
}

static const struct header_field *field_anywhere(const char *name)
{
	const struct header *l;
	const struct header_field *f = NULL;
	size_t i;

	for (i = 0; !f && (l = header_nth(i)); i++)
		f = header_find_field(l, name);
	return f;
}

static bool is_plain(const char *word, struct pattern_word *w)
{
	const struct header_field *f = field_anywhere(word);
	int64_t value;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(transports); i++)
		if (!strcmp(word, transports[i])) {
			*w = (struct pattern_word){.kind = WORD_TRANSPORT, .name = transports[i]};
			return true;
		}
	if (is_operation(word, w))
		return true;
	if (!strcmp(word, "CM") || const_lookup(&const_cm_message, word, &value)) {
		*w = (struct pattern_word){.kind = WORD_MESSAGE, .value = strcmp(word, "CM") ? (uint64_t)value : 0};
		return true;
	}
	if (const_lookup(&const_aeth_kind, word, &value)) {
		*w = (struct pattern_word){.kind = WORD_KIND, .value = (uint64_t)value};
		return true;
	}
	if (f && f->show == SHOW_FLAG) {
		*w = (struct pattern_word){.kind = WORD_FIELD, .value = 1};
		snprintf(w->field, sizeof(w->field), "%s", word);
		return true;
	}
	for (i = 0; header_nth(i); i++)
		if (!strcmp(word, header_nth(i)->name)) {
			*w = (struct pattern_word){.kind = WORD_HEADER, .name = header_nth(i)->name};
			return true;
		}
	return false;
}

const char *pattern_nth(size_t i)
{
	size_t n;

	if (i < ARRAY_SIZE(transports))
		return transports[i];
	i -= ARRAY_SIZE(transports);
	if (i < const_packet_opcode.count)
		return operation_of(const_packet_opcode.entry[i].name);
	i -= const_packet_opcode.count;
	if (i < const_cm_message.count)
		return const_cm_message.entry[i].name;
	i -= const_cm_message.count;
	if (i < const_aeth_kind.count)
		return const_aeth_kind.entry[i].name;
	i -= const_aeth_kind.count;
	for (n = 0; header_nth(n); n++)
		;
	if (i < n)
		return header_nth(i)->name;
	return i == n ? "CM" : NULL;
}

static int unknown_word(const char *word, struct vbm_error *err)
{
	struct suggestion s;
	auto_free char *hint = NULL;
	size_t i;

	suggest_init(&s, word);
	for (i = 0; pattern_nth(i); i++)
		suggest_offer(&s, pattern_nth(i));
	hint = suggest_ending(suggest_best(&s));
	return vbm_fail(err, EINVAL, "'%s' is no operation, message, header or flag of a packet%s", word, hint);
}

static int unknown_field(const char *name, struct vbm_error *err)
{
	const struct header_field *f;
	struct suggestion s;
	auto_free char *hint = NULL;
	size_t i;

	suggest_init(&s, name);
	for (i = 0; header_nth(i); i++)
		for (f = header_nth(i)->fields; f->name; f++)
			suggest_offer(&s, f->name);
	suggest_offer(&s, "len");
	suggest_offer(&s, "icrc");
	hint = suggest_ending(suggest_best(&s));
	return vbm_fail(err, EINVAL, "no packet has a field '%s'%s", name, hint);
}

/* An unsigned number, decimal or with "0x". */
static bool read_number(const char *text, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	*value = strtoull(text, &end, text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10);
	return !*end && !errno;
}

/* An address is compared as a text, in the form in which packets are shown. */
static bool read_address(const struct header_field *f, const char *text, struct pattern_word *w)
{
	uint8_t bytes[ADDRESS_BYTES_MAX];
	int family = strchr(text, ':') ? AF_INET6 : AF_INET;

	w->is_text = true;
	if (f->show == SHOW_MAC || f->show == SHOW_BYTES) {
		if (strlen(text) >= sizeof(w->text))
			return false;
		snprintf(w->text, sizeof(w->text), "%s", text);
		return true;
	}
	return inet_pton(family, text, bytes) == 1 && inet_ntop(family, bytes, w->text, sizeof(w->text));
}

static int read_value(const struct header_field *f, const char *text, struct pattern_word *w, struct vbm_error *err)
{
	int64_t named;

	if (f->show == SHOW_IP4 || f->show == SHOW_IP6 || f->show == SHOW_MAC || f->show == SHOW_BYTES) {
		if ((w->op == PATTERN_EQ || w->op == PATTERN_NE) && read_address(f, text, w))
			return 0;
		return vbm_fail(err, EINVAL, "'%s' is no value to compare %s with", text, f->name);
	}
	if (f->show == SHOW_NAME && const_lookup(f->names, text, &named)) {
		w->value = (uint64_t)named;
		return 0;
	}
	if (!read_number(text, &w->value)) {
		const char *best = f->show == SHOW_NAME ? const_suggest(f->names, text) : NULL;
		auto_free char *hint = suggest_ending(best);

		return vbm_fail(err, EINVAL, "'%s' is no value of %s: a number%s is one%s", text, f->name,
				f->show == SHOW_NAME ? " or a name" : "", hint);
	}
	if (f->width < 64 && w->value >> f->width)
		return vbm_fail(err, EINVAL, "'%s' is too large: %s has %u bits", text, f->name, f->width);
	return 0;
}

static int read_icrc(const char *text, struct pattern_word *w, struct vbm_error *err)
{
	size_t i;

	w->kind = WORD_ICRC;
	for (i = 0; i < ARRAY_SIZE(checks); i++)
		if (!strcmp(text, checks[i]))
			w->name = checks[i];
	return w->name && (w->op == PATTERN_EQ || w->op == PATTERN_NE) ? 0 :
	       vbm_fail(err, EINVAL, "'%s' is no value of icrc: right, wrong, rxe or unknown", text);
}

static int read_comparison(const char *name, const char *value, struct pattern_word *w, struct vbm_error *err)
{
	const struct header_field *f = field_anywhere(name);

	if (!strcmp(name, "icrc"))
		return read_icrc(value, w, err);
	if (!strcmp(name, "len")) {
		w->kind = WORD_LENGTH;
		return read_number(value, &w->value) ? 0 : vbm_fail(err, EINVAL, "'%s' is no number of bytes", value);
	}
	if (!f)
		return unknown_field(name, err);
	w->kind = WORD_FIELD;
	snprintf(w->field, sizeof(w->field), "%s", name);
	return read_value(f, value, w, err);
}

int pattern_add(struct pattern *pattern, const char *word, struct vbm_error *err)
{
	size_t len = strcspn(word, "=!<>"), i;
	struct pattern_word w = {.kind = WORD_FIELD};
	auto_free char *name = xstrndup(word, len);
	int rc = -EINVAL;

	if (!word[len]) {
		rc = is_plain(word, &w) ? 0 : unknown_word(word, err);
	} else {
		for (i = 0; i < ARRAY_SIZE(operators); i++)
			if (!strncmp(word + len, operators[i].text, strlen(operators[i].text)))
				break;
		if (i == ARRAY_SIZE(operators))
			return vbm_fail(err, EINVAL, "'%s' has no '=' between a field and its value", word);
		w.op = operators[i].op;
		rc = read_comparison(name, word + len + strlen(operators[i].text), &w, err);
	}
	if (rc < 0)
		return rc;
	GROW(pattern->word, pattern->count);
	pattern->word[pattern->count++] = w;
	return 0;
}

void pattern_fini(struct pattern *pattern)
{
	free(pattern->word);
	*pattern = (struct pattern){0};
}

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
