/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static void test_text__grows__and_stays_terminated(void **state)
{
	struct text t auto_text = {0};
	int i;

	(void)state;
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

static void test_text__visible__shows_controls_and_bad_bytes(void **state)
{
	struct text t auto_text = {0};

	(void)state;
	text_add_visible(&t, "a\tb\n\x1b[31m\x7f \xc2\x9b \xc3\xa9 \xff \xef\xbf\xbf \xe2\x82");
	assert_string_equal(t.s, "a\tb\n\\x1b[31m\\x7f \\x9b \xc3\xa9 \xef\xbf\xbd \xef\xbf\xbd "
				 "\xef\xbf\xbd\xef\xbf\xbd");
}

VBM_TESTS(cmocka_unit_test(test_text__grows__and_stays_terminated),
	  cmocka_unit_test(test_text__visible__shows_controls_and_bad_bytes));
