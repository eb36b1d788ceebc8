/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values as JSON text. Every event is written, often several times, so this goes through the values once and makes no
 * others of them.
 */
#include "base/json.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"

struct json_writer {
	struct text *text;
	bool pretty;
	int depth;
};

static void put_char(struct text *t, char c)
{
	text_add_bytes(t, &c, 1);
}

static void put_escape(struct text *t, unsigned char c)
{
	static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
	const char *at = strchr(plain, c);

	if (at)
		text_addf(t, "\\%c", letter[at - plain]);
	else
		text_addf(t, "\\u%04X", c);
}

static bool is_plain_ascii(unsigned char c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

/* The length of the characters at @s that stand in a string as they are. */
static size_t plain_length(const char *s)
{
	const char *at = s;
	size_t n = 1;

	for (; n; at += n) {
		while (is_plain_ascii((unsigned char)*at))
			at++;
		n = (unsigned char)*at >= 0x7f ? text_utf8_length(at) : 0;
	}
	return (size_t)(at - s);
}

void json_add_text(struct text *t, const char *s)
{
	size_t n;

	put_char(t, '"');
	for (;;) {
		n = plain_length(s);
		text_add_bytes(t, s, n);
		s += n;
		if (!*s)
			break;
		if ((unsigned char)*s >= 0x80)
			text_add(t, UTF8_REPLACEMENT);
		else
			put_escape(t, (unsigned char)*s);
		s++;
	}
	put_char(t, '"');
}

/* Most values are numbers, and snprintf() is slow for so many. */
void json_add_int(struct text *t, int64_t i)
{
	char digits[24], *at = digits + sizeof(digits);
	uint64_t rest = i < 0 ? -(uint64_t)i : (uint64_t)i;

	do {
		*--at = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	if (i < 0)
		*--at = '-';
	text_add_bytes(t, at, (size_t)(digits + sizeof(digits) - at));
}

/* Between items stands nothing, or a new line with its indent. */
static void put_line(struct json_writer *w)
{
	int i;

	if (!w->pretty)
		return;
	put_char(w->text, '\n');
	for (i = 0; i < w->depth; i++)
		text_add_bytes(w->text, "  ", 2);
}

static void put_value(struct json_writer *w, const struct value *v);

static void put_list(struct json_writer *w, const struct value *v)
{
	size_t i;

	put_char(w->text, '[');
	w->depth++;
	for (i = 0; i < v->list.count; i++) {
		if (i > 0)
			put_char(w->text, ',');
		put_line(w);
		put_value(w, v->list.item[i]);
	}
	w->depth--;
	if (v->list.count > 0)
		put_line(w);
	put_char(w->text, ']');
}

/* Two keys that are not UTF-8 can become the same one, and a reader refuses that: the last one stays. */
static bool is_overwritten(const struct value *v, size_t n)
{
	auto_free char *key = NULL;
	size_t i;

	if (text_utf8_is(v->map.member[n].key))
		return false;
	key = text_utf8_clean(v->map.member[n].key);
	for (i = n + 1; i < v->map.count; i++) {
		auto_free char *other = text_utf8_clean(v->map.member[i].key);

		if (strcmp(key, other) == 0)
			return true;
	}
	return false;
}

static void put_key(struct json_writer *w, const char *key)
{
	json_add_text(w->text, key);
	text_add_bytes(w->text, ": ", w->pretty ? 2 : 1);
}

static void put_map(struct json_writer *w, const struct value *v)
{
	bool any = false;
	size_t i;

	put_char(w->text, '{');
	w->depth++;
	for (i = 0; i < v->map.count; i++) {
		if (is_overwritten(v, i))
			continue;
		if (any)
			put_char(w->text, ',');
		any = true;
		put_line(w);
		put_key(w, v->map.member[i].key);
		put_value(w, v->map.member[i].value);
	}
	w->depth--;
	if (any)
		put_line(w);
	put_char(w->text, '}');
}

static void put_expr(struct json_writer *w, const char *s)
{
	put_char(w->text, '{');
	w->depth++;
	put_line(w);
	put_key(w, "$");
	json_add_text(w->text, s);
	w->depth--;
	put_line(w);
	put_char(w->text, '}');
}

static void put_value(struct json_writer *w, const struct value *v)
{
	switch (v->type) {
	case VALUE_NULL:
		text_add_bytes(w->text, "null", 4);
		break;
	case VALUE_BOOL:
		text_add(w->text, v->b ? "true" : "false");
		break;
	case VALUE_INT:
		json_add_int(w->text, v->i);
		break;
	case VALUE_STRING:
		json_add_text(w->text, v->s);
		break;
	case VALUE_EXPR:
		put_expr(w, v->s);
		break;
	case VALUE_LIST:
		put_list(w, v);
		break;
	case VALUE_MAP:
		put_map(w, v);
		break;
	}
}

static void write_value(struct text *t, const struct value *v, bool pretty)
{
	struct json_writer w = {.text = t, .pretty = pretty};

	put_value(&w, v);
}

void json_add(struct text *t, const struct value *v)
{
	write_value(t, v, false);
}

char *json_write(const struct value *v)
{
	struct text t = {0};

	write_value(&t, v, false);
	return t.s;
}

char *json_write_pretty(const struct value *v)
{
	struct text t = {0};

	write_value(&t, v, true);
	return t.s;
}
