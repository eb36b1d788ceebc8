/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: base/base64.c */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/xalloc.h"

TEST(test_base64__known_texts__both_ways)
{
	/* RFC 4648, section 10. */
	static const char *const known[][2] = {
		{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"},
		{"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		auto_free char *text = base64_encode(known[i][0], strlen(known[i][0]));
		auto_free char *data = NULL;
		size_t len;

		assert_string_equal(text, known[i][1]);
		data = base64_decode(text, &len);
		assert_non_null(data);
		assert_int_equal(len, strlen(known[i][0]));
		assert_string_equal(data, known[i][0]);
	}
}

TEST(test_base64__every_byte__survives)
{
	unsigned char all[256 + 1];
	size_t i, len;

	for (i = 0; i < sizeof(all); i++)
		all[i] = (unsigned char)(i * 7);
	for (i = 0; i <= sizeof(all); i++) {
		auto_free char *text = base64_encode(all, i);
		auto_free void *data = base64_decode(text, &len);

		assert_non_null(data);
		assert_int_equal(len, i);
		assert_memory_equal(data, all, i);
	}
}

TEST(test_base64__anything_else__is_refused)
{
	static const char *const bad[] = {"Z", "Zg=", "Zg", "Zh==", "Zm9=", "=Zg=", "Z===", "====",
					  "Zg==Zg==", "Zm9v\n", "Zm 9", "Zm9-", "Zm=v"};
	size_t i, len;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		if (base64_decode(bad[i], &len))
			fail_msg("'%s' was taken", bad[i]);
}
