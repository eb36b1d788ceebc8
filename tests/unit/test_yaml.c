/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: base/yaml.c base/diag.c */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "base/diag.h"
#include "base/yaml.h"

static struct value *read_ok(const char *text)
{
	struct diagnostics diag = {0};
	struct value *v = yaml_read(text, strlen(text), &diag);

	if (!v) {
		char *s = diagnostics_format(&diag, "text");

		print_error("%s", s);
		free(s);
	}
	diagnostics_fini(&diag);
	assert_non_null(v);
	return v;
}

static void expect_error_n(const char *text, size_t len, const char *want)
{
	struct diagnostics diag = {0};
	struct value *v = yaml_read(text, len, &diag);
	auto_free char *s = diagnostics_format(&diag, "t");

	diagnostics_fini(&diag);
	assert_null(v);
	assert_string_equal(s, want);
}

static void expect_error(const char *text, const char *want)
{
	expect_error_n(text, strlen(text), want);
}

TEST(test_yaml__plain_scalars__get_minimal_types)
{
	static const struct {
		const char *text;
		enum value_type type;
		const char *shown;
	} row[] = {
		{"k: 7", VALUE_INT, "7"},	     {"k: -7", VALUE_INT, "-7"},
		{"k: 0", VALUE_INT, "0"},	     {"k: 0x1F", VALUE_INT, "0x1F"},
		{"k: -0", VALUE_INT, "-0"},	     {"k: 010", VALUE_STRING, "\"010\""},
		{"k: 1.5", VALUE_STRING, "\"1.5\""}, {"k: +7", VALUE_STRING, "\"+7\""},
		{"k: yes", VALUE_STRING, "\"yes\""}, {"k: true", VALUE_BOOL, "true"},
		{"k: false", VALUE_BOOL, "false"},   {"k: True", VALUE_STRING, "\"True\""},
		{"k: null", VALUE_NULL, "null"},     {"k: ~", VALUE_NULL, "null"},
		{"k:", VALUE_NULL, "null"},	     {"k: NULL", VALUE_STRING, "\"NULL\""},
		{"k: \"7\"", VALUE_STRING, "\"7\""}, {"k: 'true'", VALUE_STRING, "\"true\""},
		{"k: $b.ip", VALUE_STRING, "\"$b.ip\""},
		{"k: 2026-11-21", VALUE_STRING, "\"2026-11-21\""},
		{"k: 1_000", VALUE_STRING, "\"1_000\""},
		{"k: 9223372036854775807", VALUE_INT, "9223372036854775807"},
		{"k: 0xffffffffffffffff", VALUE_INT, "0xffffffffffffffff"},
		{"k: 18446744073709551615", VALUE_INT, "18446744073709551615"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		auto_value struct value *v = read_ok(row[i].text);
		auto_free char *shown = value_show(value_get(v, "k"));

		assert_int_equal(value_get(v, "k")->type, row[i].type);
		assert_string_equal(shown, row[i].shown);
	}
}

TEST(test_yaml__what_is_large__is_a_64_bit_pattern)
{
	auto_value struct value *v = read_ok("[0xffffffffffffffff, -0x10, 0x7b, 9223372036854775808]");

	assert_int_equal(v->list.item[0]->i, -1);
	assert_int_equal(v->list.item[1]->i, -16);
	assert_int_equal(v->list.item[2]->i, 123);
	assert_true(v->list.item[3]->i == INT64_MIN);
}

TEST(test_yaml__values__know_where_they_are)
{
	auto_value struct value *v = read_ok("a: 1\nb:\n  - {c: é, d: x}\n");
	const struct value *m = value_get(v, "b")->list.item[0];

	assert_int_equal(value_member(v, "b")->pos.line, 2);
	assert_int_equal(value_member(v, "b")->pos.col, 1);
	assert_int_equal(m->pos.line, 3);
	assert_int_equal(m->pos.col, 5);
	assert_int_equal(value_member(m, "d")->pos.col, 12);
	assert_int_equal(value_get(m, "d")->pos.col, 15);
}

TEST(test_yaml__quoted__is_remembered)
{
	auto_value struct value *v = read_ok("- any\n- \"any\"\n- 'any'\n- |\n  any\n");

	assert_false(v->list.item[0]->quoted);
	assert_true(v->list.item[1]->quoted);
	assert_true(v->list.item[2]->quoted);
	assert_true(v->list.item[3]->quoted);
}

TEST(test_yaml__what_is_not_in_the_subset__is_refused)
{
	static const struct {
		const char *text, *error;
	} row[] = {
		{"a: &x 1\n",
		 "t:1:4: error: anchors are not part of the scenario language "
		 "(quote a string that begins with &)\n"},
		{"a: *x\n", "t:1:4: error: aliases are not part of the scenario language "
			    "(quote a string that begins with *)\n"},
		{"a: !!int 1\n", "t:1:4: error: tags are not part of the scenario language "
				 "(quote a string that begins with !)\n"},
		{"a: !x {}\n", "t:1:4: error: tags are not part of the scenario language "
			       "(quote a string that begins with !)\n"},
		{"%YAML 1.1\n---\na: 1\n",
		 "t:1:1: error: directives are not part of the scenario language\n"},
		{"a: 1\n---\nb: 2\n",
		 "t:2:1: error: a second document begins here (one file, one scenario)\n"},
		{"? [a]\n: 1\n", "t:1:3: error: a key must be a word\n"},
		{"a: 1\nb: 2\na: 3\n",
		 "t:3:1: error: the key 'a' is there twice (first at line 1)\n"},
		{"a:\n\tb: 1\n", "t:2:1: error: a tab character (indent with spaces; in a "
				 "quoted string write \\t)\n"},
		{"a: -9223372036854775809\n",
		 "t:1:4: error: the integer does not fit in 64 bits (quote it if it is "
		 "meant as text)\n"},
		{"a: 18446744073709551616\n",
		 "t:1:4: error: the integer does not fit in 64 bits (quote it if it is "
		 "meant as text)\n"},
		{"a: \"x\\0y\"\n", "t:1:4: error: a string cannot hold a zero byte\n"},
		{"", "t:1:1: error: the file is empty\n"},
		{"# nothing\n", "t:1:1: error: the file is empty\n"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++)
		expect_error(row[i].text, row[i].error);
}

TEST(test_yaml__every_key_twice__is_reported)
{
	expect_error("a: 1\na: 2\nb: {c: 1, c: 2}\n",
		     "t:2:1: error: the key 'a' is there twice (first at line 1)\n"
		     "t:3:11: error: the key 'c' is there twice (first at line 3)\n");
}

TEST(test_yaml__not_utf8__says_where)
{
	expect_error_n("a: 1\nb: \xff\n", 10,
		       "t:2:4: error: not a text file in UTF-8: invalid leading UTF-8 octet\n");
}

TEST(test_yaml__too_deep__is_refused)
{
	char text[YAML_DEPTH_MAX + 2];

	memset(text, '[', sizeof(text));
	expect_error_n(text, sizeof(text), "t:1:33: error: nested more than 32 levels deep\n");
}

TEST(test_yaml__too_large__is_refused)
{
	size_t len = YAML_SIZE_MAX + 1;
	auto_free char *text = xcalloc(1, len);

	memset(text, ' ', len);
	expect_error_n(text, len, "t:1:1: error: the file is larger than 1048576 bytes\n");
}

TEST(test_yaml__too_many_keys__are_refused)
{
	struct diagnostics diag = {0};
	auto_free char *text = xcalloc(1, 16 * (YAML_MAP_MAX + 1));
	char *p = text;
	int i;

	for (i = 0; i <= YAML_MAP_MAX; i++)
		p += snprintf(p, 16, "k%d: 1\n", i);
	assert_null(yaml_read(text, (size_t)(p - text), &diag));
	assert_string_equal(diag.item[0].message, "a map of more than 256 keys");
	diagnostics_fini(&diag);
}
