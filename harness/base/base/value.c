/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/value.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"

static struct value *new_value(enum value_type type)
{
	struct value *v = xcalloc(1, sizeof(*v));

	v->type = type;
	return v;
}

struct value *value_null(void)
{
	return new_value(VALUE_NULL);
}

struct value *value_bool(bool b)
{
	struct value *v = new_value(VALUE_BOOL);

	v->b = b;
	return v;
}

struct value *value_int(int64_t i)
{
	struct value *v = new_value(VALUE_INT);

	v->i = i;
	return v;
}

struct value *value_string_take(char *s)
{
	struct value *v = new_value(VALUE_STRING);

	v->s = s;
	return v;
}

struct value *value_expr_take(char *s)
{
	struct value *v = new_value(VALUE_EXPR);

	v->s = s;
	return v;
}

struct value *value_string(const char *s)
{
	return value_string_take(xstrdup(s));
}

struct value *value_format_string(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = xvasprintf(fmt, ap);
	va_end(ap);
	return value_string_take(s);
}

struct value *value_list(void)
{
	return new_value(VALUE_LIST);
}

struct value *value_map(void)
{
	return new_value(VALUE_MAP);
}

void value_free(struct value *v)
{
	size_t i;

	if (!v)
		return;
	switch (v->type) {
	case VALUE_NULL:
	case VALUE_BOOL:
	case VALUE_INT:
		break;
	case VALUE_STRING:
	case VALUE_EXPR:
		free(v->s);
		break;
	case VALUE_LIST:
		for (i = 0; i < v->list.count; i++)
			value_free(v->list.item[i]);
		free(v->list.item);
		break;
	case VALUE_MAP:
		for (i = 0; i < v->map.count; i++) {
			free(v->map.member[i].key);
			value_free(v->map.member[i].value);
		}
		free(v->map.member);
		break;
	}
	free(v->text);
	free(v);
}

static void copy_children(struct value *c, const struct value *v)
{
	size_t i;

	if (v->type == VALUE_LIST)
		for (i = 0; i < v->list.count; i++)
			value_append(c, value_dup(v->list.item[i]));
	if (v->type == VALUE_MAP)
		for (i = 0; i < v->map.count; i++)
			value_add_at(c, v->map.member[i].key, v->map.member[i].pos,
				     value_dup(v->map.member[i].value));
}

struct value *value_dup(const struct value *v)
{
	struct value *c = new_value(v->type);

	c->pos = v->pos;
	c->quoted = v->quoted;
	c->text = v->text ? xstrdup(v->text) : NULL;
	if (v->type == VALUE_BOOL)
		c->b = v->b;
	else if (v->type == VALUE_INT)
		c->i = v->i;
	else if (v->type == VALUE_STRING || v->type == VALUE_EXPR)
		c->s = xstrdup(v->s);
	else
		copy_children(c, v);
	return c;
}

void value_append(struct value *list, struct value *item)
{
	GROW(list->list.item, list->list.count);
	list->list.item[list->list.count++] = item;
}

void value_add_at(struct value *map, const char *key, struct pos pos,
		  struct value *item)
{
	struct value_member *m;

	GROW(map->map.member, map->map.count);
	m = &map->map.member[map->map.count++];
	m->key = xstrdup(key);
	m->pos = pos;
	m->value = item;
}

void value_set(struct value *map, const char *key, struct value *item)
{
	struct value_member *m = value_member(map, key);

	if (m) {
		value_free(m->value);
		m->value = item;
		return;
	}
	value_add_at(map, key, (struct pos){0}, item);
}

void value_merge(struct value *map, const struct value *more)
{
	size_t i;

	for (i = 0; i < more->map.count; i++)
		value_set(map, more->map.member[i].key, value_dup(more->map.member[i].value));
}

void value_set_int(struct value *map, const char *key, int64_t i)
{
	value_set(map, key, value_int(i));
}

void value_set_bool(struct value *map, const char *key, bool b)
{
	value_set(map, key, value_bool(b));
}

void value_set_string(struct value *map, const char *key, const char *s)
{
	value_set(map, key, value_string(s));
}

struct value_member *value_member(const struct value *map, const char *key)
{
	size_t i;

	if (!map || map->type != VALUE_MAP)
		return NULL;
	for (i = 0; i < map->map.count; i++)
		if (text_same(map->map.member[i].key, key))
			return &map->map.member[i];
	return NULL;
}

struct value *value_get(const struct value *map, const char *key)
{
	struct value_member *m = value_member(map, key);

	return m ? m->value : NULL;
}

int64_t value_get_int(const struct value *map, const char *key, int64_t fallback)
{
	const struct value *v = value_get(map, key);

	return v && v->type == VALUE_INT ? v->i : fallback;
}

bool value_get_bool(const struct value *map, const char *key, bool fallback)
{
	const struct value *v = value_get(map, key);

	return v && v->type == VALUE_BOOL ? v->b : fallback;
}

const char *value_get_string(const struct value *map, const char *key,
			     const char *fallback)
{
	const struct value *v = value_get(map, key);

	return v && v->type == VALUE_STRING ? v->s : fallback;
}

static bool equal_list(const struct value *a, const struct value *b)
{
	size_t i;

	if (a->list.count != b->list.count)
		return false;
	for (i = 0; i < a->list.count; i++)
		if (!value_equal(a->list.item[i], b->list.item[i]))
			return false;
	return true;
}

static bool equal_map(const struct value *a, const struct value *b)
{
	const struct value *other;
	size_t i;

	if (a->map.count != b->map.count)
		return false;
	for (i = 0; i < a->map.count; i++) {
		other = value_get(b, a->map.member[i].key);
		if (!other || !value_equal(a->map.member[i].value, other))
			return false;
	}
	return true;
}

bool value_equal(const struct value *a, const struct value *b)
{
	if (a->type != b->type)
		return false;
	switch (a->type) {
	case VALUE_NULL:
		return true;
	case VALUE_BOOL:
		return a->b == b->b;
	case VALUE_INT:
		return a->i == b->i;
	case VALUE_STRING:
	case VALUE_EXPR:
		return strcmp(a->s, b->s) == 0;
	case VALUE_LIST:
		return equal_list(a, b);
	case VALUE_MAP:
		return equal_map(a, b);
	}
	return false;
}

const char *value_type_name(enum value_type type)
{
	static const char *const name[] = {
		[VALUE_NULL] = "null",     [VALUE_BOOL] = "boolean",
		[VALUE_INT] = "integer",   [VALUE_STRING] = "string",
		[VALUE_LIST] = "list",     [VALUE_MAP] = "map",
		[VALUE_EXPR] = "reference",
	};

	return name[type];
}

const char *value_text(const struct value *map, const char *key)
{
	return value_get_string(map, key, "");
}

char *value_join(const struct value *list)
{
	struct text t = {0};
	size_t i;

	for (i = 0; list && i < list->list.count; i++)
		text_addf(&t, "%s%s", i ? ", " : "", list->list.item[i]->s);
	return t.s;
}

/* In one line: texts with several lines are mostly output of programs. */
static void show_text(struct text *t, const char *s)
{
	size_t n;

	text_add(t, "\"");
	for (; *s; s += n + (s[n] != '\0')) {
		n = strcspn(s, "\n");
		text_add_bytes(t, s, n);
		if (s[n])
			text_add(t, "\\n");
	}
	text_add(t, "\"");
}

void value_show_to(struct text *t, const struct value *v)
{
	size_t i;

	if (v->text) {
		text_add(t, v->text);
		return;
	}
	switch (v->type) {
	case VALUE_NULL:
		text_add(t, "null");
		break;
	case VALUE_BOOL:
		text_add(t, v->b ? "true" : "false");
		break;
	case VALUE_INT:
		text_addf(t, "%" PRId64, v->i);
		break;
	case VALUE_STRING:
		show_text(t, v->s);
		break;
	case VALUE_EXPR:
		text_add(t, v->s);
		break;
	case VALUE_LIST:
		text_add(t, "[");
		for (i = 0; i < v->list.count; i++) {
			text_add(t, i ? ", " : "");
			value_show_to(t, v->list.item[i]);
		}
		text_add(t, "]");
		break;
	case VALUE_MAP:
		text_add(t, "{");
		for (i = 0; i < v->map.count; i++) {
			text_add(t, i ? ", " : "");
			text_add(t, v->map.member[i].key);
			text_add(t, ": ");
			value_show_to(t, v->map.member[i].value);
		}
		text_add(t, "}");
		break;
	}
}

char *value_show(const struct value *v)
{
	struct text t = {0};

	value_show_to(&t, v);
	return t.s;
}
