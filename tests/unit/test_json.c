/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: base/json.c base/json-write.c */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"

static struct value *read_text(const char *text)
{
	return json_read(text, strlen(text), NULL);
}

TEST(test_json__round_trip__is_identity)
{
	const char *text = "{\"a\":[1,-9223372036854775808,\"x\\n\\u0001\"],\"b\":null,\"c\":false}";
	auto_value struct value *v = read_text(text);
	auto_free char *again = NULL;

	assert_non_null(v);
	again = json_write(v);
	assert_string_equal(again, text);
}

TEST(test_json__bad_text__is_refused_with_position)
{
	static const char *const bad[] = {"", "{", "{\"a\":1,\"a\":2}", "[1] x", "{\"a\":}"};
	struct vbm_error err;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_null(json_read(bad[i], strlen(bad[i]), &err));
		assert_non_null(strstr(err.msg, "bad JSON at byte"));
	}
}

TEST(test_json__bytes_that_are_not_utf8__are_replaced)
{
	auto_value struct value *v = value_string("ok \xc3\xa9 \xff\xc0\x80 \xed\xa0\x80 \xe2\x82");
	auto_free char *s = json_write(v);

	assert_string_equal(s, "\"ok \xc3\xa9 \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd "
			       "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd\"");
}

TEST(test_json__key_that_is_not_utf8__loses_nothing_else)
{
	auto_value struct value *v = value_map();
	auto_free char *s = NULL;

	value_set_int(v, "a", 1);
	value_set_int(v, "b\xff", 2);
	s = json_write(v);
	assert_string_equal(s, "{\"a\":1,\"b\xef\xbf\xbd\":2}");
}

/* Of two keys that become the same one, the last stays: a reader would refuse both. */
TEST(test_json__keys_that_become_equal)
{
	auto_value struct value *v = value_map(), *again = NULL;
	auto_free char *s = NULL;

	value_set_int(v, "b\xff", 1);
	value_set_int(v, "a", 2);
	value_set_int(v, "b\xfe", 3);
	s = json_write(v);
	assert_string_equal(s, "{\"a\":2,\"b\xef\xbf\xbd\":3}");
	again = read_text(s);
	assert_non_null(again);
}

TEST(test_json__each_character)
{
	auto_free char *s = NULL;
	auto_value struct value *v = NULL, *again = NULL;
	char all[256];
	int i;

	for (i = 1; i < 128; i++)
		all[i - 1] = (char)i;
	all[127] = '\0';
	v = value_string(all);
	s = json_write(v);
	assert_memory_equal(s, "\"\\u0001\\u0002", 13);
	assert_non_null(strstr(s, "\\u0007\\b\\t\\n\\u000B\\f\\r\\u000E"));
	assert_non_null(strstr(s, "\\u001F !\\\"#"));
	assert_non_null(strstr(s, "./0"));
	assert_non_null(strstr(s, "[\\\\]"));
	again = read_text(s);
	assert_non_null(again);
	assert_string_equal(again->s, all);
}

TEST(test_json__for_people)
{
	static const char text[] = "{\n  \"a\": [],\n  \"b\": {},\n  \"c\": [\n    1,\n    {\n      \"d\": null\n    }\n  ],\n"
				   "  \"e\": {\n    \"$\": \"x + 1\"\n  },\n  \"f\": true\n}";
	auto_value struct value *v = read_text("{\"a\":[],\"b\":{},\"c\":[1,{\"d\":null}]}");
	auto_free char *s = NULL, *line = NULL;

	value_set(v, "e", value_expr_take(xstrdup("x + 1")));
	value_set_bool(v, "f", true);
	s = json_write_pretty(v);
	assert_string_equal(s, text);
	line = json_write(v);
	assert_string_equal(line, "{\"a\":[],\"b\":{},\"c\":[1,{\"d\":null}],\"e\":{\"$\":\"x + 1\"},\"f\":true}");
}

TEST(test_json__bytes__survive)
{
	static const char *const texts[] = {"", "plain", "\xc3\xa9", "\xff", "a\xff\xfe b=\x80\n"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		auto_value struct value *v = json_bytes(texts[i]);
		auto_free char *line = json_write(v), *back = NULL;
		auto_value struct value *again = read_text(line);

		assert_non_null(again);
		back = json_bytes_read(again);
		assert_non_null(back);
		assert_string_equal(back, texts[i]);
	}
	assert_null(json_bytes_read(NULL));
}

TEST(test_json__what_is_no_text_of_bytes__is_refused)
{
	static const char *const bad[] = {"7", "null", "{}", "{\"base64\":7}", "{\"base64\":\"x\"}",
					  "{\"base64\":\"AAAA\"}", "[\"\"]"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		auto_value struct value *v = read_text(bad[i]);

		assert_non_null(v);
		assert_null(json_bytes_read(v));
	}
}

static void expect_refused(const char *text, const char *why)
{
	struct vbm_error err = {0};

	assert_null(json_read(text, strlen(text), &err));
	if (!strstr(err.msg, why))
		fail_msg("'%s' does not say '%s'", err.msg, why);
}

/* None of these may become another number or null. */
TEST(test_json__numbers_that_do_not_fit__are_refused)
{
	auto_value struct value *most = read_text("[9223372036854775807,-9223372036854775808]");

	assert_non_null(most);
	assert_true(most->list.item[0]->i == INT64_MAX && most->list.item[1]->i == INT64_MIN);
	expect_refused("1.5", "bad JSON: the number 1.5 is not an integer");
	expect_refused("1.0", "the number 1 is not an integer");
	expect_refused("1e3", "the number 1000 is not an integer");
	expect_refused("{\"a\":[0,{\"b\":-0.5}]}", "bad JSON: \"a\": \"b\": the number -0.5");
	expect_refused("9223372036854775808", "too big integer");
	expect_refused("18446744073709551615", "too big integer");
	expect_refused("-9223372036854775809", "too big negative integer");
}
