/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: base/value.c */
#include "cmocka_all.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/value.h"

static struct value *sample(void)
{
	struct value *m = value_map(), *l = value_list();

	value_append(l, value_int(1));
	value_append(l, value_string("two"));
	value_set(m, "list", l);
	value_set_bool(m, "yes", true);
	value_set(m, "nothing", value_null());
	return m;
}

TEST(test_value__dup__is_equal_and_separate)
{
	auto_value struct value *a = sample(), *b = value_dup(a);

	assert_true(value_equal(a, b));
	value_set_int(b, "list", 3);
	assert_false(value_equal(a, b));
}

TEST(test_value__set_twice__replaces)
{
	auto_value struct value *m = value_map();

	value_set_int(m, "k", 1);
	value_set_int(m, "k", 2);
	assert_int_equal(m->map.count, 1);
	assert_int_equal(value_get_int(m, "k", 0), 2);
}

TEST(test_value__getters__fall_back_on_other_types)
{
	auto_value struct value *m = sample();

	assert_int_equal(value_get_int(m, "yes", -5), -5);
	assert_string_equal(value_get_string(m, "missing", "none"), "none");
	assert_null(value_get(value_get(m, "yes"), "x"));
}

TEST(test_value__show__is_one_readable_line)
{
	auto_value struct value *m = sample();
	auto_free char *s = value_show(m);

	assert_string_equal(s, "{list: [1, \"two\"], yes: true, nothing: null}");
}
