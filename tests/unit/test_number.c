/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: base/number.c */
#include "cmocka_all.h"

#include <stdint.h>

#include "base/number.h"

TEST(test_number__edges__are_kept)
{
	int64_t n = 0;

	assert_true(number_read("9223372036854775807", INT64_MIN, INT64_MAX, &n));
	assert_true(n == INT64_MAX);
	assert_true(number_read("-9223372036854775808", INT64_MIN, INT64_MAX, &n));
	assert_true(n == INT64_MIN);
	assert_true(number_read("007", 0, 7, &n));
	assert_int_equal(n, 7);
	assert_true(number_part("12..15", 2, 0, 100, &n));
	assert_int_equal(n, 12);
}

TEST(test_number__all_else__is_refused)
{
	static const char *const no[] = {
		"", "-", "+1", " 1", "1 ", "1x", "0x10", "--1", "1.5",
		"9223372036854775808", "-9223372036854775809", "99999999999999999999999",
	};
	int64_t n = 42;
	size_t i;

	for (i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		assert_false(number_read(no[i], INT64_MIN, INT64_MAX, &n));
	assert_false(number_read("8", 0, 7, &n));
	assert_false(number_read("-1", 0, 7, &n));
	assert_false(number_read(NULL, 0, 7, &n));
	assert_int_equal(n, 42);
}

TEST(test_number__begin__stops_at_what_is_no_digit)
{
	const char *end;

	assert_int_equal(number_begin("61.2", &end), 61);
	assert_string_equal(end, ".2");
	assert_int_equal(number_begin("x", &end), 0);
	assert_string_equal(end, "x");
	assert_true(number_begin("99999999999999999999999", &end) == INT64_MAX);
	assert_string_equal(end, "");
}
