/* SPDX-License-Identifier: BSD-2-Clause */
#include "step/bytes.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

static bool is_printable(const char *text, size_t len)
{
	size_t i, n;

	for (i = 0; i < len; i += n) {
		n = text_utf8_length(text + i);
		if (!n || iscntrl((unsigned char)text[i]))
			return false;
	}
	return true;
}

struct value *bytes_to_value(const void *data, size_t len)
{
	auto_free char *text = xcalloc(len + 1, 1);
	auto_text struct text hex = {0};
	struct value *v;
	size_t i;

	if (len)
		memcpy(text, data, len);
	if (is_printable(text, len))
		return value_string(text);
	for (i = 0; i < len; i++)
		text_addf(&hex, "%s%02x", i ? " " : "", (unsigned char)text[i]);
	v = value_map();
	value_set_string(v, "hex", hex.s);
	return v;
}

bool bytes_is_hex(const struct value *v)
{
	return v->type == VALUE_MAP && value_get(v, "hex") != NULL;
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

static int parse_hex(const char *s, uint8_t *out, size_t *len, struct vbm_error *err)
{
	const char *at = s;

	*len = 0;
	while (*at) {
		if (isspace((unsigned char)*at)) {
			at++;
			continue;
		}
		if (!isxdigit((unsigned char)at[0]) || !isxdigit((unsigned char)at[1]))
			return vbm_fail(err, EINVAL, "'%s' is not a row of bytes, each of two hexadecimal "
			"digits, for example {hex: \"00 ff 10\"}", s);
		out[(*len)++] = (uint8_t)(digit(at[0]) << 4 | digit(at[1]));
		at += 2;
	}
	return 0;
}

/* YAML reads 11 as a number, so a number counts as its text. */
static char *scalar(const struct value *v)
{
	return v->type == VALUE_STRING ? xstrdup(v->s) : value_show(v);
}

int bytes_parse(const struct value *v, uint8_t **out, size_t *len, struct vbm_error *err)
{
	auto_free char *text = NULL;
	auto_free uint8_t *bytes = NULL;
	const struct value *inner = v;

	if (bytes_is_hex(v) && v->map.count == 1)
		inner = value_get(v, "hex");
	if (inner->type != VALUE_STRING && inner->type != VALUE_INT && inner->type != VALUE_BOOL)
		return vbm_fail(err, EINVAL, "bytes must be a text or {hex: \"00 ff 10\"}");
	text = scalar(inner);
	*len = strlen(text);
	if (inner == v) {
		*out = (uint8_t *)steal(&text);
		return 0;
	}
	bytes = xcalloc(*len + 1, 1);
	if (parse_hex(text, bytes, len, err) < 0)
		return -EINVAL;
	*out = steal(&bytes);
	return 0;
}

/* Memory is zero at first, so a byte of zero would look as if it had arrived. */
static unsigned char counter_byte(size_t i)
{
	static const size_t unit[] = {1, 255, 255 * 255, 255 * 255 * 255};

	return (unsigned char)(1 + i / 4 / unit[i % 4] % 255);
}

static int fill_repeated(unsigned char *buf, size_t len, const struct value *fill,
			 struct vbm_error *err)
{
	auto_free uint8_t *bytes = NULL;
	size_t count, i;

	if (bytes_parse(fill, &bytes, &count, err) < 0)
		return -EINVAL;
	if (!count)
		return vbm_fail(err, EINVAL, "{hex: ...} needs at least one byte");
	for (i = 0; i < len; i++)
		buf[i] = bytes[i % count];
	return 0;
}

int bytes_pattern_fill(unsigned char *buf, size_t len, const struct value *fill, struct vbm_error *err)
{
	const char *name = fill->type == VALUE_STRING ? fill->s : "";
	char *end = NULL;
	long byte = 0;
	size_t i;

	if (fill->type == VALUE_MAP)
		return fill_repeated(buf, len, fill, err);
	if (strcmp(name, "counter") == 0) {
		for (i = 0; i < len; i++)
			buf[i] = counter_byte(i);
		return 0;
	}
	if (strcmp(name, "zero") != 0) {
		byte = strtol(name, &end, 0);
		if (end == name || *end || byte < 0 || byte > 255)
			return vbm_fail(err, EINVAL, "'%s' is not a fill; write counter, zero, the value of "
			"a byte (0x5a) or {hex: BYTES}", name);
	}
	memset(buf, (int)byte, len);
	return 0;
}

char *bytes_pattern_name(const unsigned char *buf, size_t len)
{
	size_t count = 0, same = 0;

	if (len == 0)
		return xstrdup("empty");
	while (same < len && buf[same] == buf[0])
		same++;
	while (count < len && buf[count] == counter_byte(count))
		count++;
	if (same == len && buf[0] == 0)
		return xstrdup("zero");
	if (count == len)
		return xstrdup("counter");
	if (same == len)
		return xasprintf("0x%02x", buf[0]);
	return xasprintf("other: counter up to byte %zu", count);
}
