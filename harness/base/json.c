/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/json.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

static json_t *string_to_json(const char *s)
{
	auto_free char *clean = text_utf8_is(s) ? NULL : text_utf8_clean(s);

	return json_string_nocheck(clean ? clean : s);
}

static void set_member(json_t *map, const char *key, json_t *item)
{
	auto_free char *clean = text_utf8_is(key) ? NULL : text_utf8_clean(key);

	json_object_set_new_nocheck(map, clean ? clean : key, item);
}

static json_t *to_json(const struct value *v)
{
	json_t *j = NULL;
	size_t i;

	switch (v->type) {
	case VALUE_NULL:
		return json_null();
	case VALUE_BOOL:
		return json_boolean(v->b);
	case VALUE_INT:
		return json_integer(v->i);
	case VALUE_STRING:
		return string_to_json(v->s);
	case VALUE_EXPR:
		j = json_object();
		json_object_set_new_nocheck(j, "$", string_to_json(v->s));
		break;
	case VALUE_LIST:
		j = json_array();
		for (i = 0; i < v->list.count; i++)
			json_array_append_new(j, to_json(v->list.item[i]));
		break;
	case VALUE_MAP:
		j = json_object();
		for (i = 0; i < v->map.count; i++)
			set_member(j, v->map.member[i].key, to_json(v->map.member[i].value));
		break;
	}
	return j;
}

static char *dump(const struct value *v, size_t flags)
{
	json_t *j = to_json(v);
	char *s = json_dumps(j, flags | JSON_ENCODE_ANY);

	json_decref(j);
	return s ? s : xstrdup("null");
}

char *json_write(const struct value *v)
{
	return dump(v, JSON_COMPACT);
}

char *json_write_pretty(const struct value *v)
{
	return dump(v, JSON_INDENT(2));
}

static struct value *from_json(json_t *j, struct vbm_error *err);

static struct value *list_from_json(json_t *j, struct vbm_error *err)
{
	auto_value struct value *list = value_list();
	struct value *item;
	json_t *from;
	size_t i;

	json_array_foreach(j, i, from) {
		item = from_json(from, err);
		if (!item)
			return NULL;
		value_append(list, item);
	}
	return steal(&list);
}

static struct value *map_from_json(json_t *j, struct vbm_error *err)
{
	auto_value struct value *map = value_map();
	struct value *item;
	const char *key;
	json_t *from;

	json_object_foreach(j, key, from) {
		item = from_json(from, err);
		if (!item) {
			vbm_wrap(err, "\"%.40s\"", key);
			return NULL;
		}
		value_add_at(map, key, (struct pos){0}, item);
	}
	return steal(&map);
}

static struct value *from_json(json_t *j, struct vbm_error *err)
{
	switch (json_typeof(j)) {
	case JSON_TRUE:
	case JSON_FALSE:
		return value_bool(json_is_true(j));
	case JSON_INTEGER:
		return value_int(json_integer_value(j));
	case JSON_STRING:
		return value_string(json_string_value(j));
	case JSON_ARRAY:
		return list_from_json(j, err);
	case JSON_OBJECT:
		return map_from_json(j, err);
	case JSON_REAL:
		vbm_fail(err, EPROTO, "the number %g is not an integer", json_real_value(j));
		return NULL;
	case JSON_NULL:
		break;
	}
	return value_null();
}

struct value *json_read(const char *text, size_t len, struct vbm_error *err)
{
	json_error_t je;
	json_t *j = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &je);
	struct value *v;

	if (!j) {
		vbm_fail(err, EPROTO, "bad JSON at byte %d: %s", je.position, je.text);
		return NULL;
	}
	v = from_json(j, err);
	json_decref(j);
	if (!v)
		vbm_wrap(err, "bad JSON");
	return v;
}

struct value *json_bytes(const char *text)
{
	auto_free char *coded = NULL;
	struct value *v;

	if (text_utf8_is(text))
		return value_string(text);
	coded = base64_encode(text, strlen(text));
	v = value_map();
	value_set_string(v, "base64", coded);
	return v;
}

char *json_bytes_read(const struct value *v)
{
	const char *coded = value_get_string(v, "base64", NULL);
	auto_free char *text = NULL;
	size_t len;

	if (v && v->type == VALUE_STRING)
		return xstrdup(v->s);
	text = coded ? base64_decode(coded, &len) : NULL;
	return text && strlen(text) == len ? steal(&text) : NULL;
}
