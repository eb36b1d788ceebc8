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
