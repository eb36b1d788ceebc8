/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/setting.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "lib/base/fail.h"

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

int setting_add(struct pattern *settings, const char *word, struct vbm_error *err)
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

int settings_apply(struct build *b, const struct pattern *settings, struct vbm_error *err)
{
	int rc = 0;
	size_t i;

	for (i = 0; rc == 0 && i < settings->count; i++)
		rc = apply_word(b, &settings->word[i], err);
	return rc;
}
