/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values as JSON text. Every event is written, often several times, so this goes through the values once and makes no
 * others of them.
 */
#include "base/json.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"

struct json_writer {
	struct text text;
	bool pretty;
	int depth;
};

static void put_escape(struct text *t, unsigned char c)
{
	static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
	const char *at = strchr(plain, c);

	if (at)
		text_addf(t, "\\%c", letter[at - plain]);
	else
		text_addf(t, "\\u%04X", c);
}

static void put_text(struct text *t, const char *s)
{
	auto_free char *clean = text_utf8_is(s) ? NULL : text_utf8_clean(s);
	const char *at = clean ? clean : s, *begin;

	text_add_bytes(t, "\"", 1);
	while (*at) {
		for (begin = at; (unsigned char)*at >= ' ' && *at != '"' && *at != '\\'; at++)
			;
		text_add_bytes(t, begin, (size_t)(at - begin));
		if (*at)
			put_escape(t, (unsigned char)*at++);
	}
	text_add_bytes(t, "\"", 1);
}

static void put_int(struct text *t, int64_t i)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRId64, i);

	text_add_bytes(t, digits, (size_t)len);
}

/* What stands between items: nothing, or a new line with its indent. */
static void put_line(struct json_writer *w)
{
	int i;

	if (!w->pretty)
		return;
	text_add_bytes(&w->text, "\n", 1);
	for (i = 0; i < w->depth; i++)
		text_add_bytes(&w->text, "  ", 2);
}

static void put_value(struct json_writer *w, const struct value *v);

static void put_list(struct json_writer *w, const struct value *v)
{
	size_t i;

	text_add_bytes(&w->text, "[", 1);
	w->depth++;
	for (i = 0; i < v->list.count; i++) {
		if (i > 0)
			text_add_bytes(&w->text, ",", 1);
		put_line(w);
		put_value(w, v->list.item[i]);
	}
	w->depth--;
	if (v->list.count > 0)
		put_line(w);
	text_add_bytes(&w->text, "]", 1);
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
	put_text(&w->text, key);
	text_add_bytes(&w->text, ": ", w->pretty ? 2 : 1);
}

static void put_map(struct json_writer *w, const struct value *v)
{
	bool any = false;
	size_t i;

	text_add_bytes(&w->text, "{", 1);
	w->depth++;
	for (i = 0; i < v->map.count; i++) {
		if (is_overwritten(v, i))
			continue;
		if (any)
			text_add_bytes(&w->text, ",", 1);
		any = true;
		put_line(w);
		put_key(w, v->map.member[i].key);
		put_value(w, v->map.member[i].value);
	}
	w->depth--;
	if (any)
		put_line(w);
	text_add_bytes(&w->text, "}", 1);
}

static void put_expr(struct json_writer *w, const char *s)
{
	text_add_bytes(&w->text, "{", 1);
	w->depth++;
	put_line(w);
	put_key(w, "$");
	put_text(&w->text, s);
	w->depth--;
	put_line(w);
	text_add_bytes(&w->text, "}", 1);
}

static void put_value(struct json_writer *w, const struct value *v)
{
	switch (v->type) {
	case VALUE_NULL:
		text_add_bytes(&w->text, "null", 4);
		break;
	case VALUE_BOOL:
		text_add(&w->text, v->b ? "true" : "false");
		break;
	case VALUE_INT:
		put_int(&w->text, v->i);
		break;
	case VALUE_STRING:
		put_text(&w->text, v->s);
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

static char *write_value(const struct value *v, bool pretty)
{
	struct json_writer w = {.pretty = pretty};

	put_value(&w, v);
	return w.text.s;
}

char *json_write(const struct value *v)
{
	return write_value(v, false);
}

char *json_write_pretty(const struct value *v)
{
	return write_value(v, true);
}
