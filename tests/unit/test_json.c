/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"

static struct value *read_text(const char *text)
{
	return json_read(text, strlen(text), NULL);
}

static void test_json__round_trip__is_identity(void **state)
{
	const char *text = "{\"a\":[1,-9223372036854775808,\"x\\n\\u0001\"],\"b\":null,\"c\":false}";
	auto_value struct value *v = read_text(text);
	auto_free char *again = NULL;

	(void)state;
	assert_non_null(v);
	again = json_write(v);
	assert_string_equal(again, text);
}

static void test_json__bad_text__is_refused_with_position(void **state)
{
	static const char *const bad[] = {"", "{", "{\"a\":1,\"a\":2}", "[1] x", "{\"a\":}"};
	struct vbm_error err;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_null(json_read(bad[i], strlen(bad[i]), &err));
		assert_non_null(strstr(err.msg, "bad JSON at byte"));
	}
}

static void test_json__bytes_that_are_not_utf8__are_replaced(void **state)
{
	auto_value struct value *v = value_string("ok \xc3\xa9 \xff\xc0\x80 \xed\xa0\x80 \xe2\x82");
	auto_free char *s = json_write(v);

	(void)state;
	assert_string_equal(s, "\"ok \xc3\xa9 \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd "
			       "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd\"");
}

VBM_TESTS(cmocka_unit_test(test_json__round_trip__is_identity),
	  cmocka_unit_test(test_json__bad_text__is_refused_with_position),
	  cmocka_unit_test(test_json__bytes_that_are_not_utf8__are_replaced));
