/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/json.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/utf8.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "fail.h"

static json_t *string_to_json(const char *s)
{
	json_t *j = json_string(s);
	auto_free char *clean = NULL;
	char *out;
	size_t n;

	if (j)
		return j;
	clean = out = xcalloc(3, strlen(s) + 1);
	while (*s) {
		n = utf8_length(s);
		if (n) {
			memcpy(out, s, n);
			out += n;
			s += n;
		} else {
			memcpy(out, UTF8_REPLACEMENT, 3);
			out += 3;
			s++;
		}
	}
	return json_string(clean);
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
			json_object_set_new_nocheck(j, v->map.member[i].key,
						    to_json(v->map.member[i].value));
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

static struct value *from_json(json_t *j)
{
	struct value *v;
	const char *key;
	json_t *item;
	size_t i;

	switch (json_typeof(j)) {
	case JSON_TRUE:
	case JSON_FALSE:
		return value_bool(json_is_true(j));
	case JSON_INTEGER:
		return value_int(json_integer_value(j));
	case JSON_STRING:
		return value_string(json_string_value(j));
	case JSON_ARRAY:
		v = value_list();
		json_array_foreach(j, i, item)
			value_append(v, from_json(item));
		return v;
	case JSON_OBJECT:
		v = value_map();
		json_object_foreach(j, key, item)
			value_add_at(v, key, (struct pos){0}, from_json(item));
		return v;
	case JSON_REAL:
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
	v = from_json(j);
	json_decref(j);
	return v;
}
