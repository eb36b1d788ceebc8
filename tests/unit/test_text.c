/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: base/text.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

TEST(test_text__grows__and_stays_terminated)
{
	struct text t auto_text = {0};
	int i;

	for (i = 0; i < 1000; i++) {
		text_addf(&t, "%03d", i);
		assert_int_equal(strlen(t.s), t.len);
	}
	assert_memory_equal(t.s + 2997, "999", 4);
	text_clear(&t);
	assert_string_equal(t.s, "");
	text_addf(&t, "%0*d", 5000, 7);
	assert_int_equal(t.len, 5000);
	assert_int_equal(t.s[4999], '7');
}

TEST(test_text__visible__shows_controls_and_bad_bytes)
{
	struct text t auto_text = {0};

	text_add_visible(&t, "\xe2\x80\xae \xe2\x81\xa7 \xd8\x9c \xe2\x80\xa8 \xe2\x80\xa6");
	assert_string_equal(t.s, "\\u202e \\u2067 \\u061c \\u2028 \xe2\x80\xa6");
	text_clear(&t);
	text_add_visible_line(&t, "one\n\tline");
	assert_string_equal(t.s, "one\\x0a\\x09line");
	text_clear(&t);
	text_add_visible(&t, "a\tb\n\x1b[31m\x7f \xc2\x9b \xc3\xa9 \xff \xef\xbf\xbf \xe2\x82");
	assert_string_equal(t.s, "a\tb\n\\x1b[31m\\x7f \\x9b \xc3\xa9 \xef\xbf\xbd \xef\xbf\xbd "
				 "\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(test_text__of_file__says_what_is_wrong_with_it)
{
	auto_free char *text = text_of_file(test_data("README"), NULL);
	struct vbm_error err;

	assert_non_null(text);
	assert_int_equal(text[strlen(text) - 1], '\n');
	assert_null(text_of_file(test_data("nonesuch"), &err));
	assert_int_equal(err.code, ENOENT);
	assert_null(text_of_file("/dev/null", &err));
	assert_int_equal(err.code, EINVAL);
	assert_string_equal(err.msg, "/dev/null: not a regular file");
}

TEST(test_text__printed__nul_does_not_end_it)
{
	struct text t auto_text = {0};

	text_add_printed(&t, "", 0);
	text_add_printed(&t, "a\0\0b", 4);
	text_add_printed(&t, "\0", 1);
	text_add_printed(&t, "c", 1);
	assert_string_equal(t.s, "a\xef\xbf\xbd\xef\xbf\xbd" "b\xef\xbf\xbd" "c");
}

TEST(test_text__keep_end__leaves_the_last_bytes)
{
	struct text t auto_text = {0};

	text_keep_end(&t, 3);
	assert_int_equal(t.len, 0);
	text_add(&t, "abc");
	text_keep_end(&t, 3);
	assert_string_equal(t.s, "abc");
	text_add(&t, "de");
	text_keep_end(&t, 3);
	assert_string_equal(t.s, "cde");
	text_add(&t, "f");
	assert_string_equal(t.s, "cdef");
	text_keep_end(&t, 0);
	assert_string_equal(t.s, "");
}
