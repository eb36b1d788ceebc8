/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_all.h"

#include <string.h>

#include "literal.h"
#include "order.h"

static struct order_item item(const char *dst, const char *src, int prefix)
{
	struct order_item i = {.prefix = prefix};

	assert_int_equal(vbm_literal_read(dst, &i.dst), LITERAL_ADDRESS);
	if (src)
		assert_int_equal(vbm_literal_read(src, &i.src), LITERAL_ADDRESS);
	return i;
}

/* The examples of RFC 6724, section 10.2, and the C library's IPv4 rule. */
static const struct {
	const char *first, *first_src, *second, *second_src;
	int prefix;
} cases[] = {
	{"2001:db8:1::1", "2001:db8:1::2", "198.51.100.121", "169.254.13.78", 16},
	{"198.51.100.121", "198.51.100.117", "2001:db8:1::1", "fe80::1", 24},
	{"2001:db8:1::1", "2001:db8:1::2", "10.1.2.3", "10.1.2.4", 24},
	{"fe80::1", "fe80::2", "2001:db8:1::1", "2001:db8:1::2", 0},
	{"2001:db8:1::1", "2001:db8:1::2", "2001:db8:3ffe::1", "2001:db8:3f44::2", 0},
	{"2002:c633:6401::1", "2002:c633:6401::2", "2001:db8:1::1", "2002:c633:6401::2", 0},
	{"2001:db8:1::1", "2001:db8:1::2", "2002:c633:6401::1", "2002:c633:6401::2", 0},
	{"192.0.2.1", "192.0.2.9", "2001:db8::1", NULL, 24},
	{"::1", "::1", "127.0.0.1", "127.0.0.1", 8},
	{"192.0.2.9", "192.0.2.8", "192.0.2.200", "192.0.2.8", 24},
};

static void test_order__table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct order_item a = item(cases[i].first, cases[i].first_src, cases[i].prefix);
		struct order_item b = item(cases[i].second, cases[i].second_src, cases[i].prefix);

		if (vbm_order_compare(&a, &b) >= 0 || vbm_order_compare(&b, &a) <= 0)
			fail_msg("%s goes before %s", cases[i].first, cases[i].second);
	}
}

static void test_order__equal_in_other_networks(void **state)
{
	struct order_item a = item("198.51.100.1", "192.0.2.8", 24);
	struct order_item b = item("203.0.113.1", "192.0.2.8", 24);

	(void)state;
	assert_int_equal(vbm_order_compare(&a, &b), 0);
}

static void test_order__keeps_the_order_of_equals(void **state)
{
	struct addr_list list = {0};
	union addr a;

	(void)state;
	for (uint32_t i = 0; i < 50; i++) {
		vbm_addr_set_in(&a, 0x7f000001, (uint16_t)i);
		vbm_addr_list_add(&list, &a);
	}
	assert_int_equal(vbm_order_addresses(&list), 0);
	for (uint32_t i = 0; i < 50; i++)
		assert_int_equal(vbm_addr_port(&list.item[i]), i);
	vbm_addr_list_clear(&list);
}

VBM_TESTS(cmocka_unit_test(test_order__table),
	  cmocka_unit_test(test_order__equal_in_other_networks),
	  cmocka_unit_test(test_order__keeps_the_order_of_equals));
